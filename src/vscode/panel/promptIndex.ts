import type { NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';

/** Maximum number of prompts; older ones are counted only. */
const maxPrompts = 2000;
const longest = 300;

export interface Prompt {
  readonly index: number;
  /** ISO 8601. */
  readonly at: string;
  readonly origin: Origin;
  /** Automatic message. */
  readonly synthetic: boolean;
  readonly metadata: NormalizedEntry['metadata'];
  /** Beginning of the prompt. */
  readonly text: string;
}

/** Prompts of a session, without those of subagents. Call `add` for every entry once, in order. */
export class PromptIndex {
  readonly #prompts: Prompt[] = [];
  omitted = 0;

  add(entry: NormalizedEntry): void {
    const { index, type, timestamp, content, metadata } = entry;
    if (type.kind !== 'user_message' || metadata?.parentCallId !== undefined) return;
    if ((this.#prompts.at(-1)?.index ?? -1) >= index) return;
    const by = { origin: originOf(entry), synthetic: isSynthetic(entry) };
    this.#prompts.push({ index, at: timestamp, ...by, metadata, text: content.slice(0, longest) });
    if (this.#prompts.length <= maxPrompts) return;
    this.#prompts.shift();
    this.omitted += 1;
  }

  all(): readonly Prompt[] {
    return this.#prompts;
  }
}
