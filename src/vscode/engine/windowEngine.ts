import { type ConnectOptions, connect } from '../../client/connect.ts';
import { DaemonLink } from '../../client/reconnectingLink.ts';
import { recordCalls } from '../../client/records/recordCalls.ts';
import { RemoteTeam } from '../../client/queue/remoteTeam.ts';
import { type Disposable, Listeners } from '../../client/listeners.ts';
import { type RemoteNotice, RemoteSession } from '../../client/remoteSession.ts';
import type { AgentReport, ResumeRequest, StartRequest } from '../../engine/api.ts';
import type { EngineDeps } from '../../engine/engineDeps.ts';
import type { CatalogueOwner } from '../../engine/catalogue/refresh.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import { markShared } from '../../engine/search/sharedAnswer.ts';
import type { SearchAnswer, SearchRequest } from '../../engine/search/types.ts';
import type { FollowUpReader } from '../../engine/followUps/followUpReader.ts';
import type { Archive } from '../../engine/archive/archive.ts';
import { ReadOnlyEngine } from '../../engine/readOnlyEngine.ts';
import type { Bound } from '../../model/usage/budget.ts';
import type { CoordinatorEvent } from '../../model/transcript/event.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { DaemonStatus, GivenParams, News, ResultOf } from '../../protocol/daemon/calls.ts';
import type { IndexProgress } from '../../protocol/daemon/catalogue.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import type { OwnShare } from '../../protocol/daemon/team.ts';
import { WindowRaces } from '../races/windowRaces.ts';
import { WindowRestores } from '../restore/windowRestores.ts';
import { WindowQueue } from '../runner/windowQueue.ts';
import { PlannedFollowUps } from '../followUps/plannedFollowUps.ts';
import { toFailure, translateConnectionError } from '../failures/toFailure.ts';

export type SessionHandle = RemoteSession<EngineFailure>;
export type Notice = RemoteNotice<EngineFailure>;

type WatchSources = GivenParams<'watchSources'>;
type UpdateRequest = Parameters<CatalogueOwner['update']>[0];

/** The daemon plans follow-ups. */
type Resume = Omit<ResumeRequest, 'trigger'>;

export interface WindowEngineDeps extends Pick<
  ConnectOptions,
  'daemonFile' | 'environment' | 'client' | 'build' | 'onSlowStart'
> {
  readonly engine: EngineDeps;
  /** What this window knows about a folder. */
  readonly contextOf: (folder: string) => Promise<ClientContext>;
  /** Folders of this window. */
  readonly folders: () => readonly string[];
  readonly whenWindowsClose: () => 'finishRuns' | 'stopRuns';
  readonly onInput: NonNullable<ConnectOptions['onInput']>;
  readonly onUndelivered: (sessionId: string, failure: EngineFailure) => void;
}

/** The window's view of Vitrine: the daemon runs agents and writes records, this class reads them. */
export class WindowEngine {
  readonly archive: Archive;
  readonly budgets: { raise(sessionId: string | undefined, bound: Bound): Promise<void> };
  readonly followUps: PlannedFollowUps;
  /** Explains why a session has a follow-up or none. */
  readonly followUpReader: FollowUpReader;
  readonly queue: WindowQueue;
  readonly team: RemoteTeam;
  readonly races: WindowRaces;
  readonly restores: WindowRestores;
  readonly #deps: WindowEngineDeps;
  readonly #reader: ReadOnlyEngine;
  /** Reads the copies of sessions that other team members share. */
  #copies: ReadOnlyEngine | undefined;
  readonly #link: DaemonLink<EngineFailure>;
  readonly #summaries = new Listeners<[SessionSummary]>();
  readonly #removalListeners = new Listeners<[sessionId: string]>();
  readonly #shareListeners = new Listeners<[readonly OwnShare[]]>();
  readonly #events = new Listeners<[CoordinatorEvent]>();
  /** Running sessions, as last reported by the daemon. */
  readonly #liveById = new Map<string, SessionSummary>();
  readonly #plannedFollowUps: PlannedFollowUps;
  #wantsEvents = false;
  /** Sent again to a new daemon. */
  #watchedSources: WatchSources | undefined;
  readonly #sources = new Listeners<[ResultOf<'watchSources'>]>();
  readonly #indexListeners = new Listeners<[IndexProgress | null]>();

