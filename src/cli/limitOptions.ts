import type { Limits } from '../model/budget.ts';
import { numberOption } from './args.ts';
import { UsageError } from './command.ts';

export const limitHelp = `  --max-usd X        pauses the run when it has cost so much; the session can be gone on with
  --max-tokens N     … when it has used so many tokens: input, output and cache
  --max-turns N      … after so many responses of the model
  --max-minutes X    … when it was at work so long
`;

export const limitOptions = {
  'max-usd': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-minutes': { type: 'string' },
} as const;

/** @throws UsageError */
export function limitsOf(values: Readonly<Partial<Record<keyof typeof limitOptions, string>>>): Limits {
  const { 'max-usd': usd, 'max-tokens': tokens, 'max-turns': turns, 'max-minutes': minutes } = values;
  return {
    ...(usd !== undefined && { usd: amount('--max-usd', usd) }),
    ...(tokens !== undefined && { tokens: count('--max-tokens', tokens) }),
    ...(turns !== undefined && { turns: count('--max-turns', turns) }),
    ...(minutes !== undefined && { minutes: amount('--max-minutes', minutes) }),
  };
}

function amount(name: string, given: string): number {
  const value = numberOption(name, given);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new UsageError(`"${given}" is no number above 0 (${name}).`, 'Give one, such as 0.5.');
}

function count(name: string, given: string): number {
  if (!/^[1-9]\d{0,11}$/.test(given))
    throw new UsageError(`"${given}" is no whole number above 0 (${name}).`, 'Give one, such as 3.');
  return Number(given);
}
