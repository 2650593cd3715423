import type { PlanLimit } from '../../model/usage/planLimit.ts';
import { parseAmount } from './guards.ts';

/** Latest time that a date can have, in seconds. */
const latest = 8.64e12;

/** `resets 2026-11-27 05:00 UTC`, from seconds since the epoch; `undefined` if the agent does not say when. */
export function resetText(seconds: unknown): string | undefined {
  const at = parseAmount(seconds);
  if (at === undefined || at === 0 || at > latest) return undefined;
  return `resets ${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A limit for the metadata of an entry. `resetsAt`: seconds since the epoch, as agents report it. */
export function planLimit(name: string, usedPercent: number | undefined, resetsAt: unknown): PlanLimit {
  const seconds = parseAmount(resetsAt);
  const isTime = seconds !== undefined && seconds !== 0 && seconds <= latest;
  return {
    name,
    ...(usedPercent !== undefined && { usedPercent: Math.round(usedPercent) }),
    ...(isTime && { resetsAt: new Date(seconds * 1000).toISOString() }),
  };
}
