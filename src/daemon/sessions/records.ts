import type { Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { FollowUpPlanner } from '../followUps/planner.ts';
import type { NewsSource } from '../clients/news.ts';
import type { Subscription } from '../clients/subscription.ts';
import type { TeamMembership } from '../team/teamMembership.ts';

/** Entries of one answer to `read`, and characters of their JSON. */
const maxPage = 500;
const maxPageCharacters = 4 << 20;
/** Entries read from the record at a time, because one may have megabytes. */
const maxConcurrentReads = 8;

type NoParams = Record<string, never>;

interface RecordsDeps {
  readonly engine: Engine;
  /** Opens a session of Vitrine or of another program. */
  readonly open: (sessionId: string) => Promise<SessionHandle>;
  readonly followUps: Pick<FollowUpPlanner, 'cancel' | 'pause'>;
  readonly news: NewsSource;
  readonly team: Pick<TeamMembership, 'deleted'>;
  readonly log: Log;
}

/** Records, as clients read and change them. */
export class Records {
  readonly #engine: Engine;
  readonly #followUps: RecordsDeps['followUps'];
  readonly #news: NewsSource;
  readonly #team: RecordsDeps['team'];
  readonly #open: RecordsDeps['open'];

  constructor({ engine, followUps, news, team, open }: RecordsDeps) {
    this.#engine = engine;
    this.#followUps = followUps;
    this.#open = open;
    this.#news = news;
    this.#team = team;
  }

  /** Calls `work` with the handle of a subscription, or a temporary one. */
  async withHandle<T>(
    sessionId: string,
    followed: Pick<Subscription, 'withHandle'> | undefined,
    work: (handle: SessionHandle) => Promise<T>,
  ): Promise<T> {
    if (followed !== undefined) return followed.withHandle(work);
    const handle = await this.#open(sessionId);
    try {
      return await work(handle);
    } finally {
      handle.dispose();
    }
  }

  async read(handle: SessionHandle, { from, to }: ParamsOf<'read'>): Promise<ResultOf<'read'>> {
    const end = Math.min(to, handle.entryCount(), from + maxPage);
    const entries: NormalizedEntry[] = [];
    let characters = 0;
    for (let at = from; at < end; at += maxConcurrentReads) {
      for (const entry of await handle.read(at, Math.min(at + maxConcurrentReads, end))) {
        characters += JSON.stringify(entry).length;
        if (entries.length > 0 && characters > maxPageCharacters) return { entries, next: entry.index };
        entries.push(entry);
      }
    }
    return { entries, next: end < Math.min(to, handle.entryCount()) ? end : null };
  }

  /** Settled entries from `from` on; waits for new ones, for new requests, or for the end of the run. */
  async transcript(
    handle: SessionHandle,
    { from, wait_ms, waiting }: ParamsOf<'transcript'>,
  ): Promise<ResultOf<'transcript'>> {
    const known = new Set(waiting);
    const settled = (): number => Math.min(handle.entryCount(), ...handle.openIndexes());
    const requests = () => [...(handle.conversation()?.pendingRequests() ?? [])];
    const isNew = (): boolean => {
      const now = requests();
      return !handle.isLive() || settled() > from || now.length !== known.size || now.some(({ id }) => !known.has(id));
    };
    if (!isNew()) await waitForChange(handle, isNew, wait_ms);
    const { entries } = await this.read(handle, { session_id: handle.id, from, to: settled() });
    const next = (entries.at(-1)?.index ?? from - 1) + 1;
    const { agent_label: agent, outcome } = handle.summary();
    const takes_messages = handle.conversation()?.takesMessages ?? false;
    return {
      entries,
      next,
      live: handle.isLive() || next < settled(),
      outcome,
      agent,
      requests: requests(),
      takes_messages,
    };
  }

  async rename({ session_id, title }: ParamsOf<'rename'>): Promise<NoParams> {
    await this.#engine.rename(session_id, title);
    return {};
  }

  async setHidden({ session_id, hidden }: ParamsOf<'setHidden'>): Promise<NoParams> {
    await this.#engine.setHidden(session_id, hidden);
    return {};
  }

  async relink({ session_id, folder, by }: ParamsOf<'relink'>): Promise<NoParams> {
    await this.#engine.relink(session_id, folder, by);
    return {};
  }

  async remove({ session_id, reason }: ParamsOf<'remove'>): Promise<NoParams> {
    await this.#engine.remove(session_id, reason);
    if (reason === 'user') await this.#team.deleted(session_id);
    this.#news.removed(session_id);
    return {};
  }

  async noteExport({ session_id, decision }: ParamsOf<'noteExport'>): Promise<NoParams> {
    await this.#engine.archive.noteExport(session_id, decision);
    return {};
  }

  async noteReview({ session_id, decision }: ParamsOf<'noteReview'>): Promise<NoParams> {
    await this.#engine.archive.noteReview(session_id, decision);
    return {};
  }

  async raiseBudget({ session_id, bound }: ParamsOf<'raiseBudget'>): Promise<NoParams> {
    await this.#engine.budgets.raise(session_id, bound);
    return {};
  }

  async setFollowUps({ session_id, to }: ParamsOf<'setFollowUps'>): Promise<NoParams> {
    await (to === 'cancelled'
      ? this.#followUps.cancel(session_id)
      : this.#engine.followUps.turn(session_id, to === 'on'));
    return {};
  }

  async pauseFollowUps({ paused }: ParamsOf<'pauseFollowUps'>): Promise<NoParams> {
    await this.#followUps.pause(paused);
    return {};
  }

  async import(request: ParamsOf<'import'>): Promise<ResultOf<'import'>> {
    const report = await this.#engine.archive.import(request);
    const imported = await this.#open(report.sessionId);
    this.#news.summaryChanged(imported.summary());
    imported.dispose();
    return report;
  }

  pack({ session_ids }: ParamsOf<'pack'>): Promise<ResultOf<'pack'>> {
    return this.#engine.archive.pack(session_ids);
  }

  async unpack({ session_id }: ParamsOf<'unpack'>): Promise<NoParams> {
    await this.#engine.archive.unpack(session_id);
    return {};
  }

  async sweep(): Promise<ResultOf<'sweep'>> {
    const { ended, interrupted } = await this.#engine.sweep();
    return { ended: [...ended], interrupted: [...interrupted] };
  }
}

/** Settles when `isNew` is true, or after `ms`. */
function waitForChange(handle: SessionHandle, isNew: () => boolean, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const registration of registrations) registration.dispose();
      resolve();
    };
    const look = (): void => {
      if (isNew()) end();
    };
    const timer = setTimeout(end, ms);
    const registrations = [handle.onUpdates(look), handle.onSummary(look), handle.onConversation(look)];
  });
}
