import type { ObservedHistory } from '../../engine/import/importObserved.ts';
import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { openObserved } from '../../engine/sources/following/openObserved.ts';
import type { ObservedUse } from '../../insight/budgets/spentOfLimit.ts';
import { cleanupDays } from '../../engine/sources/cleanup/cleanupDays.ts';
import { observedId } from '../../engine/sources/ids.ts';
import { observedAgents } from '../../model/session/observed.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { IndexThread } from '../indexing/indexThread.ts';
import { RemoteSessions, type RemoteSessionsDeps } from '../indexing/remoteSessions.ts';
import type { JoinedSessions } from '../joining/joinedSessions.ts';
import { SessionCopier, type SessionCopierDeps } from './sessionCopier.ts';
import { RepositoryLookup, SessionScope } from './scope.ts';
import { SourcesWatch, type OwnSessions } from './sourcesWatch.ts';
import type { NewsFeed } from '../clients/news.ts';

/** Places with stores of their own: people have one, tests have more. */
const maxPlaces = 8;

export interface ObservedSourcesDeps {
  readonly own: OwnSessions;
  readonly joinedSessions: JoinedSessions;
  readonly engine: SessionCopierDeps['engine'];
  /** A session from another program was copied into a record. */
  readonly onCopied: (summary: SessionSummary) => void;
  readonly prices: () => Promise<PriceTable>;
  readonly log: Log;
  readonly thread: IndexThread;
  readonly saved: RemoteSessionsDeps['saved'];
}

/** Sessions from other programs, for all clients. Where their stores are is what the clients say. */
export class ObservedSources {
  readonly copier: SessionCopier;
  readonly #deps: ObservedSourcesDeps;
  readonly #repositories = new RepositoryLookup();
  readonly #sessionsByPlace = new Map<string, RemoteSessions>();
  readonly #watches = new Set<SourcesWatch>();
  /** Listeners for usage of sessions, and the watches that each one needs. */
  readonly #usageListeners = new Map<() => void, Disposable[]>();

  constructor(deps: ObservedSourcesDeps) {
    this.#deps = deps;
    this.copier = new SessionCopier({
      ...deps,
      history: (id) => this.#findHistory(id),
      onCopied: (summary) => {
        this.#removeOwn(summary);
        deps.onCopied(summary);
      },
    });
  }

  /** Tells `feed` of changes until the watch is disposed. */
  async watch(
    params: ParamsOf<'watchSources'>,
    feed: NewsFeed,
  ): Promise<{ readonly watch: SourcesWatch; readonly result: ResultOf<'watchSources'> }> {
    const sessions = this.#sessionsAt(params);
    const scope = new SessionScope(params.scope, params.folders, this.#repositories);
    const watch = new SourcesWatch({
      sessions,
      scope,
      feed,
      own: this.#deps.own,
      joinedSessions: this.#deps.joinedSessions,
      copier: this.copier,
      copiesAll: params.keep_all,
      log: this.#deps.log,
      onDispose: () => this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    const result = await watch.begin(params.limit);
    const place = { env: params.variables, home: params.home, platform: process.platform };
    const cleanup_days = await cleanupDays(place);
    return { watch, result: { ...result, looked_in: [...sessions.folders()], cleanup_days } };
  }

  /** A session became Vitrine's own without a run. */
  #removeOwn({ session_id, executor_session_ids }: SessionSummary): void {
    for (const watch of this.#watches) watch.addRecorded(executor_session_ids, session_id);
  }

  /** Follows a session; `undefined` if no client has named its store, or it does not exist. */
  async open(id: string): Promise<SessionHandle | undefined> {
    for (const sessions of this.#sessionsByPlace.values()) {
      const handle = await openObserved(sessions, id, { ...this.#deps, clock: Date.now });
      if (handle !== undefined) return handle;
    }
    return undefined;
  }

  /** Complete content of the agent's own file of any session, also of those that Vitrine recorded; `undefined` if there is none. */
  async historyOf(session: SessionSummary): Promise<ObservedHistory | undefined> {
    const { observed, executor_type, executor_session_id: native } = session;
    const agent = observedAgents.find((observedAgent) => observedAgent === (observed?.agent ?? executor_type));
    if (agent === undefined || native === undefined) return undefined;
    return (await this.#findHistory(observedId(agent, native))) ?? this.#findHistory(session.session_id);
  }

  async #findHistory(id: string): Promise<ObservedHistory | undefined> {
    for (const sessions of this.#sessionsByPlace.values()) {
      const history = await sessions.history(id);
      if (history !== undefined) return history;
    }
    return undefined;
  }

  /** Usage of the sessions in the stores that clients have named. */
  async usage(): Promise<ObservedUse[]> {
    const all = await Promise.all([...this.#sessionsByPlace.values()].map((sessions) => sessions.list()));
    return all.flat().map(({ executor_session_ids: nativeIds, executor_type: executor, last_day: lastDay }) => ({
      nativeIds,
      executor,
      lastDay,
    }));
  }

  /** Watches the sessions, as far as clients have said where they are, until it is disposed. */
  onUsage(listener: () => void): Disposable {
    const own = (): void => listener();
    this.#usageListeners.set(
      own,
      [...this.#sessionsByPlace.values()].map((sessions) => sessions.subscribe(own)),
    );
    return {
      dispose: () => {
        for (const look of this.#usageListeners.get(own) ?? []) look.dispose();
        this.#usageListeners.delete(own);
      },
    };
  }

  dispose(): void {
    for (const sessions of this.#sessionsByPlace.values()) sessions.dispose();
  }

  #sessionsAt({ home, variables }: Pick<ParamsOf<'watchSources'>, 'home' | 'variables'>): RemoteSessions {
    const sorted = Object.entries(variables).sort(([a], [b]) => a.localeCompare(b));
    const key = JSON.stringify([home, sorted]);
    const known = this.#sessionsByPlace.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#sessionsByPlace.keys();
    if (this.#sessionsByPlace.size >= maxPlaces && oldest !== undefined) {
      this.#sessionsByPlace.get(oldest)?.dispose();
      this.#sessionsByPlace.delete(oldest);
    }
    const { thread, saved, log } = this.#deps;
    const created = new RemoteSessions({ place: { key, home, variables }, thread, saved, log });
    this.#sessionsByPlace.set(key, created);
    for (const [listener, looks] of this.#usageListeners) looks.push(created.subscribe(listener));
    return created;
  }
}
