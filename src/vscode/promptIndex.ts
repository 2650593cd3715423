import type { NormalizedEntry, Origin } from '../model/entry.ts';

/** Prompts that are listed; older ones are let go, and counted. */
const mostPrompts = 2000;
const longest = 300;

export interface Prompt {
  readonly index: number;
  /** ISO 8601. */
  readonly at: string;
  readonly origin: Origin;
  /** Its beginning. */
  readonly text: string;
}

/** What was said to the agent in a session; what was said to its subagents is not in it. Takes every entry once, in order. */
export class PromptIndex {
  readonly #prompts: Prompt[] = [];
  omitted = 0;

  add({ index, type, timestamp, content, origin, metadata }: NormalizedEntry): void {
    if (type.kind !== 'user_message' || metadata?.parentCallId !== undefined) return;
    if ((this.#prompts.at(-1)?.index ?? -1) >= index) return;
    const by = origin ?? (metadata?.synthetic === true ? 'follow_up' : 'human');
    this.#prompts.push({ index, at: timestamp, origin: by, text: content.slice(0, longest) });
    if (this.#prompts.length <= mostPrompts) return;
    this.#prompts.shift();
    this.omitted += 1;
  }

  all(): readonly Prompt[] {
    return this.#prompts;
  }
}
