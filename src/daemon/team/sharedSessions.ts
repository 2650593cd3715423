import type { Log } from '../../engine/api.ts';
import { asShared } from '../../insight/session/asShared.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import { TeamError } from '../../team/errors.ts';
import type { Database } from '../../team/database/connection.ts';
import type { ChangeHint } from '../../team/database/link.ts';
import { findShared, listShared, sharedState, type SharedSession } from '../../team/records/sharedSessions.ts';
import type { UseDatabase } from './outbox.ts';

/** The newest ones are listed. */
const maxListed = 1000;
/** Between two looks at one session, in ms: a running one changes with each line. */
const pauseMs = 500;

export interface SharedListDeps {
  /** Login of this store; its own sessions are not listed. */
  readonly user: string;
  readonly use: UseDatabase;
  readonly isConnected: () => boolean;
  readonly onChanged: (summary: SessionSummary) => void;
  readonly onRemoved: (sessionId: string) => void;
  readonly log: Log;
}

/** The sessions of other members that this login may see, as lists show them; kept up to date once someone asked. */
export class SharedList {
  readonly #deps: SharedListDeps;
  readonly #knownIds = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isWatched = false;

  constructor(deps: SharedListDeps) {
    this.#deps = deps;
  }

  /** Sessions for a client's list. From then on, reports changes. Empty until there is a connection. */
  async watch(): Promise<Omit<ResultOf<'sharedSessions'>, 'own'>> {
    this.#isWatched = true;
    const sessions = await this.#listSummaries();
    return {
      sessions: sessions ?? [],
      is_connected: sessions !== null,
      is_complete: (sessions?.length ?? 0) < maxListed,
      as_of: new Date().toISOString(),
    };
  }

  handleHint({ kind, id }: ChangeHint): void {
    if (!this.#isWatched || (kind !== 'session' && kind !== 'lines' && kind !== 'withdrawn')) return;
    // Someone left, with all of their sessions.
    if (id === '') void this.resume();
    else if (!this.#timers.has(id)) {
      const timer = setTimeout(() => {
        this.#timers.delete(id);
        void this.#refreshSession(id);
      }, pauseMs);
      timer.unref();
      this.#timers.set(id, timer);
    }
  }

  /** After a connection was made: hints may have been lost. Never rejects. */
  async resume(): Promise<void> {
    if (!this.#isWatched) return;
    const before = [...this.#knownIds];
    const sessions = await this.#listSummaries();
    if (sessions === null) return;
    for (const summary of sessions) this.#deps.onChanged(summary);
    for (const id of before) if (!this.#knownIds.has(id)) this.#deps.onRemoved(id);
  }

  /** The store leaves the team. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    for (const id of this.#knownIds) this.#deps.onRemoved(id);
    this.#knownIds.clear();
  }

  async #listSummaries(): Promise<SessionSummary[] | null> {
    const found = await this.#ifConnected((database) => listShared(database, maxListed));
    if (found === null) return null;
    const summaries = found.flatMap((session) => this.#summaryOf(session));
    this.#knownIds.clear();
    for (const { session_id } of summaries) this.#knownIds.add(session_id);
    return summaries;
  }

  async #refreshSession(id: string): Promise<void> {
    const found = await this.#ifConnected(async (database) => ({ session: await findShared(database, id) }));
    if (found === null) return;
    const [summary] = found.session === null ? [] : this.#summaryOf(found.session);
    if (summary !== undefined) {
      this.#knownIds.add(id);
      this.#deps.onChanged(summary);
    } else if (this.#knownIds.delete(id)) this.#deps.onRemoved(id);
  }

  #summaryOf(session: SharedSession): SessionSummary[] {
    const { user } = this.#deps;
    if (session.summary === null || session.owner === user) return [];
    return [asShared(session.summary, sharedState(session, user))];
  }

  async #ifConnected<T>(work: (database: Database) => Promise<T>): Promise<T | null> {
    if (!this.#deps.isConnected()) return null;
    try {
      return await this.#deps.use(work);
    } catch (error) {
      if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Team sessions: ${String(error)}`);
      return null;
    }
  }
}
