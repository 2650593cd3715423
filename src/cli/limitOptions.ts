import type { Limits } from '../model/budget.ts';
import { numberOption } from './args.ts';
import { UsageError } from './command.ts';

export const limitHelp = `  --max-usd X        pauses the run at this cost in US dollars; you can resume the session
  --max-tokens N     … at this number of input, output and cache tokens
  --max-turns N      … after this number of model responses
  --max-minutes X    … after this many active minutes
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
  throw new UsageError(`"${given}" is not a number above 0 (${name}).`, 'Use a number such as 0.5.');
}

function count(name: string, given: string): number {
  if (!/^[1-9]\d{0,11}$/.test(given))
    throw new UsageError(`"${given}" is not a whole number above 0 (${name}).`, 'Use a number such as 3.');
  return Number(given);
}
