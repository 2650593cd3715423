import { isObject, type JsonObject } from '../../src/model/text/json.ts';
import type { TokenUsage } from '../../src/model/usage/usage.ts';
import { parseAmount, count, nonEmpty } from '../../src/agents/shared/guards.ts';

/** The output format of `parrot --json`. No other file knows it. */

export interface Bye {
  readonly ok: boolean;
  readonly error: string | undefined;
  readonly usd: number | null;
  readonly durationMs: number | null;
  readonly usage: TokenUsage | null;
}

export function byeLine(message: JsonObject): Bye {
  const seconds = parseAmount(message['seconds']);
  return {
    ok: message['ok'] === true,
    error: nonEmpty(message['error']),
    usd: parseAmount(message['usd']) ?? null,
    durationMs: seconds === undefined ? null : seconds * 1000,
    usage: usageOf(message['tokens']),
  };
}

function usageOf(tokens: unknown): TokenUsage | null {
  if (!isObject(tokens)) return null;
  const [input, output] = [count(tokens['in']), count(tokens['out'])];
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}
