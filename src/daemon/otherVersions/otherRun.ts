import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonConnection } from '../../client/connection.ts';
import { transcriptPages } from '../../client/machine/transcriptPages.ts';
import type { Conversation, Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import { failures } from '../../engine/failures/failures.ts';
import { needsYou } from '../../engine/requests/requestRecord.ts';
import type { AgentRequest } from '../../model/agent/request.ts';
import type { RunResult } from '../../model/session/result.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { type EntryUpdate, type NormalizedEntry, normalizedEntrySchema } from '../../model/transcript/entry.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import { UnrecordedEntries } from '../requests/unrecordedEntries.ts';

/** How many of the newest recorded entries are searched for the first one that has not settled. */
const maxSearched = 500;
/** A daemon that was lost may take a moment to leave the record: pause before the first look, in ms, then twice as long each time. */
const firstLookMs = 100;
const maxLooks = 7;

interface OtherRunDeps {
  /** Handle of the session's record, without a run in this process. */
  readonly base: SessionHandle;
  /** Connection to the daemon that runs the session, used only for this run. */
  readonly connection: DaemonConnection;
  /** Reads the record again, and completes it if its writer died. */
  readonly refresh: () => Promise<void>;
  readonly log: Log;
}

/**
 * A session that a daemon of another version runs: its record, and what that daemon says through the calls in `coreCalls`. After
 * the run it is the session of this daemon.
 */
export class OtherRun {
  readonly #deps: OtherRunDeps;
  readonly #entries: UnrecordedEntries;
  readonly #updates: Emitter<[updates: readonly EntryUpdate[], total: number]>;
  readonly #changes: Emitter<[]>;
  readonly #done: Promise<RunResult>;
  #resolveDone: (result: RunResult) => void = () => undefined;
  readonly #closeController = new AbortController();
  #lastWork: Promise<void> = Promise.resolve();
  #requests: readonly AgentRequest[] = [];
  #takesMessages = true;
  /** The other daemon has reported all entries below this index. */
  #firstUnreported = 0;
  #isActive = true;

  private constructor(deps: OtherRunDeps) {
    const { base, log } = deps;
    this.#deps = deps;
    this.#entries = new UnrecordedEntries(base.summary().project_dir ?? '');
    this.#updates = new Emitter(log);
    this.#changes = new Emitter(log);
    this.#done = new Promise((resolve) => (this.#resolveDone = resolve));
    base.onUpdates(() => {
      if (this.#entries.total > 0) void this.#updateEntries();
    });
  }

  /** Takes over the handle and the connection. @throws DaemonError */
  static async follow(deps: OtherRunDeps): Promise<SessionHandle> {
    const run = new OtherRun(deps);
    const pages = await run.#begin();
    void run.#follow(pages);
    return run.#handle();
  }

  /** Takes the first page. */
  async #begin(): Promise<AsyncGenerator<ResultOf<'transcript'>, void>> {
    const { base } = this.#deps;
    const from = Math.max(0, base.entryCount() - maxSearched);
    const present = new Set((await base.read(from, base.entryCount())).map(({ index }) => index));
    this.#firstUnreported = from;
    while (present.has(this.#firstUnreported)) this.#firstUnreported += 1;
    const pages = this.#pages();
    const first = await pages.next();
    if (first.done !== true) await this.#addPage(first.value);
    return pages;
  }

  #pages(): AsyncGenerator<ResultOf<'transcript'>, void> {
    return transcriptPages(this.#deps.connection, this.#deps.base.id, this.#firstUnreported);
  }

  /** Never rejects. */
  async #follow(first: AsyncGenerator<ResultOf<'transcript'>, void>): Promise<void> {
    const { base, refresh, log } = this.#deps;
    const { signal } = this.#closeController;
    let pages = first;
    for (let looks = 0; ; looks += 1) {
      try {
        for await (const page of pages) {
          await this.#addPage(page);
          if (page.live) looks = 0;
        }
      } catch (error) {
        if (!signal.aborted) log.info(`${base.id}: its daemon of another version was lost: ${String(error)}`);
      }
      if (signal.aborted) return;
      await refresh().catch((error: unknown) => log.warn(`${base.id}: ${String(error)}`));
      if (!isSessionLive(base.summary().status) || looks === maxLooks) break;
      await delay(firstLookMs * 2 ** looks, undefined, { signal }).catch(() => undefined);
      pages = this.#pages();
    }
    this.#end();
  }

  #addPage(page: ResultOf<'transcript'>): Promise<void> {
    // Entries may have a form that only the other version knows.
    const entries = page.entries.flatMap((entry): NormalizedEntry[] => {
      const known = normalizedEntrySchema.safeParse(entry);
      return known.success ? [known.data] : [];
    });
    const settled = this.#entries.settle(entries);
    this.#firstUnreported = page.next;
    this.#requests = page.requests;
    this.#takesMessages = page.takes_messages ?? true;
    return this.#updateEntries(settled).then(() => this.#changes.fire());
  }

  /** Never rejects. One at a time, because the record is read meanwhile. */
  #updateEntries(settled: readonly EntryUpdate[] = []): Promise<void> {
    const { base, log } = this.#deps;
    const arranged = this.#lastWork.then(async () => {
      const firstUnreported = this.#firstUnreported;
      const entries = await base.read(
        Math.min(firstUnreported, this.#entries.first ?? firstUnreported),
        base.entryCount(),
      );
      const updates = [...settled, ...this.#entries.arrange(this.#requests, { entries, firstUnreported })];
      if (updates.length > 0) this.#updates.fire(updates, this.#entryCount());
    });
    this.#lastWork = arranged.catch((error: unknown) => log.warn(`${base.id}: ${String(error)}`));
    return this.#lastWork;
  }

  #end(): void {
    this.#requests = [];
    void this.#updateEntries();
    this.#isActive = false;
    const { outcome, reason = 'The run was interrupted.' } = this.#deps.base.summary();
    this.#resolveDone(outcome === 'completed' ? { success: true } : { success: false, error: reason });
    this.#changes.fire();
    this.#deps.connection.close();
  }

  #entryCount(): number {
    return Math.max(this.#deps.base.entryCount(), this.#entries.total);
  }

  #summary(): SessionSummary {
    const summary = this.#deps.base.summary();
    return this.#isActive ? { ...summary, needs_you: needsYou(this.#requests) } : summary;
  }

  /** What clients see. Their answers and messages are calls to the other daemon (`OtherDaemons.call`). */
  #createConversation(): Conversation {
    return {
      takesMessages: this.#takesMessages,
      pendingRequests: () => this.#requests,
      queuedMessages: () => [],
      answer: () => false,
      sendMessage: () => {
        throw failures.takesNoMessage('The agent of another daemon');
      },
      changeOptions: () => [],
      unsend: () => undefined,
    };
  }

  #handle(): SessionHandle {
    const { base, connection } = this.#deps;
    const done = (): SessionHandle['done'] => (this.#isActive || !base.isLive() ? this.#done : base.done);
    return {
      ...base,
      summary: () => this.#summary(),
      entryCount: () => this.#entryCount(),
      openIndexes: () => [...base.openIndexes(), ...this.#entries.waitingIndexes()].sort((a, b) => a - b),
      openEntries: () => [...base.openEntries(), ...this.#entries.unsettled()],
      read: async (from, to) => {
        // First, because the record may get one of them meanwhile.
        const unrecorded = this.#entries.entriesBetween(from, to);
        return withMissing(await base.read(from, to), unrecorded);
      },
      isLive: () => this.#isActive || base.isLive(),
      otherVersion: () => (this.#isActive ? connection.daemon.version : undefined),
      conversation: () => (this.#isActive ? this.#createConversation() : base.conversation()),
      get done() {
        return done();
      },
      onUpdates: (listener) =>
        combineDisposables(
          base.onUpdates((updates) => listener(updates, this.#entryCount())),
          this.#updates.on(listener),
        ),
      onSummary: (listener) => {
        const notify = (): void => listener(this.#summary());
        return combineDisposables(base.onSummary(notify), this.#changes.on(notify));
      },
      onConversation: (listener) => combineDisposables(base.onConversation(listener), this.#changes.on(listener)),
      dispose: () => {
        this.#closeController.abort();
        connection.close();
        base.dispose();
      },
    };
  }
}

/** Entries of the record with those that it lacks, in index order. */
function withMissing(
  recorded: readonly NormalizedEntry[],
  unrecorded: readonly NormalizedEntry[],
): readonly NormalizedEntry[] {
  const known = new Set(recorded.map(({ index }) => index));
  const missing = unrecorded.filter(({ index }) => !known.has(index));
  return missing.length === 0 ? recorded : [...recorded, ...missing].sort((a, b) => a.index - b.index);
}

function combineDisposables(...all: readonly Disposable[]): Disposable {
  return {
    dispose: () => {
      for (const disposable of all) disposable.dispose();
    },
  };
}
