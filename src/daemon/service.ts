import type { Log, SessionHandle } from '../engine/api.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineFailure, failures } from '../engine/failures/failures.ts';
import { isSessionLive } from '../model/session/status.ts';
import { compareSessions } from '../engine/race/compare/compare.ts';
import type { ClientDescription, DaemonStatus, ParamsOf, ResultOf, RunningSession } from '../protocol/daemon/calls.ts';
import type { ClientContext } from '../protocol/daemon/context.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import type { Clients, ConnectedClient } from './clients/clients.ts';
import type { ClientContexts } from './clients/contexts.ts';
import { daemonRetiringFailure, folderUntrusted } from './failures.ts';
import { Forks } from './sessions/forks.ts';
import type { FollowUpPlanner } from './followUps/planner.ts';
import type { Lifetime } from './lifetime.ts';
import type { NewsFeed, NewsSource } from './clients/news.ts';
import type { IndexThread } from './indexing/indexThread.ts';
import { indexCalls } from './indexing/messages.ts';
import type { JoinedSessions } from './joining/joinedSessions.ts';
import type { OtherDaemons } from './otherVersions/otherDaemons.ts';
import type { RunQueue } from './queue/runQueue.ts';
import type { RaceCalls } from './sessions/races.ts';
import { Records } from './sessions/records.ts';
import { RestoreCalls } from './sessions/restores.ts';
import type { RunningSessions } from './sessions/runningSessions.ts';
import type { ObservedSources } from './sources/observedSources.ts';
import type { TeamMembership } from './team/teamMembership.ts';

export interface ServiceDeps {
  readonly engine: Engine;
  readonly followUps: FollowUpPlanner;
  readonly contexts: ClientContexts;
  readonly clients: Clients;
  readonly running: RunningSessions;
  readonly sources: ObservedSources;
  readonly joinedSessions: JoinedSessions;
  readonly news: NewsSource;
  readonly queue: RunQueue;
  readonly races: RaceCalls;
  readonly thread: IndexThread;
  readonly team: TeamMembership;
  readonly others: OtherDaemons;
  readonly lifetime: Lifetime;
  readonly log: Log;
  readonly version: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The calls of clients. Failures that people see are `EngineFailure`s. */
export class DaemonService {
  readonly log: Log;
  readonly news: NewsSource;
  readonly records: Records;
  readonly queue: RunQueue;
  readonly races: RaceCalls;
  readonly restores: RestoreCalls;
  readonly forks: Forks;
  readonly team: TeamMembership;
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.log = deps.log;
    this.news = deps.news;
    this.queue = deps.queue;
    this.races = deps.races;
    this.restores = new RestoreCalls(deps);
    this.forks = new Forks({ ...deps, open: (id) => this.open(id) });
    this.team = deps.team;
    this.records = new Records({ ...deps, open: (id) => this.open(id) });
  }

  hello(connection: ConnectedClient, client: ClientDescription): DaemonStatus {
    this.#deps.clients.add(connection, client);
    return this.status();
  }

  leave(connection: ConnectedClient): void {
    this.#deps.clients.remove(connection);
    void this.queue.remove(connection, { finish: true });
  }

  status(): DaemonStatus {
    const { version, since, clients, running } = this.#deps;
    return {
      pid: process.pid,
      version,
      protocol: daemonProtocol,
      since,
      clients: clients.count,
      runs: running.count,
      rss: process.memoryUsage.rss(),
    };
  }

  retire(when: 'idle' | 'now'): { runs: number } {
    const { lifetime, running } = this.#deps;
    lifetime.retire(when);
    // The next daemon gets the queue as soon as the runs of this one have ended.
    void this.queue.close();
    return { runs: running.count };
  }

