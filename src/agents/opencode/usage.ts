import type { JsonObject } from '../../model/text/json.ts';
import { totalTokens, type TokenUsage } from '../../model/usage/usage.ts';
import { parseAmount, count, field, nonEmpty } from '../shared/guards.ts';
import { timeOf, type StoreSession } from '../stores/storeSession.ts';
import type { OpenCodeMessage } from './message.ts';

interface Step {
  readonly usage: TokenUsage;
  readonly usd: number | undefined;
}

/**
 * Requests of a session. A message has the tokens of its last request and the cost of all; older versions made several for
 * one message, each with a `step-finish` part. A fork copies messages under new ids, so a request is identified by its time
 * and tokens.
 */
export class OpenCodeUsage {
  readonly #session: StoreSession;
  readonly #steps = new Map<string, Map<string, Step>>();

  constructor(session: StoreSession) {
    this.#session = session;
  }

  step({ id }: OpenCodeMessage, part: JsonObject): void {
    const step = stepOf(part);
    if (step === undefined) return;
    const steps = this.#steps.get(id) ?? new Map<string, Step>();
    steps.set(nonEmpty(part['id']) ?? `${steps.size}`, step);
    this.#steps.set(id, steps);
  }

  settle(messages: Iterable<OpenCodeMessage>): void {
    for (const message of messages) {
      const { id, data, created, role } = message;
      if (role !== 'assistant') continue;
      const whole = stepOf(data);
      const steps = [...(this.#steps.get(id)?.values() ?? [])];
      const requests = steps.length === 0 && whole !== undefined ? [whole] : steps;
      const model = nonEmpty(data['modelID']) ?? null;
      const at = timeOf(field(data['time'], 'completed') ?? created) ?? null;
      for (const [index, { usage, usd }] of requests.entries()) {
        const { input, output, cacheRead, cacheWrite } = usage;
        const key = [created ?? id, index, input, output, cacheRead, cacheWrite].join(':');
        this.#session.facts.request({ key, at, model, usage, ...(usd !== undefined && { usd }) });
      }
    }
  }
}

/** `input` excludes the cache, `output` excludes thoughts. A cost of 0 means a model without a price. */
function stepOf(value: JsonObject): Step | undefined {
  const tokens = value['tokens'];
  const input = count(field(tokens, 'input'));
  const output = count(field(tokens, 'output'));
  if (input === undefined && output === undefined) return undefined;
  const reasoning = count(field(tokens, 'reasoning')) ?? 0;
  const cache = field(tokens, 'cache');
  const usage: TokenUsage = {
    input: input ?? 0,
    output: (output ?? 0) + reasoning,
    cacheRead: count(field(cache, 'read')) ?? 0,
    cacheWrite: count(field(cache, 'write')) ?? 0,
    reasoning,
  };
  const cost = parseAmount(value['cost']);
  return totalTokens(usage) === 0 ? undefined : { usage, usd: cost === 0 ? undefined : cost };
}
