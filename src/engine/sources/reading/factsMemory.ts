import type { StoreFacts } from '../../../model/observed.ts';
import type { SessionFiles } from '../groups.ts';
import { SessionReader, type Notes } from './sessionReader.ts';

/** What is known of one session without its entries. */
export interface KnownFacts {
  readonly facts: StoreFacts;
  /** Why it cannot be read, or not all of it. */
  readonly problem: string | null;
}

interface Remembered extends KnownFacts {
  readonly key: string;
  readonly notes: Notes;
}

/** Readers that are kept to read on; the least recently used goes first. */
const maxReaders = 32;
/** A session that changed within this time may grow, in ms. */
const freshMs = 10 * 60_000;

/** Remembers the facts of sessions, and how far those were read that are growing. */
export class FactsMemory {
  readonly #clock: () => number;
  readonly #known = new Map<string, Remembered>();
  readonly #readers = new Map<string, SessionReader>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async of(id: string, files: SessionFiles, notes: Notes): Promise<KnownFacts> {
    const key = files.files.map(({ path, size, mtimeMs }) => `${path}\n${size}\n${mtimeMs}`).join('\n');
    const known = this.#known.get(id);
    if (known?.key === key && known.notes === notes) return known;
    const reader = this.#readers.get(id) ?? new SessionReader({ entries: false, clock: this.#clock });
    await reader.advance(files, notes);
    this.#keep(id, reader, files);
    const facts = reader.facts();
    const { total, malformed } = facts.records;
    const damage = malformed > 0 ? `Damaged: ${malformed} of ${total} records cannot be read.` : null;
    const read = { key, notes, facts, problem: reader.problem ?? damage };
    this.#known.set(id, read);
    return read;
  }

  /** Forgets all others. */
  keepOnly(ids: { has(id: string): boolean }): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    for (const id of this.#readers.keys()) if (!ids.has(id)) this.#readers.delete(id);
  }

  #keep(id: string, reader: SessionReader, { files }: SessionFiles): void {
    this.#readers.delete(id);
    if (!files.some(({ mtimeMs }) => this.#clock() - mtimeMs < freshMs)) return;
    this.#readers.set(id, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
  }
}
