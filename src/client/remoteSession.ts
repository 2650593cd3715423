import path from 'node:path';
import type { EntryUpdate, NormalizedEntry } from '../model/transcript/entry.ts';
import type { AgentRequest, Answer } from '../model/agent/request.ts';
import type { RunResult } from '../model/session/result.ts';
import type { SessionSummary } from '../model/session/summary.ts';
import { appendContent } from '../model/transcript/transcript.ts';
import type { GivenParams, ResultOf } from '../protocol/daemon/calls.ts';
import type { FollowedState, SessionNotice, SessionSnapshot, SessionUpdate } from '../protocol/daemon/session.ts';
import type { DaemonConnection } from './connection.ts';
import { DaemonError } from './errors.ts';
import type { DaemonLink } from './reconnectingLink.ts';
import { type Disposable, Listeners } from './listeners.ts';

/** Maximum new entries to report after a gap; older ones are read on demand. */
const maxReported = 200;

type RunMethod = 'start' | 'resume' | 'fork' | 'restart';

interface LiveOptions {
  readonly model?: string;
  readonly permissionMode?: string;
}

/** Messages and requests of the active run. */
export interface RemoteConversation {
  /** False if the agent accepts no messages during a run. */
  readonly takesMessages: boolean;
  pendingRequests(): readonly AgentRequest[];
  queuedMessages(): readonly { readonly id: number; readonly text: string }[];
  /** False: it was answered before, or the agent no longer asks. */
  answer(requestId: string, answer: Answer): Promise<boolean>;
  sendMessage(text: string, how: 'queue' | 'interrupt'): Promise<void>;
  /** Changes options of the agent; returns the options that it accepts now. */
  changeOptions(options: LiveOptions): Promise<readonly (keyof LiveOptions)[]>;
  /** Unsends a queued message. Returns its text, or `undefined` if it was already sent. */
  takeBack(id: number): Promise<string | undefined>;
}

export interface RemoteNotice<F> {
  readonly severity: SessionNotice['severity'];
  readonly failure: F;
}

interface PendingRun {
  readonly promise: Promise<RunResult | undefined>;
  readonly resolve: (result: RunResult) => void;
  hasEnded: boolean;
}

/**
 * A session of the daemon, active or ended, with the interface of the engine's handle. It keeps the open entries of the
 * updates, so that reads never run ahead of its listeners.
 */
export class RemoteSession<F extends Error> implements Disposable {
  readonly id: string;
  readonly #link: DaemonLink<F>;
  readonly #storeDir: string;
  readonly #updates = new Listeners<[updates: readonly EntryUpdate[], total: number]>();
  readonly #summaries = new Listeners<[summary: SessionSummary]>();
  readonly #notices = new Listeners<[notice: RemoteNotice<F>]>();
  readonly #conversations = new Listeners<[]>();
  readonly #reconnectListener: Disposable;
  readonly #open = new Map<number, NormalizedEntry>();
  #connection: DaemonConnection;
  #subscription: number;
  #state: SessionSnapshot;
  #run: PendingRun | undefined;
  #isDisposed = false;

  private constructor(link: DaemonLink<F>, storeDir: string, connection: DaemonConnection, followed: FollowedState) {
    this.#link = link;
    this.#storeDir = storeDir;
    this.id = followed.state.summary.session_id;
    this.#connection = connection;
    this.#subscription = followed.subscription;
    this.#state = followed.state;
    this.#begin(followed);
    this.#reconnectListener = link.reconnected.on(() => void this.#resync());
  }

