import { SessionFiles } from '../../insight/files/files.ts';
import { Findings } from '../../insight/trajectory/findings.ts';
import { type TimedTurn, RequestWaits } from '../../insight/trajectory/runTimes.ts';
import { Trajectory, findTurn } from '../../insight/trajectory/steps.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FileNow } from './fileNow.ts';
import {
  type UnreportedChange,
  unreportedChangesSchema,
  unreportedSubtype,
} from '../../model/transcript/unreported.ts';

/** Entries per read. */
const chunk = 500;
/** Maximum number of entries to index; longer sessions show a notice. */
const maxEntries = 250_000;
const maxUnreported = 10_000;

/** The part of a session's handle that its views need. */
export interface ViewSource {
  entryCount(): number;
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
  turns(): readonly (TimedTurn & { readonly firstIndex: number })[];
  isLive(): boolean;
  summary(): { readonly project_dir?: string | undefined };
  /** Current state of a file in the session's folder; `undefined` if unknown. */
  fileNow?(path: string): Promise<FileNow | undefined>;
}

/** A file that changed without a tool call, and the note that reports it. */
export interface UnreportedEntry extends UnreportedChange {
  readonly entryIndex: number;
}

/**
 * Steps, files and findings of one session, created on first use: reads the record in chunks, then takes entries as
 * they arrive.
 */
export class ViewIndex {
  readonly trajectory = new Trajectory();
  readonly waits = new RequestWaits();
  readonly findings = new Findings();
  readonly files: SessionFiles;
  /** By path; the newest note counts. */
  readonly unreported = new Map<string, UnreportedEntry>();
  /** Number of changed files that their note did not list. */
  unlistedFiles = 0;
  /** Increases with every change. */
  revision = 0;
  readonly #source: ViewSource;
  readonly #onChange: () => void;
  readonly #notedIndexes = new Set<number>();
  #indexedCount = 0;
  #isRequested = false;
  #isStopped = false;
  #activeRead: Promise<void> | undefined;

  constructor(source: ViewSource, changed: () => void) {
    this.#source = source;
    this.#onChange = changed;
    this.files = new SessionFiles(source.summary().project_dir ?? '');
  }

  /** Number of entries beyond the maximum. */
  get omitted(): number {
    return Math.max(0, this.#source.entryCount() - maxEntries);
  }

  turns(): readonly TimedTurn[] {
    return this.#source.turns();
  }

  /** Resolves when all current entries have been indexed. */
  async ready(): Promise<void> {
    this.#isRequested = true;
    this.#activeRead ??= this.#read().finally(() => (this.#activeRead = undefined));
    await this.#activeRead;
  }

  update(updates: readonly EntryUpdate[]): void {
    if (!this.#isRequested) return;
    let any = false;
    for (const update of updates) {
      // Growing text is indexed when its entry settles; entries ahead of the read position will be read.
      if (update.op !== 'put' || update.entry.index > this.#indexedCount || update.entry.index >= maxEntries) continue;
      if (update.entry.index === this.#indexedCount) {
        // The read in progress includes this entry.
        if (this.#activeRead !== undefined) continue;
        this.#indexedCount += 1;
      }
      this.#addEntry(update.entry, update.open !== true);
      any = true;
    }
    if (any) this.#onChange();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #read(): Promise<void> {
    const end = (): number => Math.min(maxEntries, this.#source.entryCount());
    while (this.#indexedCount < end() && !this.#isStopped) {
      const from = this.#indexedCount;
      const to = Math.min(from + chunk, end());
      const entries = await this.#source.read(from, to);
      for (const entry of entries) this.#addEntry(entry, true);
      this.#indexedCount = Math.max(to, this.#indexedCount);
    }
  }

  #addEntry(entry: NormalizedEntry, settled: boolean): void {
    this.revision += 1;
    const turns = this.#source.turns();
    const turn = findTurn(this.#firstIndexes(turns), entry.index);
    this.trajectory.add(entry, turn);
    this.waits.add(entry, turn);
    this.files.add(entry);
    if (!settled) return;
    this.findings.add(entry);
    this.#addUnreported(entry);
  }

  #cachedStarts: { readonly of: unknown; readonly indexes: readonly number[] } = { of: undefined, indexes: [] };

  #firstIndexes(turns: readonly { readonly firstIndex: number }[]): readonly number[] {
    const last = turns.at(-1);
    if (this.#cachedStarts.of !== last || this.#cachedStarts.indexes.length !== turns.length)
      this.#cachedStarts = { of: last, indexes: turns.map(({ firstIndex }) => firstIndex) };
    return this.#cachedStarts.indexes;
  }

  #addUnreported({ index, type, metadata }: NormalizedEntry): void {
    if (type.kind !== 'system_message' || type.subtype !== unreportedSubtype || this.#notedIndexes.has(index)) return;
    const found = unreportedChangesSchema.safeParse(metadata?.['unreported']).data;
    if (found === undefined) return;
    this.#notedIndexes.add(index);
    for (const change of found.changes) {
      if (this.unreported.size >= maxUnreported && !this.unreported.has(change.path)) this.unlistedFiles += 1;
      else this.unreported.set(change.path, { ...change, entryIndex: index });
    }
    this.unlistedFiles += Math.max(0, found.total - found.changes.length);
  }
}
