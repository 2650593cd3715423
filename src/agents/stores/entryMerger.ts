import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';

/** Merges the entries of several conversations, each counting from 0, into one transcript. */
export class EntryMerger {
  readonly #indexes = new Map<string, number[]>();
  #nextIndex = 0;

  /** Adds the updates of one conversation; `mark` adds metadata that identifies its entries. */
  add(
    conversation: string,
    updates: readonly EntryUpdate[],
    mark: (entry: NormalizedEntry) => NormalizedEntry = (entry) => entry,
  ): EntryUpdate[] {
    return updates.map((update) =>
      update.op === 'append'
        ? { ...update, index: this.#indexOf(conversation, update.index) }
        : { ...update, entry: { ...mark(update.entry), index: this.#indexOf(conversation, update.entry.index) } },
    );
  }

  #indexOf(conversation: string, index: number): number {
    const known = this.#indexes.get(conversation) ?? [];
    this.#indexes.set(conversation, known);
    const found = known[index];
    if (found !== undefined) return found;
    const next = this.#nextIndex;
    this.#nextIndex += 1;
    known[index] = next;
    return next;
  }
}

/** An entry of the subagent that this call started. */
export function asSubagentEntry(entry: NormalizedEntry, parentCallId: string): NormalizedEntry {
  const { type } = entry;
  const metadata = { sessionId: null, ...entry.metadata, parentCallId };
  const isPrompt = type.kind === 'user_message';
  return {
    ...entry,
    ...(type.kind === 'tool_use' && { type: { ...type, tool: { ...type.tool, parentCallId } } }),
    ...(isPrompt && { origin: 'subagent' as const }),
    metadata,
  };
}