  constructor(deps: WindowEngineDeps) {
    this.#deps = deps;
    const { log, storeDir } = deps.engine;
    this.#link = new DaemonLink({
      log,
      failure: toFailure,
      connect: () => connect({ ...deps, storeDir, onNews: (news) => this.#handleNews(news) }),
      prepare: async (connection) => {
        await connection.call('announce', await this.#makeAnnouncement());
        const { live, follow_ups } = await connection.call('watch', { events: this.#wantsEvents, runs: true });
        this.queue.handleReconnect();
        this.#plannedFollowUps.update(follow_ups);
        this.#liveById.clear();
        for (const summary of live) this.#updateSummary(summary);
        if (this.#watchedSources !== undefined)
          this.#sources.fire(await connection.call('watchSources', this.#watchedSources));
      },
    });
    const call = this.#call;
    this.queue = new WindowQueue({ call }, log);
    this.team = new RemoteTeam({ call });
    this.races = new WindowRaces({ call, contextOf: deps.contextOf });
    this.restores = new WindowRestores({ call, contextFor: (id) => this.#contextFor(id) });
    const catalogueOwner = { update: (request: UpdateRequest) => this.#updateCatalogue(request) };
    this.#reader = new ReadOnlyEngine({ ...deps.engine, catalogueOwner }, recordCalls(call));
    this.archive = this.#reader.archive;
    this.followUpReader = this.#reader.followUps;
    this.budgets = {
      raise: async (session_id, bound) => {
        await call('raiseBudget', { session_id, bound });
      },
    };
    this.followUps = this.#plannedFollowUps = new PlannedFollowUps({
      cancel: async (session_id: string): Promise<void> => {
        await call('setFollowUps', { session_id, to: 'cancelled' });
      },
      turn: async (session_id: string, on: boolean): Promise<void> => {
        await call('setFollowUps', { session_id, to: on ? 'on' : 'off' });
      },
      pause: async (paused: boolean): Promise<void> => {
        await call('pauseFollowUps', { paused });
      },
    });
  }

  /** Resolves when the agent has started; otherwise rejects with the reason. */
  async start(request: StartRequest): Promise<SessionHandle> {
    const context = await this.#deps.contextOf(request.cwd);
    return this.#begin('start', { context, request });
  }

  async resume(session_id: string, request: Resume): Promise<SessionHandle> {
    return this.#begin('resume', { context: await this.#contextFor(session_id), session_id, request });
  }

  /** Starts a new session that forks the conversation of another one; `at`: with what came before that prompt. */
  async fork(session_id: string, request: Resume, at?: number): Promise<SessionHandle> {
    const context = await this.#contextFor(session_id);
    return this.#begin('fork', { context, session_id, request, ...(at !== undefined && { at }) });
  }

  /** How a fork at a prompt, or at the end, gets what came before it. */
  planFork(session_id: string, at?: number): Promise<ResultOf<'planFork'>> {
    return this.#call('planFork', { session_id, ...(at !== undefined && { at }) });
  }

  /** Starts a new agent conversation in the same session, with a summary of the earlier one. */
  async startNewConversation(session_id: string, request: Resume): Promise<SessionHandle> {
    return this.#begin('restart', { context: await this.#contextFor(session_id), session_id, request });
  }

  /** Resolves when the agent's process tree has ended. */
  async stop(session_id: string): Promise<void> {
    await this.#call('stop', { session_id, kill: false });
  }

  /** Returns sessions from other programs; from then on, `onSummary` and `onRemoved` report their changes. */
  async watchSources(params: WatchSources): Promise<ResultOf<'watchSources'>> {
    this.#watchedSources = params;
    return this.#call('watchSources', params);
  }

  /** Copies a session from another program into a record. */
  async copySession(session_id: string): Promise<void> {
    await this.#call('keep', { session_id });
  }

  /** Reports the daemon's progress with the catalogue; `null` when it is up to date. */
  onIndexing(listener: (progress: IndexProgress | null) => void): Disposable {
    return this.#indexListeners.on(listener);
  }

  /** Called when the daemon was lost and another one found; sessions that it ran may have been interrupted. */
  onReconnected(listener: () => void): Disposable {
    return this.#link.reconnected.on(listener);
  }

  /** Called with all sessions from other programs after connecting to another daemon. */
  onSourcesReset(listener: (found: ResultOf<'watchSources'>) => void): Disposable {
    return this.#sources.on(listener);
  }

  open(sessionId: string): Promise<SessionHandle> {
    return RemoteSession.open(this.#link, this.#deps.engine.storeDir, sessionId).catch((error: unknown) => {
      throw translateConnectionError(error);
    });
  }

  /** Newest first, with current figures of running sessions. */
  async list(): Promise<SessionSummary[]> {
    return this.#addLiveSessions(await this.#reader.list());
  }

  async rebuildIndex(): Promise<SessionSummary[]> {
    return this.#addLiveSessions(await this.#reader.rebuildIndex());
  }

  async rename(session_id: string, title: string): Promise<void> {
    await this.#call('rename', { session_id, title });
  }

  async setHidden(session_id: string, hidden: boolean): Promise<void> {
    await this.#call('setHidden', { session_id, hidden });
  }

  async relink(session_id: string, folder: string, by: 'user' | 'identity' = 'user'): Promise<void> {
    await this.#call('relink', { session_id, folder, by });
  }

  async remove(session_id: string, reason: 'user' | 'retention' = 'user'): Promise<void> {
    await this.archive.remove(session_id, reason);
    await this.archive.search.forget(session_id);
  }

  recordPath(sessionId: string): string {
    return this.#reader.recordPath(sessionId);
  }

  agents(options: Parameters<ReadOnlyEngine['agents']>[0] = {}): Promise<readonly AgentReport[]> {
    return this.#reader.agents(options);
  }

  resumePlace(summary: SessionSummary): ReturnType<ReadOnlyEngine['resumePlace']> {
    return this.#reader.resumePlace(summary);
  }

  recognizeOutput(file: string): ReturnType<ReadOnlyEngine['recognizeOutput']> {
    return this.#reader.recognizeOutput(file);
  }

  /** Ends leftover processes of a crash, and completes the records of interrupted sessions. */
  sweep(): Promise<ResultOf<'sweep'>> {
    return this.#call('sweep', {});
  }

  status(): Promise<DaemonStatus> {
    return this.#call('status', {});
  }

  /** Notifies the daemon about changes in this window. Never rejects. */
  async announce(): Promise<void> {
    try {
      await this.#link.call('announce', await this.#makeAnnouncement());
    } catch (error) {
      this.#deps.engine.log.warn(`This window could not be registered with the Vitrine daemon: ${String(error)}`);
    }
  }

  onSummary(listener: (summary: SessionSummary) => void): Disposable {
    return this.#summaries.on(listener);
  }

  onRemoved(listener: (sessionId: string) => void): Disposable {
    return this.#removalListeners.on(listener);
  }

  onShares(listener: (shares: readonly OwnShare[]) => void): Disposable {
    return this.#shareListeners.on(listener);
  }

  onEvent(listener: (event: CoordinatorEvent) => void): Disposable {
    if (!this.#wantsEvents) {
      this.#wantsEvents = true;
      void this.#link.call('watch', { events: true }).catch(() => undefined);
    }
    return this.#events.on(listener);
  }

  /** Searches what other team members share; `null`: nothing, or the team cannot be reached. @throws as a search */
  async searchShared(request: SearchRequest): Promise<SearchAnswer | null> {
    const copies = await this.team.pullShared().catch(() => null);
    if (copies === null || (copies.sessions.length === 0 && copies.is_complete)) return null;
    const { clock, randomHex, environment, demoDir, adapters, log } = this.#deps.engine;
    const base = { clock, randomHex, environment, demoDir, adapters, log, settings: () => ({}) };
    this.#copies ??= new ReadOnlyEngine({ ...base, storeDir: copies.folder }, recordCalls(this.#call));
    const ids = new Set(copies.sessions.map(({ session_id }) => session_id));
    const within: SearchRequest['within'] = ({ session_id }) => ids.has(session_id);
    const answer = await this.#copies.archive.search.search({ ...request, within });
    return markShared(answer, { ...copies, isComplete: copies.is_complete });
  }

  /** Disconnects from the daemon, which continues to run. */
  dispose(): void {
    this.queue.dispose();
    this.#link.close();
  }

  readonly #call: DaemonLink<EngineFailure>['call'] = async (name, params) => {
    try {
      return await this.#link.call(name, params);
    } catch (error) {
      throw translateConnectionError(error);
    }
  };

  async #begin<N extends 'start' | 'resume' | 'fork' | 'restart'>(
    name: N,
    params: Parameters<typeof RemoteSession.begin<EngineFailure, N>>[3],
  ): Promise<SessionHandle> {
    try {
      return await RemoteSession.begin(this.#link, this.#deps.engine.storeDir, name, params);
    } catch (error) {
      throw translateConnectionError(error);
    }
  }

  async #contextFor(sessionId: string): Promise<ClientContext> {
    const handle = await this.open(sessionId);
    const { project_dir: folder = '' } = handle.summary();
    handle.dispose();
    return this.#deps.contextOf(folder);
  }

  async #makeAnnouncement(): Promise<{
    readonly contexts: ClientContext[];
    readonly when_windows_close: 'finishRuns' | 'stopRuns';
  }> {
    const contexts = await Promise.all(this.#deps.folders().map((folder) => this.#deps.contextOf(folder)));
    return { contexts, when_windows_close: this.#deps.whenWindowsClose() };
  }

  /** The daemon completes a request even if its client has disconnected. */
  async #updateCatalogue({ sessions, signal, onProgress }: UpdateRequest): Promise<ResultOf<'updateCatalogue'>> {
    const listening = this.onIndexing((progress) => {
      if (progress !== null) onProgress?.(progress.done, progress.of);
    });
    const request = this.#call('updateCatalogue', sessions === undefined ? {} : { sessions: [...sessions] });
    try {
      return await (signal === undefined ? request : Promise.race([request, rejectOnAbort(signal)]));
    } finally {
      listening.dispose();
    }
  }

  #handleNews(news: News): Promise<void> {
    const { summaries, removed, events, undelivered: failedDeliveries, follow_ups, indexing, shares } = news;
    for (const summary of summaries) this.#updateSummary(summary);
    for (const id of removed) {
      this.#liveById.delete(id);
      this.#removalListeners.fire(id);
    }
    if (shares !== undefined) this.#shareListeners.fire(shares);
    for (const event of events) this.#events.fire(event);
    this.queue.handleNews(news);
    if (follow_ups !== undefined) this.#plannedFollowUps.update(follow_ups);
    if (indexing !== undefined) this.#indexListeners.fire(indexing);
    for (const { session_id, failure } of failedDeliveries) this.#deps.onUndelivered(session_id, toFailure(failure));
    if (this.#liveById.size === 0) void this.#link.replaceOlder(this.#deps.build);
    return Promise.resolve();
  }

  #updateSummary(summary: SessionSummary): void {
    const isOwn = summary.observed === undefined && summary.shared === undefined;
    if (isOwn && isSessionLive(summary.status)) this.#liveById.set(summary.session_id, summary);
    else this.#liveById.delete(summary.session_id);
    this.#summaries.fire(summary);
  }

  #addLiveSessions(stored: readonly SessionSummary[]): SessionSummary[] {
    const known = new Set(stored.map(({ session_id: id }) => id));
    const fresh = [...this.#liveById.values()].filter(({ session_id: id }) => !known.has(id));
    return [...fresh, ...stored.map((summary) => this.#liveById.get(summary.session_id) ?? summary)];
  }
}

/** Rejects with the signal's abort reason. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => {
      try {
        signal.throwIfAborted();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
