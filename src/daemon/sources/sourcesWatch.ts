import type { Disposable, Log } from '../../engine/api.ts';
import type { ObservedFeed } from '../../engine/sources/following/openObserved.ts';
import type { SourcesChange } from '../../engine/sources/sources.ts';
import { toSessionSummary } from '../../insight/observed/asSession.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { NewsFeed } from '../clients/news.ts';
import type { JoinedSessions } from '../joining/joinedSessions.ts';
import type { SessionCopier } from './sessionCopier.ts';
import type { SessionScope } from './scope.ts';

/** Which of the agents' own ids belong to sessions that Vitrine recorded itself. */
export interface OwnSessions {
  /** Ids of Vitrine's sessions, by the agent's id. */
  recordedIds(): Promise<ReadonlyMap<string, string>>;
  /** Called when an agent gives a session another id. */
  onRecorded(listener: (nativeIds: readonly string[], sessionId: string) => void): Disposable;
}

interface SourcesWatchDeps {
  readonly sessions: ObservedFeed;
  readonly scope: SessionScope;
  readonly feed: Pick<NewsFeed, 'summary' | 'removed'>;
  readonly own: OwnSessions;
  /** State of the sessions that clients have joined. */
  readonly joinedSessions: Pick<JoinedSessions, 'describeSession' | 'onChange'>;
  readonly copier: Pick<SessionCopier, 'look' | 'isCopy' | 'isRunning'>;
  /** Every session that has ended is copied into a record. */
  readonly copiesAll: boolean;
  readonly log: Log;
  readonly onDispose: () => void;
}

/** Reports sessions from other programs to one client. */
export class SourcesWatch implements Disposable {
  readonly #deps: SourcesWatchDeps;
  /** Reported sessions, with the agent's own ids. */
  readonly #reportedSessions = new Map<string, readonly string[]>();
  /** Maximum number of reported sessions, and the time of the oldest one (ISO 8601). */
  #limit = Number.POSITIVE_INFINITY;
  #oldestUpdate = '';
  #recordedIds = new Map<string, string>();
  #registrations: readonly Disposable[] = [];
  /** Changes are reported in order, because a later one may concern the same session. */
  #lastReport: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(deps: SourcesWatchDeps) {
    this.#deps = deps;
  }

  async begin(limit: number): Promise<Omit<ResultOf<'watchSources'>, 'looked_in' | 'cleanup_days'>> {
    const { sessions, own, joinedSessions } = this.#deps;
    const earlyChanges: SourcesChange[] = [];
    let receive = (change: SourcesChange): void => void earlyChanges.push(change);
    this.#registrations = [
      sessions.subscribe((change) => receive(change)),
      own.onRecorded((ids, session) => this.addRecorded(ids, session)),
      joinedSessions.onChange((id) => void this.#resendSession(id)),
    ];
    this.#recordedIds = new Map([...(await own.recordedIds()), ...this.#recordedIds]);
    const found = await this.#shownSessions(await sessions.list());
    const newest = found.shown.sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, limit);
    this.#limit = limit;
    this.#oldestUpdate = newest.at(-1)?.updated_at ?? '';
    for (const session of newest) this.#reportedSessions.set(session.session_id, session.executor_session_ids);
    receive = (change) => {
      this.#lastReport = this.#lastReport.then(() => this.#report(change));
    };
    for (const change of earlyChanges) receive(change);
    const { shown, copies, out } = found;
    return { sessions: newest, kept: copies, out_of_scope: out, beyond: shown.length - newest.length };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#deps.onDispose();
    for (const registration of this.#registrations) registration.dispose();
  }

  async #resendSession(id: string): Promise<void> {
    if (!this.#reportedSessions.has(id)) return;
    const rows = await this.#deps.sessions.list().catch(() => []);
    const changed = rows.filter((row) => row.session_id === id);
    this.#lastReport = this.#lastReport.then(() => this.#report({ changed, removed: [] }));
  }

  async #report({ changed, removed }: SourcesChange): Promise<void> {
    try {
      const { shown } = await this.#shownSessions(changed);
      if (this.#isDisposed) return;
      const outdated = new Set([...removed, ...changed.map((session) => session.session_id)]);
      for (const summary of shown.sort((a, b) => b.updated_at.localeCompare(a.updated_at))) {
        outdated.delete(summary.session_id);
        if (this.#isBeyond(summary)) continue;
        if (this.#oldestUpdate === '' || summary.updated_at < this.#oldestUpdate)
          this.#oldestUpdate = summary.updated_at;
        this.#reportedSessions.set(summary.session_id, summary.executor_session_ids);
        this.#deps.feed.summary(summary);
      }
      for (const id of outdated) {
        // The list has the copy in its place.
        if (this.#deps.copier.isCopy(id)) this.#reportedSessions.delete(id);
        else this.#forget(id);
      }
    } catch (error) {
      this.#deps.log.error(`Could not send a client the sessions from other programs: ${String(error)}`);
    }
  }

  /** Whether the client has as many sessions as it wants, all of them newer. */
  #isBeyond({ session_id: id, updated_at: updated }: SessionSummary): boolean {
    return (
      this.#reportedSessions.size >= this.#limit && !this.#reportedSessions.has(id) && updated < this.#oldestUpdate
    );
  }

  /** Vitrine recorded a session on its own: it is in the list already. */
  addRecorded(ids: readonly string[], session: string): void {
    for (const id of ids) this.#recordedIds.set(id, session);
    // One that became Vitrine's own keeps its id.
    this.#reportedSessions.delete(session);
    for (const [reported, native] of this.#reportedSessions) {
      if (native.some((id) => ids.includes(id))) this.#forget(reported);
    }
  }

  #forget(id: string): void {
    if (this.#reportedSessions.delete(id)) this.#deps.feed.removed(id);
  }

  /** `copies`: ids in scope. A copy whose session runs again is shown as it runs. */
  async #shownSessions(
    rows: readonly ObservedSummary[],
  ): Promise<{ shown: SessionSummary[]; copies: string[]; out: number }> {
    const { copier, copiesAll, scope, joinedSessions } = this.#deps;
    await copier.look(rows, { recorded: this.#recordedIds, copiesAll });
    const shown: SessionSummary[] = [];
    const copies: string[] = [];
    let out = 0;
    for (const row of rows) {
      const { session_id: id } = row;
      const isOwn = row.executor_session_ids.some((nativeId) => this.#recordedIds.has(nativeId));
      if (isOwn && !copier.isCopy(id)) continue;
      const summary = joinedSessions.describeSession(toSessionSummary(row));
      const isInScope = await scope.includes(summary);
      if (isOwn && isInScope) copies.push(id);
      if (isOwn && !copier.isRunning(id)) continue;
      if (isInScope) shown.push(summary);
      else out += 1;
    }
    return { shown, copies, out };
  }
}
