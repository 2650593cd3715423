import { executorTypes } from '../../model/session/executorTypes.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import { UsageError, type CliContext } from '../command.ts';
import type { Limits } from '../../model/usage/budget.ts';
import { numberOption } from './args.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pricesProblem } from '../../insight/prices/prices.ts';

/** @throws UsageError */
export function executorOption(name: string, value: string | undefined): ExecutorType {
  const known = `Available: ${executorTypes.join(', ')}.`;
  if (value === undefined) throw new UsageError(`${name} is missing.`, known);
  const type = executorTypeSchema.safeParse(value);
  if (!type.success) throw new UsageError(`Unknown executor: "${value}" (${name}).`, known);
  return type.data;
}

const limitHelp = `  --max-usd X        pauses the run at this cost in US dollars; you can resume the session
  --max-tokens N     … at this number of input, output and cache tokens
  --max-turns N      … after this number of model responses
  --max-minutes X    … after this many active minutes
`;

const limitOptions = {
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

function amount(name: string, text: string): number {
  const value = numberOption(name, text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new UsageError(`"${text}" is not a number above 0 (${name}).`, 'Use a number such as 0.5.');
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d{0,11}$/.test(text))
    throw new UsageError(`"${text}" is not a whole number above 0 (${name}).`, 'Use a number such as 3.');
  return Number(text);
}

export const pricesHelp = `  --prices FILE      your own price table, which overrides the built-in one (JSON; see docs/prices.md)
`;

/** Options of commands that run one agent. */
export const runOptions = {
  model: { type: 'string' },
  'permission-mode': { type: 'string' },
  ...limitOptions,
  prices: { type: 'string' },
  detach: { type: 'boolean' },
  json: { type: 'boolean' },
  program: { type: 'string' },
  store: { type: 'string' },
} as const;

export const runHelp = `  --model NAME       model, as the agent names it
  --permission-mode MODE
                     permission mode, as the agent names it
${limitHelp}${pricesHelp}  --detach           runs in the background, independent of this terminal. Answer requests with "vitrine attach"; stop it
                     with "vitrine stop". Prints the session ID, with --json as {session_id, run_id}
  --program PATH     path to the agent's program; default: Vitrine searches for it
`;

/** Content of the file in `--prices`; `undefined` if not given. @throws UsageError */
export async function pricesOption(file: string | undefined, { cwd }: CliContext): Promise<unknown> {
  if (file === undefined) return undefined;
  const next = 'Use a file as described in docs/prices.md.';
  const found: unknown = await readFile(path.resolve(cwd, file), 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UsageError(`${file} cannot be read (--prices): ${why}`, next);
    });
  const problem = pricesProblem(found);
  if (problem !== null) throw new UsageError(`${file} is not a valid price table (--prices): ${problem}`, next);
  return found;
}
