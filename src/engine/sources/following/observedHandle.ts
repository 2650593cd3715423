import { modelsOf } from '../../../insight/observed/cost.ts';
import { toSessionSummary } from '../../../insight/observed/asSession.ts';
import type { PriceTable } from '../../../insight/prices/prices.ts';
import { matchesOperators } from '../../../insight/search/facts.ts';
import { isEmptyQuery, parseQuery } from '../../../insight/search/query.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { Transcript } from '../../../model/transcript/transcript.ts';
import type { Turn } from '../../../model/session/turn.ts';
import type {
  Conversation,
  Disposable,
  Log,
  RunMessage,
  SessionHandle,
  SessionLedger,
  SessionSizes,
} from '../../api.ts';
import { Emitter } from '../../emitter.ts';
import { fileAt } from '../files.ts';
import { observedFactsOf, rowOf, type FollowedSession } from '../foundSession.ts';
import type { PlacedFile, SessionFiles } from '../groups.ts';
import { SessionReader } from '../reading/sessionReader.ts';
import { ObservedTurns } from './turns.ts';

export interface ObservedHandleDeps {
  /** Finds the session's current state; `undefined` if it is gone. */
  readonly find: () => Promise<FollowedSession | undefined>;
  readonly prices: PriceTable;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** Starts to report changes. `paths`: recently changed files; `found`: result of the last scan. */
  readonly onChange: (listener: {
    readonly paths: (paths: ReadonlySet<string>) => void;
    readonly found: () => void;
  }) => Disposable;
}

/** The agent deleted entries from its store. Their positions are kept. */
const removedText = 'The agent removed this entry from its store.';

/** Handle of another program's session. It reads the session's store, and continues as the store grows. */
export class ObservedHandle implements SessionHandle {
  readonly id: string;
  readonly done = Promise.resolve(undefined);
  readonly #deps: ObservedHandleDeps;
  readonly #reader: SessionReader;
  readonly #updates: Emitter<[updates: readonly EntryUpdate[], total: number]>;
  readonly #summaries: Emitter<[summary: SessionSummary]>;
  #transcript = new Transcript();
  #turns = new ObservedTurns();
  #total = 0;
  #found: FollowedSession;
  #summary: SessionSummary;
  #advancing: Promise<void> | undefined;
  #hasChangedAgain = false;
  #isGone = false;
  #changes: Disposable | undefined;

  private constructor(found: FollowedSession, deps: ObservedHandleDeps) {
    this.id = found.id;
    this.#found = found;
    this.#deps = deps;
    this.#reader = new SessionReader({ entries: true, clock: deps.clock });
    this.#updates = new Emitter(deps.log);
    this.#summaries = new Emitter(deps.log);
    this.#summary = this.#buildSummary();
  }