  /** @throws F, DaemonError */
  static async open<F extends Error>(link: DaemonLink<F>, storeDir: string, id: string): Promise<RemoteSession<F>> {
    const earlyUpdates = new EarlyUpdates();
    const { answer, connection } = await link.begin('follow', { session_id: id }, earlyUpdates.handleUpdate);
    const session = new RemoteSession(link, storeDir, connection, answer);
    earlyUpdates.to((update) => session.#update(update));
    return session;
  }

  /** Starts a run and follows its session. `signal` cancels it before its agent has started. @throws F, DaemonError */
  static async begin<F extends Error, N extends RunMethod>(
    link: DaemonLink<F>,
    storeDir: string,
    name: N,
    params: GivenParams<N>,
    signal?: AbortSignal,
  ): Promise<RemoteSession<F>> {
    const earlyUpdates = new EarlyUpdates();
    const { answer, connection } = await link.begin<RunMethod>(
      name,
      { ...params, follow: true },
      earlyUpdates.handleUpdate,
      signal,
    );
    const { followed }: ResultOf<RunMethod> = answer;
    if (followed === undefined) return RemoteSession.open(link, storeDir, answer.session_id);
    const session = new RemoteSession(link, storeDir, connection, followed);
    session.#expectEnd();
    earlyUpdates.to((update) => session.#update(update));
    return session;
  }

  summary(): SessionSummary {
    return this.#state.summary;
  }

  turns(): SessionSnapshot['turns'] {
    return this.#state.turns;
  }

  /** Number of entries. */
  entryCount(): number {
    return this.#state.total;
  }

  /** Indexes of entries that are still growing. */
  openIndexes(): readonly number[] {
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  /** Entries with `from <= index < to`, in index order. */
  async read(from: number, to: number): Promise<readonly NormalizedEntry[]> {
    const end = Math.min(to, this.#state.total);
    const entries: NormalizedEntry[] = [];
    let next: number | null = Math.max(0, from);
    while (next !== null && next < end) {
      const page: ResultOf<'read'> = await this.#link.call('read', { session_id: this.id, from: next, to: end });
      entries.push(...page.entries);
      next = page.next;
    }
    return entries.map((entry) => this.#open.get(entry.index) ?? entry);
  }

  /** Indexes of entries that match a query, from `from` (default 0) on, ascending. */
  find(query: string, limit: number, from = 0): Promise<ResultOf<'find'>> {
    return this.#link.call('find', { session_id: this.id, query, limit, from });
  }

  /** Whether a run is active. */
  isLive(): boolean {
    return this.#state.live;
  }

  /** Version of Vitrine whose daemon has the active run, if that is another one. */
  otherVersion(): string | undefined {
    return this.#state.other_version;
  }

  /** The conversation of the active run; `null` without an active run or a dialogue. */
  conversation(): RemoteConversation | null {
    const { live, dialogue, takesMessages, requests, queued } = this.#state;
    if (!live || !dialogue) return null;
    const session_id = this.id;
    const link = this.#link;
    return {
      takesMessages,
      pendingRequests: () => requests,
      queuedMessages: () => queued,
      answer: async (request_id, answer) => (await link.call('answer', { session_id, request_id, answer })).accepted,
      sendMessage: async (text, how) => {
        await link.call('say', { session_id, text, how });
      },
      changeOptions: async (options) => (await link.call('changeOptions', { session_id, options })).taken,
      takeBack: async (message) => (await link.call('unsend', { session_id, message })).text ?? undefined,
    };
  }

  sizes(): SessionSnapshot['sizes'] {
    return this.#state.sizes;
  }

  /** Damage found in the record, one line each. */
  problems(): readonly string[] {
    return this.#state.problems;
  }

  ledger(): Promise<ResultOf<'ledger'>> {
    return this.#link.call('ledger', { session_id: this.id });
  }

  messages(): Promise<ResultOf<'messages'>> {
    return this.#link.call('messages', { session_id: this.id });
  }

  /** SHA-256 of the last line of the record. */
  async headHash(): Promise<string | null> {
    return (await this.#link.call('head', { session_id: this.id })).head;
  }

  /** Settles when the active run, or else the last one, has ended; `undefined` if there was none. Never rejects. */
  get done(): Promise<RunResult | undefined> {
    return this.#run?.promise ?? Promise.resolve(undefined);
  }

  /** Absolute paths of the verbatim output. */
  rawPath(runId: string): { readonly stdout: string; readonly stderr: string } {
    const file = path.join(this.#storeDir, 'sessions', this.id, 'runs', runId);
    return { stdout: `${file}.stdout`, stderr: `${file}.stderr` };
  }

  onUpdates(listener: (updates: readonly EntryUpdate[], total: number) => void): Disposable {
    return this.#updates.on(listener);
  }

  onSummary(listener: (summary: SessionSummary) => void): Disposable {
    return this.#summaries.on(listener);
  }

  onNotice(listener: (notice: RemoteNotice<F>) => void): Disposable {
    return this.#notices.on(listener);
  }

  /** Called when requests or queued messages of `conversation()` change. */
  onConversation(listener: () => void): Disposable {
    return this.#conversations.on(listener);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#reconnectListener.dispose();
    for (const listeners of [this.#updates, this.#summaries, this.#notices, this.#conversations]) listeners.clear();
    void this.#connection.unfollow(this.#subscription).catch(() => undefined);
  }

  #begin({ state, entries, ended }: FollowedState): void {
    this.#state = state;
    this.#open.clear();
    for (const entry of entries) this.#open.set(entry.index, entry);
    if (state.live) this.#expectEnd();
    if (ended !== undefined) this.#end(ended.result);
  }

  #expectEnd(): void {
    if (this.#run !== undefined && !this.#run.hasEnded) return;
    let resolve: PendingRun['resolve'] = () => undefined;
    const promise = new Promise<RunResult | undefined>((settle) => (resolve = settle));
    this.#run = { promise, resolve, hasEnded: false };
  }

  #end(result: RunResult): void {
    if (this.#run === undefined || this.#run.hasEnded) return;
    this.#run.hasEnded = true;
    this.#run.resolve(result);
  }

  async #update({ subscription, updates, gap, state, notices, ended }: SessionUpdate): Promise<void> {
    if (this.#isDisposed || subscription !== this.#subscription) return;
    if (ended !== undefined) this.#end(ended.result);
    if (gap) {
      // The daemon answers this call before it sends the next batch.
      await this.#connection.unfollow(subscription);
      await this.#followAgain();
    } else {
      for (const update of updates) this.#apply(update);
      this.#applySnapshot(state);
      if (updates.length > 0) this.#updates.fire(updates, state.total);
    }
    for (const { severity, failure } of notices) this.#notices.fire({ severity, failure: this.#link.failure(failure) });
  }

  #apply(update: EntryUpdate): void {
    if (update.op === 'append') {
      const entry = this.#open.get(update.index);
      if (entry !== undefined) this.#open.set(update.index, appendContent(entry, update.text));
    } else if (update.open === true) this.#open.set(update.entry.index, update.entry);
    else this.#open.delete(update.entry.index);
  }

  #applySnapshot(state: SessionSnapshot): void {
    const before = this.#state;
    this.#state = state;
    if (state.live && !before.live) this.#expectEnd();
    this.#summaries.fire(state.summary);
    const waits = ({ live, dialogue, takesMessages, requests, queued }: SessionSnapshot): string =>
      JSON.stringify([live, dialogue, takesMessages, requests.map(({ id }) => id), queued]);
    if (waits(before) !== waits(state)) this.#conversations.fire();
  }

  /** With another daemon. If that one is lost too, the next one is asked. Never rejects. */
  async #resync(): Promise<void> {
    try {
      await this.#followAgain();
    } catch (error) {
      // The session can no longer be opened, so no update will report how its run ended.
      if (!DaemonError.is(error, 'unreachable')) this.#end(endOf(this.#state.summary));
    }
  }

  /** After a gap, or with another daemon: reports what differs. */
  async #followAgain(): Promise<void> {
    if (this.#isDisposed) return;
    const opened = [...this.#open.keys()];
    const before = this.#state;
    const earlyUpdates = new EarlyUpdates();
    const { answer, connection } = await this.#link.begin('follow', { session_id: this.id }, earlyUpdates.handleUpdate);
    this.#connection = connection;
    this.#subscription = answer.subscription;
    this.#state = before;
    const { state, entries } = answer;
    this.#open.clear();
    for (const entry of entries) this.#open.set(entry.index, entry);
    this.#applySnapshot(state);
    if (!state.live) this.#end(endOf(state.summary));
    // While a session of another machine waited, it had only a note.
    const known = before.summary.remote === undefined ? before.total : 0;
    const first = Math.max(known, state.total - maxReported);
    const changed = [...opened.filter((index) => !this.#open.has(index)), ...range(first, state.total)];
    const puts: EntryUpdate[] = [];
    for (const index of changed) {
      const [entry] = await this.read(index, index + 1);
      if (entry !== undefined && !this.#open.has(index)) puts.push({ op: 'put', entry });
    }
    puts.push(...[...this.#open.values()].map((entry): EntryUpdate => ({ op: 'put', entry, open: true })));
    if (puts.length > 0) this.#updates.fire(puts, state.total);
    earlyUpdates.to((update) => this.#update(update));
  }
}

/** Holds back the first batch until there is a listener; the daemon sends no other before that. */
class EarlyUpdates {
  readonly #handler: Promise<(update: SessionUpdate) => Promise<void>>;
  #begin: (take: (update: SessionUpdate) => Promise<void>) => void = () => undefined;

  constructor() {
    this.#handler = new Promise((resolve) => (this.#begin = resolve));
  }

  readonly handleUpdate = async (update: SessionUpdate): Promise<void> => (await this.#handler)(update);

  to(take: (update: SessionUpdate) => Promise<void>): void {
    this.#begin(take);
  }
}

/** For a run whose result no one awaits. */
function endOf({ outcome, reason = 'The run was interrupted.' }: SessionSummary): RunResult {
  return outcome === 'completed' ? { success: true } : { success: false, error: reason };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}
