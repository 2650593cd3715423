import type { MessageUsage } from '../../model/usage/facts.ts';
import type { Speaker } from './texts/speaker.ts';
import { requestUsage, type CopilotEvent } from './wire.ts';

/** Requests with separate tokens. */
const maxRequests = 100_000;

/** Tokens of each model request (`assistant.usage`), used if there is no total in a line or file. */
export class RequestTokens {
  readonly #usages: MessageUsage[] = [];
  readonly #ids = new Set<string>();

  get all(): readonly MessageUsage[] {
    return this.#usages;
  }

  addEvent({ id, data }: CopilotEvent, { parentCallId }: Speaker): void {
    const messageId = id ?? `request-${this.#usages.length + 1}`;
    const usage = requestUsage(data);
    if (usage === undefined || this.#ids.has(messageId) || this.#usages.length >= maxRequests) return;
    const { model, ...tokens } = usage;
    this.#ids.add(messageId);
    this.#usages.push({
      messageId,
      model: model === '' ? null : model,
      usage: tokens,
      parentCallId: parentCallId ?? null,
      settled: true,
    });
  }
}