  /** Reads the session and returns its handle. */
  static async open(found: FollowedSession, deps: ObservedHandleDeps): Promise<ObservedHandle> {
    const handle = new ObservedHandle(found, deps);
    handle.#changes = deps.onChange({
      paths: (paths) => {
        if (handle.#found.files.files.some((file) => paths.has(file.path))) handle.#advance();
      },
      found: () => void handle.#rescan(),
    });
    handle.#advance();
    await handle.#advancing;
    return handle;
  }

  summary(): SessionSummary {
    return this.#summary;
  }

  turns(): readonly Turn[] {
    const { outcome, status } = this.#summary;
    if (isSessionLive(status)) return this.#turns.all('running');
    return this.#turns.all(outcome === 'none' ? 'completed' : outcome);
  }

  entryCount(): number {
    return this.#total;
  }

  openIndexes(): readonly number[] {
    return this.#transcript.open();
  }

  openEntries(): readonly NormalizedEntry[] {
    return this.#transcript.open().flatMap((index) => this.#transcript.get(index) ?? []);
  }

  read(from: number, to: number): Promise<readonly NormalizedEntry[]> {
    const entries: NormalizedEntry[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.#total); index += 1) {
      const entry = this.#transcript.get(index);
      if (entry !== undefined) entries.push(entry);
    }
    return Promise.resolve(entries);
  }

  async find(text: string, limit: number, from = 0): Promise<Awaited<ReturnType<SessionHandle['find']>>> {
    const { query } = parseQuery(text);
    if (isEmptyQuery(query)) return { indexes: [], truncated: false };
    const entries = await this.read(from, this.#total);
    const indexes = entries.filter((entry) => matchesOperators(entry, query)).map(({ index }) => index);
    return { indexes: indexes.slice(0, limit), truncated: indexes.length > limit };
  }

  isLive(): boolean {
    return isSessionLive(this.#summary.status);
  }

  whenWritten(): Promise<void> {
    return Promise.resolve();
  }

  conversation(): Conversation | null {
    return null;
  }

  sizes(): SessionSizes {
    const { unknown, malformed } = this.#reader.facts().records;
    const rawBytes = this.#found.files.files.reduce((sum, { size }) => sum + size, 0);
    return { rawBytes, unknownLines: unknown, malformedLines: malformed };
  }

  ledger(): Promise<SessionLedger> {
    const models = modelsOf(this.#reader.facts().requests);
    const totalModels = models.length === 0 ? null : models;
    return Promise.resolve({ models: null, totalModels, runTurns: null, duration: null, apiDuration: null });
  }

  async messages(): Promise<readonly RunMessage[]> {
    const entries = new Map<string, number[]>();
    for (const { index, metadata } of await this.read(0, this.#total)) {
      const id = metadata?.['messageId'];
      if (typeof id === 'string') entries.set(id, [...(entries.get(id) ?? []), index]);
    }
    return this.#reader.facts().requests.map(({ key, model, usage, terms }) => ({
      runId: '',
      messageId: key,
      model,
      usage,
      parentCallId: null,
      settled: true,
      ...(terms !== undefined && { terms }),
      entries: entries.get(key) ?? [],
    }));
  }

  /** There is no record. */
  headHash(): Promise<null> {
    return Promise.resolve(null);
  }

  problems(): readonly string[] {
    const own = [this.#reader.problem, this.#found.problem].filter((problem) => problem !== null);
    return [...new Set([...own, ...(this.#isGone ? ['The agent deleted this session from its store.'] : [])])];
  }

  /** There is no raw output. */
  rawPath(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: '', stderr: '' };
  }

  onUpdates(listener: (updates: readonly EntryUpdate[], total: number) => void): Disposable {
    return this.#updates.on(listener);
  }

  onSummary(listener: (summary: SessionSummary) => void): Disposable {
    return this.#summaries.on(listener);
  }

  onNotice(): Disposable {
    return { dispose: () => undefined };
  }

  onConversation(): Disposable {
    return { dispose: () => undefined };
  }

  dispose(): void {
    this.#changes?.dispose();
  }

  /** Reads new entries. Changes during the read trigger another read. */
  #advance(): void {
    if (this.#advancing !== undefined) {
      this.#hasChangedAgain = true;
      return;
    }
    this.#advancing = this.#readNewEntries()
      .catch((error: unknown) => this.#deps.log.error(`${this.id} cannot be read: ${String(error)}`))
      .finally(() => {
        this.#advancing = undefined;
        if (!this.#hasChangedAgain) return;
        this.#hasChangedAgain = false;
        this.#advance();
      });
  }

  async #readNewEntries(): Promise<void> {
    const files = await withCurrentSizes(this.#found.files);
    const { updates, restarted } = await this.#reader.advance(files, this.#found.notes);
    const all = [
      ...updates,
      ...this.#reader.end(observedFactsOf(this.#found, this.#deps.clock()).live.state !== 'ended'),
    ];
    const reported = restarted ? this.#restart(all) : this.#applyUpdates(all);
    this.#notify();
    if (reported.length > 0) this.#updates.fire(reported, this.#total);
  }

  #applyUpdates(updates: readonly EntryUpdate[]): readonly EntryUpdate[] {
    this.#transcript.apply(updates);
    for (const update of updates) {
      if (update.op !== 'put') continue;
      this.#turns.add(update.entry);
      this.#total = Math.max(this.#total, update.entry.index + 1);
    }
    return updates;
  }

  /** After a complete reread, returns the differences. */
  #restart(updates: readonly EntryUpdate[]): readonly EntryUpdate[] {
    const [before, total] = [this.#transcript, this.#total];
    this.#transcript = new Transcript();
    this.#turns = new ObservedTurns();
    this.#total = 0;
    this.#applyUpdates(updates);
    const removed: EntryUpdate[] = [];
    for (let index = this.#total; index < total; index += 1) {
      const entry = before.get(index);
      const type = { kind: 'system_message', subtype: 'removed' } as const;
      if (entry !== undefined) removed.push({ op: 'put', entry: { ...entry, type, content: removedText } });
    }
    this.#applyUpdates(removed);
    const open = new Set(this.#transcript.open());
    return this.#transcript
      .settledEntries()
      .filter((entry) => JSON.stringify(entry) !== JSON.stringify(before.get(entry.index)))
      .map((entry) => ({ op: 'put', entry, ...(open.has(entry.index) && { open: true }) }));
  }

  async #rescan(): Promise<void> {
    const found = await this.#deps.find();
    this.#isGone = found === undefined;
    if (found !== undefined) this.#found = found;
    this.#advance();
  }

  #notify(): void {
    const summary = this.#buildSummary();
    if (JSON.stringify(summary) === JSON.stringify(this.#summary)) return;
    this.#summary = summary;
    this.#summaries.fire(summary);
  }

  #buildSummary(): SessionSummary {
    return {
      ...toSessionSummary(rowOf(this.#found, this.#deps.prices, this.#deps.clock()).summary),
      entries: this.#total,
    };
  }
}

/** The files with their current sizes. A session in a database keeps its size until the next scan. */
async function withCurrentSizes(files: SessionFiles): Promise<SessionFiles> {
  const now = await Promise.all(
    files.files.map(async (file): Promise<PlacedFile> => {
      if (file.database !== undefined) return file;
      const found = await fileAt(file.path, file.relative);
      return found === undefined ? file : { ...file, ...found };
    }),
  );
  return { ...files, files: now };
}
