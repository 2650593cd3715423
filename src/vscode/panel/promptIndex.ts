import type { NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';

/** Prompts that are listed; older ones are let go, and counted. */
const mostPrompts = 2000;
const longest = 300;

export interface Prompt {
  readonly index: number;
  /** ISO 8601. */
  readonly at: string;
  readonly origin: Origin;
  /** No person wrote it. */
  readonly synthetic: boolean;
  readonly metadata: NormalizedEntry['metadata'];
  /** Its beginning. */
  readonly text: string;
}

/** What was said to the agent in a session; what was said to its subagents is not in it. Takes every entry once, in order. */
export class PromptIndex {
  readonly #prompts: Prompt[] = [];
  omitted = 0;

  add(entry: NormalizedEntry): void {
    const { index, type, timestamp, content, metadata } = entry;
    if (type.kind !== 'user_message' || metadata?.parentCallId !== undefined) return;
    if ((this.#prompts.at(-1)?.index ?? -1) >= index) return;
    const by = { origin: originOf(entry), synthetic: isSynthetic(entry) };
    this.#prompts.push({ index, at: timestamp, ...by, metadata, text: content.slice(0, longest) });
    if (this.#prompts.length <= mostPrompts) return;
    this.#prompts.shift();
    this.omitted += 1;
  }

  all(): readonly Prompt[] {
    return this.#prompts;
  }
}
