import { amount } from './guards.ts';

/** Latest time that a date can have, in seconds. */
const latest = 8.64e12;

/** `resets 2026-11-27 05:00 UTC`, from seconds since the epoch; `undefined` if the agent does not say when. */
export function resetText(seconds: unknown): string | undefined {
  const at = amount(seconds);
  if (at === undefined || at === 0 || at > latest) return undefined;
  return `resets ${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
