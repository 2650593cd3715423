import { requestText } from '../../agents/shared/requestText.ts';
import { type AgentRequest, type Decision, requestMetadataSchema } from '../../model/agent/request.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';

/** The recorded part of a running session. */
export interface RecordedPart {
  /** The other daemon has reported all entries below this index as settled. */
  readonly firstUnreported: number;
  /** From `firstUnreported`, or the first entry that was missing before, on. */
  readonly entries: readonly NormalizedEntry[];
}

/**
 * Entries of a run in another daemon that its record does not have yet. Records have settled entries only, so a waiting request gets
 * the first index that is missing, until another entry settles there. When the run ends, the record has every index.
 */
export class UnrecordedEntries {
  readonly #entries = new Map<number, NormalizedEntry>();
  /** Index of each waiting request. */
  readonly #indexByRequest = new Map<string, number>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The first index after them. */
  get total(): number {
    return Math.max(-1, ...this.#entries.keys()) + 1;
  }

  /** The lowest index; `undefined` if there are none. */
  get first(): number | undefined {
    return this.#entries.size === 0 ? undefined : Math.min(...this.#entries.keys());
  }

  /** Indexes of the waiting requests. */
  waitingIndexes(): number[] {
    return [...this.#indexByRequest.values()].sort((a, b) => a - b);
  }

  unsettled(): NormalizedEntry[] {
    return this.waitingIndexes().flatMap((index) => this.#entries.get(index) ?? []);
  }

  /** Entries with `from <= index < to`. */
  entriesBetween(from: number, to: number): NormalizedEntry[] {
    return [...this.#entries.values()].filter(({ index }) => index >= from && index < to);
  }

  /** Adds entries that the other daemon reports as settled. */
  settle(entries: readonly NormalizedEntry[]): EntryUpdate[] {
    for (const entry of entries) this.#put(entry);
    return entries.map((entry) => ({ op: 'put', entry }));
  }

  /**
   * Drops what the record has by now, and shows exactly these requests as waiting. `decisionOf`: how others were decided, until
   * the record has another entry in their place; `undefined`: the record will say it.
   */
  arrange(
    requests: readonly AgentRequest[],
    { entries, firstUnreported }: RecordedPart,
    decisionOf: (requestId: string) => Decision | undefined = () => undefined,
  ): EntryUpdate[] {
    for (const { index } of entries) this.#drop(index);
    const updates: EntryUpdate[] = [];
    const ids = new Set(requests.map(({ id }) => id));
    for (const [id, index] of this.#indexByRequest) {
      const entry = this.#entries.get(index);
      if (ids.has(id) || entry === undefined) continue;
      const asked = requestMetadataSchema.safeParse(entry.metadata).data?.request;
      const decision = decisionOf(id);
      const isShown = asked !== undefined && decision !== undefined;
      updates.push(...this.settle([isShown ? this.#entryOf(asked, index, decision) : { ...entry, metadata: {} }]));
    }
    const used = new Set([...entries.map(({ index }) => index), ...this.#entries.keys()]);
    const shown = new Set([...entries, ...this.#entries.values()].flatMap((entry) => requestOf(entry) ?? []));
    let index = firstUnreported;
    for (const request of requests) {
      if (shown.has(request.id)) continue;
      while (used.has(index)) index += 1;
      used.add(index);
      const entry = this.#entryOf(request, index);
      this.#entries.set(index, entry);
      this.#indexByRequest.set(request.id, index);
      updates.push({ op: 'put', entry, open: true });
    }
    return updates;
  }

  #put(entry: NormalizedEntry): void {
    this.#drop(entry.index);
    this.#entries.set(entry.index, entry);
  }

  #drop(index: number): void {
    this.#entries.delete(index);
    for (const [id, place] of this.#indexByRequest) if (place === index) this.#indexByRequest.delete(id);
  }

  /** As the other daemon's own entry for the request. */
  #entryOf(request: AgentRequest, index: number, decision?: Decision): NormalizedEntry {
    return {
      index,
      timestamp: request.asked_at,
      type: { kind: 'system_message', subtype: 'request' },
      // Withdrawn from here may mean that someone else answered.
      content: requestText(request, decision?.by === 'withdrawn' ? undefined : decision, this.#folder),
      metadata: { request, ...(decision !== undefined && { decision }) },
    };
  }
}

function requestOf({ metadata }: NormalizedEntry): string | undefined {
  return requestMetadataSchema.safeParse(metadata).data?.request.id;
}
