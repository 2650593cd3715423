import { createHash } from 'node:crypto';
import type { PlacedFile, SessionFiles } from '../groups.ts';
import type { CachedFacts, FactsCache, KnownFacts } from './factsCache.ts';
import { SessionReader, type Notes } from './sessionReader.ts';

interface Remembered extends KnownFacts {
  readonly key: string;
  readonly notes: Notes;
}

/** Maximum number of open readers; the least recently used is dropped. */
const maxReaders = 32;
/** A session that changed within this time may grow, in ms. */
const freshMs = 10 * 60_000;
/** Facts of files that changed within this time are not cached on disk: their last line may be incomplete. */
const restMs = 60_000;

/** Caches facts of sessions, and read positions of growing ones. */
export class FactsMemory {
  readonly #clock: () => number;
  readonly #cache: FactsCache | undefined;
  readonly #changed = new Map<string, CachedFacts>();
  readonly #known = new Map<string, Remembered>();
  readonly #readers = new Map<string, SessionReader>();

  constructor(clock: () => number, cache?: FactsCache) {
    this.#clock = clock;
    this.#cache = cache;
  }

  async of(id: string, files: SessionFiles, notes: Notes): Promise<KnownFacts> {
    const key = files.files.map(({ path, size, mtimeMs }) => `${path}\n${size}\n${mtimeMs}`).join('\n');
    const known = this.#known.get(id);
    if (known?.key === key && known.notes === notes) return known;
    const stamp = stampOf(key, notes);
    const saved = known === undefined ? await this.#cache?.get(id, stamp) : undefined;
    if (saved !== undefined) {
      this.#known.set(id, { key, notes, ...saved });
      return saved;
    }
    const reader = this.#readers.get(id) ?? new SessionReader({ entries: false, clock: this.#clock });
    await reader.advance(files, notes);
    this.#keep(id, reader, files);
    const facts = reader.facts();
    const { total, malformed } = facts.records;
    const damage =
      malformed > 0
        ? `Damaged: ${malformed} of ${total} records cannot be read.`
        : files.format.leavesEmptyFiles !== true && files.files.some(isEmptyFile)
          ? 'A file of the session is empty.'
          : null;
    const read = { key, notes, facts, problem: reader.problem ?? damage };
    this.#known.set(id, read);
    if (files.files.every(({ mtimeMs }) => this.#clock() - mtimeMs > restMs)) {
      this.#changed.set(id, { stamp, facts, problem: read.problem });
    }
    return read;
  }

  /** Stores new facts of these sessions for other processes. */
  async save(ids: { has(id: string): boolean }): Promise<void> {
    const changed = new Map(this.#changed);
    this.#changed.clear();
    await this.#cache?.save(changed, (id) => ids.has(id));
  }

  /** Forgets all other sessions. */
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

const noteHashes = new WeakMap<Notes, string>();

function stampOf(files: string, notes: Notes): string {
  const known = noteHashes.get(notes) ?? hashOf(JSON.stringify([...notes]));
  noteHashes.set(notes, known);
  return hashOf(`${files}\n${known}`);
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

function isEmptyFile({ part, size, database }: PlacedFile): boolean {
  return part.role !== 'sidecar' && size === 0 && database === undefined;
}