  running(): RunningSession[] {
    return this.#deps.running.all().map((handle) => {
      const { session_id, title, project_dir } = handle.summary();
      const requests = [...(handle.conversation()?.pendingRequests() ?? [])];
      return { session_id, title, project_dir, requests };
    });
  }

  watch(): ResultOf<'watch'> {
    const { running, others, followUps } = this.#deps;
    const own = running.all().map((handle) => handle.summary());
    return { live: [...own, ...others.liveSessions()], follow_ups: followUps.state() };
  }

  announce(connection: ConnectedClient, { contexts, when_windows_close }: ParamsOf<'announce'>): ResultOf<'announce'> {
    for (const context of contexts) this.#deps.contexts.add(context, 'window');
    const trusted = contexts.filter((context) => context.trusted).map(({ folder }) => folder);
    this.#deps.clients.announce(connection, trusted, when_windows_close);
    if (trusted.length > 0) void this.#sendPendingResults();
    void this.#deps.followUps.checkAll();
    return {};
  }

  async answer(
    connection: ConnectedClient,
    { session_id, request_id, answer }: ParamsOf<'answer'>,
  ): Promise<ResultOf<'answer'>> {
    const { kind, id } = this.#deps.clients.describe(connection) ?? {};
    const client = kind === undefined ? undefined : { kind, ...(id !== undefined && { id }) };
    const joined = this.#deps.joinedSessions.get(session_id);
    if (joined !== undefined) return { accepted: joined.conversation().answer(request_id, answer, client) };
    const handle = this.#deps.running.get(session_id);
    if (handle === undefined) {
      const params = { session_id, request_id, answer };
      const answered = await this.#deps.others.call('answer', params, this.#deps.clients.describe(connection));
      return answered ?? { accepted: await this.team.answer(session_id, request_id, answer) };
    }
    const accepted = handle.conversation()?.answer(request_id, answer, client) ?? false;
    // Record the answer before the client gets its confirmation, so that it survives a crash.
    if (accepted) await handle.whenWritten();
    return { accepted };
  }

  async say(connection: ConnectedClient, { session_id, text, how }: ParamsOf<'say'>): Promise<ResultOf<'say'>> {
    const { running, joinedSessions, others, clients } = this.#deps;
    const link = joinedSessions.get(session_id);
    if (link !== undefined) {
      link.conversation().sendMessage(text, how);
      return {};
    }
    const handle = running.get(session_id);
    const said =
      handle === undefined
        ? await others.call('say', { session_id, text, how }, clients.describe(connection))
        : undefined;
    if (said !== undefined) return said;
    const conversation = handle?.conversation();
    if (conversation === undefined || conversation === null)
      throw failures.takesNoMessage(handle?.summary().agent_label ?? 'The agent');
    conversation.sendMessage(text, how);
    await handle?.whenWritten();
    return {};
  }

  changeOptions({ session_id, options }: ParamsOf<'changeOptions'>): ResultOf<'changeOptions'> {
    const conversation = this.#deps.running.get(session_id)?.conversation();
    return { taken: [...(conversation?.changeOptions(options) ?? [])] };
  }

  unsend({ session_id, message }: ParamsOf<'unsend'>): ResultOf<'unsend'> {
    return { text: this.#deps.running.get(session_id)?.conversation()?.unsend(message) ?? null };
  }

  async stop({ session_id, kill }: ParamsOf<'stop'>): Promise<ResultOf<'stop'>> {
    const joined = this.#deps.joinedSessions.get(session_id);
    if (joined !== undefined) {
      joined.stop();
      return {};
    }
    if (this.#deps.running.get(session_id) === undefined) {
      const stopped = await this.#deps.others.call('stop', { session_id, kill });
      if (stopped !== undefined) return stopped;
      await this.team.stopSession(session_id);
    }
    await this.#deps.engine.stop(session_id, { kill });
    return {};
  }

  /** The caller who starts or resumes disposes the handle; `hold` keeps the run. */
  async start(
    client: ConnectedClient,
    { context, request }: ParamsOf<'start'>,
    signal: AbortSignal,
  ): Promise<SessionHandle> {
    const { contexts, engine } = this.#deps;
    this.#accept(client, context, request.cwd, request.agent === 'replay');
    return contexts.withContext(context, () => engine.start(request, signal));
  }

  async resume(
    client: ConnectedClient,
    { context, session_id, request }: ParamsOf<'resume'>,
    signal: AbortSignal,
  ): Promise<SessionHandle> {
    const { contexts, engine } = this.#deps;
    const { observed } = await this.#acceptFor(client, session_id, context);
    if (observed !== undefined) await this.keep({ session_id });
    return contexts.withContext(context, () => engine.resume(session_id, request, signal));
  }

  /** Starts a session with the history of another one. The agent continues a copy of that conversation. */
  async fork(
    client: ConnectedClient,
    { context, session_id, request, at }: ParamsOf<'fork'>,
    signal: AbortSignal,
  ): Promise<SessionHandle> {
    const { contexts, engine, news } = this.#deps;
    const origin = await this.#acceptFor(client, session_id, context);
    const id = await this.forks.create(origin, at === undefined ? undefined : { at, prompt: request.prompt });
    try {
      return await contexts.withContext(context, () => engine.resume(id, request, signal));
    } catch (error) {
      await engine.remove(id);
      news.removed(id);
      throw error;
    }
  }

  async restart(
    client: ConnectedClient,
    { context, session_id, request }: ParamsOf<'restart'>,
  ): Promise<SessionHandle> {
    const { contexts, engine } = this.#deps;
    await this.#acceptFor(client, session_id, context);
    return contexts.withContext(context, () => engine.startNewConversation(session_id, request));
  }

  /** Keeps the session open while a run is active. */
  hold(sessionId: string): Promise<void> {
    return this.#deps.running.hold(sessionId);
  }

  /**
   * A session of Vitrine, else one of another program. Of a copy whose session runs there again, that session. With the run of a
   * daemon of another version.
   */
  async open(sessionId: string): Promise<SessionHandle> {
    const { engine, sources, others } = this.#deps;
    const running = sources.copier.isRunning(sessionId) ? await sources.open(sessionId) : undefined;
    if (running !== undefined) return running;
    try {
      const own = await engine.open(sessionId);
      return (await this.#openRemote(own)) ?? (await others.follow(own));
    } catch (error) {
      const observed = EngineFailure.is(error, 'session_missing') ? await sources.open(sessionId) : undefined;
      const found = observed ?? (EngineFailure.is(error, 'session_missing') ? await this.team.open(sessionId) : null);
      if (found === null) throw error;
      return found;
    }
  }

  /** As `open`. Joins a session from another program, if the agent allows it. */
  async follow(sessionId: string): Promise<SessionHandle> {
    return this.#deps.joinedSessions.follow(await this.open(sessionId));
  }

  /** While another machine runs it, what the team has of it; `null`: nothing, or it does not. */
  async #openRemote(own: SessionHandle): Promise<SessionHandle | null> {
    const { remote, status } = own.summary();
    const found = remote !== undefined && isSessionLive(status) ? await this.team.open(own.id) : null;
    if (found !== null) own.dispose();
    return found;
  }

  /** Makes a session from another program Vitrine's own; does nothing for Vitrine's sessions. */
  async keep({ session_id }: ParamsOf<'keep'>): Promise<ResultOf<'keep'>> {
    const known = await this.open(session_id);
    const { observed } = known.summary();
    known.dispose();
    if (observed !== undefined) await this.#deps.sources.copier.keep(session_id);
    return {};
  }

  /** Also sessions from other programs and of the team. */
  compareSessions(ids: readonly string[]): Promise<ResultOf<'compareSessions'>> {
    return compareSessions(ids, (id) => this.open(id));
  }

  updateCatalogue({ sessions }: ParamsOf<'updateCatalogue'>): Promise<ResultOf<'updateCatalogue'>> {
    return this.#deps.thread.request(indexCalls.update, { sessions });
  }

  watchSources(params: ParamsOf<'watchSources'>, feed: NewsFeed): ReturnType<ObservedSources['watch']> {
    return this.#deps.sources.watch(params, feed);
  }

  #accept(client: ConnectedClient, context: ClientContext, folder: string, isRecording: boolean): void {
    if (this.#deps.lifetime.isRetiring) throw daemonRetiringFailure();
    // A recording starts no program, and can be played anywhere.
    if (context.folder !== folder || !(context.trusted || isRecording)) throw folderUntrusted(folder);
    const { contexts, clients } = this.#deps;
    contexts.add(context, clients.describe(client)?.kind ?? 'api');
  }

  async #acceptFor(client: ConnectedClient, sessionId: string, context: ClientContext) {
    const opened = await this.open(sessionId);
    const summary = opened.summary();
    opened.dispose();
    if (summary.remote !== undefined) throw failures.sessionRemote(sessionId, summary.remote.hostname);
    this.#accept(client, context, summary.project_dir ?? '', summary.recording);
    return summary;
  }

  /** Parents in trusted folders that still need the results of their children from an earlier daemon. Starts agents. */
  async #sendPendingResults(): Promise<void> {
    const { engine, contexts, lifetime } = this.#deps;
    if (lifetime.isRetiring) return;
    try {
      await engine.children?.recover(({ project_dir: folder }) => folder !== undefined && contexts.isTrusted(folder));
    } catch (error) {
      this.log.error(`Callbacks failed: ${String(error)}`);
    }
  }
}
