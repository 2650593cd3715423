import { createHash } from 'node:crypto';
import { keysOf } from '../../../insight/observed/sharedKeys.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import type { PlacedFile, SessionFiles } from '../groups.ts';
import { packFacts, unpackFacts, type BriefSession, type CachedFacts, type FactsCache } from './factsCache.ts';
import { SessionReader, type Notes } from './sessionReader.ts';

/** Packed facts that are not in the cache, or not yet. */
interface UnsavedFacts extends CachedFacts {
  readonly isAtRest: boolean;
}

/** Maximum number of open readers; the least recently used is dropped. */
const maxReaders = 32;
/** A session that changed within this time may grow, in ms. */
const freshMs = 10 * 60_000;
/** Facts of files that changed within this time are not cached on disk: their last line may be incomplete. */
const restMs = 60_000;
/** Number of sessions whose facts are stored together. */
const factsPerSave = 100;

/** Facts of sessions: the most needed in memory, all in the cache; and read positions of growing sessions. */
export class FactsMemory {
  readonly #clock: () => number;
  readonly #cache: FactsCache | undefined;
  readonly #unsaved = new Map<string, UnsavedFacts>();
  readonly #known = new Map<string, BriefSession>();
  readonly #readers = new Map<string, SessionReader>();
  #unsavedCount = 0;

  constructor(clock: () => number, cache?: FactsCache) {
    this.#clock = clock;
    this.#cache = cache;
  }

  /** Returns the same object as long as nothing changed. */
  async briefOf(id: string, files: SessionFiles, notes: Notes): Promise<BriefSession> {
    const stamp = stampOf(files, notes);
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known;
    const saved = known === undefined ? await this.#cache?.brief(id, stamp) : undefined;
    const session = saved ?? (await this.#read(id, stamp, files, notes)).session;
    this.#known.set(id, session);
    if (this.#unsavedCount >= factsPerSave) await this.save();
    return session;
  }

  /** All facts of a session, as `of` last found it. */
  async allFacts(id: string, files: SessionFiles, notes: Notes): Promise<StoreFacts> {
    const stamp = this.#known.get(id)?.stamp ?? stampOf(files, notes);
    const packed = this.#unsaved.get(id)?.packed ?? (await this.#cache?.packed(id, stamp));
    const facts = packed === undefined ? undefined : unpackFacts(packed);
    // The cache may have been deleted.
    return facts ?? (await this.#read(id, stamp, files, notes)).facts;
  }

  /** Stores new facts for other processes. */
  async save(): Promise<void> {
    this.#unsavedCount = 0;
    if (this.#cache === undefined) return;
    const changed = new Map([...this.#unsaved].filter(([, { isAtRest }]) => isAtRest));
    if (changed.size === 0 || !(await this.#cache.save(changed))) return;
    for (const [id, saved] of changed) if (this.#unsaved.get(id) === saved) this.#unsaved.delete(id);
  }

  /** Forgets all other sessions. */
  async keepOnly(ids: { has(id: string): boolean }): Promise<void> {
    for (const map of [this.#known, this.#unsaved, this.#readers]) {
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    }
    await this.save();
    await this.#cache?.keepOnly((id) => ids.has(id));
  }

  async #read(
    id: string,
    stamp: string,
    files: SessionFiles,
    notes: Notes,
  ): Promise<{ readonly session: BriefSession; readonly facts: StoreFacts }> {
    const reader = this.#readers.get(id) ?? new SessionReader({ entries: false, clock: this.#clock });
    await reader.advance(files, notes);
    this.#keepReader(id, reader, files);
    const facts = reader.facts();
    const { total, malformed } = facts.records;
    const damage =
      malformed > 0
        ? `Damaged: ${malformed} of ${total} records cannot be read.`
        : files.format.leavesEmptyFiles !== true && files.files.some(isEmptyFile)
          ? 'A file of the session is empty.'
          : null;
    const problem = reader.problem ?? damage;
    const isAtRest = files.files.every(({ mtimeMs }) => this.#clock() - mtimeMs > restMs);
    const { nativeIds, agentVersion, entryPoint, last, lastActivityAt } = facts;
    const brief = { nativeIds, agentVersion, entryPoint, last, lastActivityAt };
    const session = { stamp, brief, keys: keysOf(files.format.agent, facts), problem };
    this.#unsaved.set(id, { ...session, packed: packFacts(facts), isAtRest });
    if (isAtRest) this.#unsavedCount += 1;
    return { session, facts };
  }

  #keepReader(id: string, reader: SessionReader, { files }: SessionFiles): void {
    this.#readers.delete(id);
    if (!files.some(({ mtimeMs }) => this.#clock() - mtimeMs < freshMs)) return;
    this.#readers.set(id, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
  }
}

const noteHashes = new WeakMap<Notes, string>();

/** State of a session's files. */
function stampOf({ files }: SessionFiles, notes: Notes): string {
  const known = noteHashes.get(notes) ?? hashOf(JSON.stringify([...notes]));
  noteHashes.set(notes, known);
  const state = files.map(({ path, size, mtimeMs }) => `${path}\n${size}\n${mtimeMs}`).join('\n');
  return hashOf(`${state}\n${known}`);
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

function isEmptyFile({ part, size, database }: PlacedFile): boolean {
  return part.role !== 'sidecar' && size === 0 && database === undefined;
}
