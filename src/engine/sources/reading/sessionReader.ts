import type { SessionNote, StoreParser } from '../../../agents/stores/storeFormat.ts';
import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import { isMissing, reasonOf } from '../files.ts';
import type { PlacedFile, SessionFiles } from '../groups.ts';
import { isDocument, lineRecord, mergedRecords, recordsOf, recordsOfFile } from '../records.ts';
import { LineCursor } from './lineCursor.ts';

/** Result of a read. `restarted`: the files were replaced, so everything was read again. */
export interface Advance {
  readonly updates: readonly EntryUpdate[];
  readonly restarted: boolean;
}

export type Notes = ReadonlyMap<string, SessionNote>;

/** An incomplete last line counts as damaged if its file has not changed for this long, in ms. */
const restMs = 10_000;

interface ReadFile {
  /** Absent for documents and databases. */
  readonly cursor?: LineCursor;
  readonly key: string;
}

/** Reads one session, and later only what was added to its files. */
export class SessionReader {
  readonly #needsEntries: boolean;
  readonly #clock: () => number;
  readonly #files = new Map<string, ReadFile>();
  #parser: StoreParser | undefined;
  #notes: Notes | undefined;
  #hasEnded = false;
  #problem: string | null = null;

  /** `entries`: also read entries, not only facts. */
  constructor(options: { readonly entries: boolean; readonly clock: () => number }) {
    this.#needsEntries = options.entries;
    this.#clock = options.clock;
  }

  /** Why the session could not be read completely. */
  get problem(): string | null {
    return this.#problem;
  }

  /** @throws Error if nothing was read yet */
  facts(): StoreFacts {
    if (this.#parser === undefined) throw new Error('Nothing has been read.');
    return this.#parser.facts();
  }

  async advance(files: SessionFiles, notes: Notes): Promise<Advance> {
    try {
      const parser = this.#parser;
      if (parser !== undefined && (await this.#canContinue(files, notes))) {
        return { updates: await this.#readNewRecords(parser, files), restarted: false };
      }
    } catch (error) {
      // The file was deleted; what was read stays.
      if (this.#parser !== undefined && isMissing(error)) return { updates: [], restarted: false };
    }
    return { updates: await this.#readAll(files, notes), restarted: true };
  }

  /** Ends the current read. Unless the agent is live, calls without a result count as cancelled. */
  end(isLive: boolean): readonly EntryUpdate[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = !isLive;
    return this.#parser?.end(isLive) ?? [];
  }

  async #canContinue({ format, files }: SessionFiles, notes: Notes): Promise<boolean> {
    if (this.#problem !== null || notes !== this.#notes) return false;
    const isChanged = files.some((file) => this.#files.get(file.path)?.key !== keyOf(file));
    if (!isChanged) return true;
    if (this.#hasEnded) return false;
    for (const file of files) {
      const known = this.#files.get(file.path);
      if (known?.key === keyOf(file)) continue;
      const isLines = !isDocument(format, file.path) && file.database === undefined;
      if (!isLines || file.part.role === 'sidecar') return false;
      if (known?.cursor !== undefined && !(await known.cursor.canContinue(file.path))) return false;
    }
    return true;
  }

  async #readNewRecords(parser: StoreParser, { format, files }: SessionFiles): Promise<EntryUpdate[]> {
    const updates: EntryUpdate[] = [];
    for (const file of files) {
      const known = this.#files.get(file.path);
      const key = keyOf(file);
      if (known?.key === key) continue;
      const cursor = known?.cursor ?? new LineCursor();
      this.#files.set(file.path, { cursor, key });
      for await (const records of recordsOfFile(format, file, (path) => cursor.read(path))) {
        for (const record of records) updates.push(...parser.push(record));
      }
      if (this.#isAtRest(file)) updates.push(...pushTail(parser, file, cursor));
    }
    return updates;
  }

  async #readAll(files: SessionFiles, notes: Notes): Promise<EntryUpdate[]> {
    const parser = files.format.createParser({ needsEntries: this.#needsEntries, session: files.session, notes });
    this.#parser = parser;
    this.#notes = notes;
    this.#hasEnded = false;
    this.#problem = null;
    this.#files.clear();
    const cursors = new Map<string, LineCursor>();
    for (const file of files.files) {
      const isLines = !isDocument(files.format, file.path) && file.database === undefined;
      const cursor = isLines ? new LineCursor() : undefined;
      if (cursor !== undefined) cursors.set(file.path, cursor);
      this.#files.set(file.path, { key: keyOf(file), ...(cursor !== undefined && { cursor }) });
    }
    const updates: EntryUpdate[] = [];
    const read = (path: string) => (cursors.get(path) ?? new LineCursor()).read(path);
    try {
      const all = this.#needsEntries ? mergedRecords(files, read) : recordsOf(files, read);
      for await (const records of all) for (const record of records) updates.push(...parser.push(record));
      for (const file of files.files) {
        const cursor = cursors.get(file.path);
        if (cursor !== undefined && this.#isAtRest(file)) updates.push(...pushTail(parser, file, cursor));
      }
    } catch (error) {
      this.#problem = reasonOf(error);
    }
    return updates;
  }

  #isAtRest({ mtimeMs }: PlacedFile): boolean {
    return this.#clock() - mtimeMs > restMs;
  }
}

function pushTail(parser: StoreParser, file: PlacedFile, cursor: LineCursor): EntryUpdate[] {
  return cursor.tail().flatMap((line) => {
    const record = lineRecord(line, file);
    return parser.push(record.kind === 'line' ? { ...record, isUnended: true } : record);
  });
}

function keyOf({ size, mtimeMs }: PlacedFile): string {
  return `${size} ${mtimeMs}`;
}
