import type { Disposable } from '../../engine/api.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CoordinatorEvent } from '../../model/transcript/event.ts';
import type { Share } from '../../model/session/share.ts';
import type { Run } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { News } from '../../protocol/daemon/calls.ts';
import type { IndexProgress } from '../../protocol/daemon/catalogue.ts';
import type { FollowUpsState } from '../../protocol/daemon/followUps.ts';
import { changedRunSchema, type ChangedRun } from '../../protocol/daemon/queue.ts';
import { failureData } from '../failures.ts';

/** Maximum waiting events per client; older ones are dropped. */
const maxEvents = 2000;
const maxUndelivered = 100;
/** Maximum sessions per batch: with thousands in one message, the daemon needs tens of megabytes for it. */
const maxSummariesOfBatch = 200;
/** Maximum waiting changes of queued runs per client, and per batch. More than the queue's limits create at once. */
const maxRunChanges = 20_000;
const maxRunsOfBatch = 100;

/** Distributes news about sessions to all watching clients. */
export class NewsSource {
  readonly #feeds = new Set<NewsFeed>();

  constructor(engine: Pick<Engine, 'onSummary' | 'onEvent'>) {
    engine.onSummary((summary) => this.#notify((feed) => feed.summary(summary)));
    engine.onEvent((event) => this.#notify((feed) => feed.event(event)));
  }

  /** A session changed in lists without a run. */
  summaryChanged(summary: SessionSummary): void {
    this.#notify((feed) => feed.summary(summary));
  }

  removed(sessionId: string): void {
    this.#notify((feed) => feed.removed(sessionId));
  }

  /** The team sees this much of an own session now. */
  shareChanged(sessionId: string, share: Share): void {
    this.#notify((feed) => feed.share(sessionId, share));
  }

  add(feed: NewsFeed): Disposable {
    this.#feeds.add(feed);
    return { dispose: () => this.#feeds.delete(feed) };
  }

  reportUndelivered(sessionId: string, failure: EngineFailure): void {
    this.#notify((feed) => feed.reportUndelivered(sessionId, failure));
  }

  followUps(state: FollowUpsState): void {
    this.#notify((feed) => feed.followUps(state));
  }

  /** `null`: everything is indexed. */
  indexing(progress: IndexProgress | null): void {
    this.#notify((feed) => feed.indexing(progress));
  }

  /** Call when runners come or go, or the team changes. */
  queueChanged(): void {
    this.#notify((feed) => feed.queueChanged());
  }

  run(run: Run): void {
    const changed = changedRunSchema.parse(run);
    this.#notify((feed) => feed.run(changed));
  }

  #notify(about: (feed: NewsFeed) => void): void {
    for (const feed of this.#feeds) about(feed);
  }
}

/** News for one client: one batch in flight, and a bounded queue. */
export class NewsFeed {
  /** Whether to send coordinator events too. */
  wantsEvents = false;
  /** Whether to send changes of queued runs too. */
  wantsRuns = false;
  readonly #send: (news: News) => Promise<void>;
  readonly #summaries = new Map<string, SessionSummary>();
  #removedIds = new Set<string>();
  #shares = new Map<string, Share>();
  #events: CoordinatorEvent[] = [];
  #failedDeliveries: News['undelivered'] = [];
  #runs: ChangedRun[] = [];
  #followUps: FollowUpsState | undefined;
  #indexProgress: IndexProgress | null | undefined;
  #hasQueueChanged = false;
  #isSending = false;

  constructor(send: (news: News) => Promise<void>) {
    this.#send = send;
  }

  summary(summary: SessionSummary): void {
    this.#removedIds.delete(summary.session_id);
    this.#summaries.set(summary.session_id, summary);
    this.#pump();
  }

  removed(sessionId: string): void {
    this.#summaries.delete(sessionId);
    this.#removedIds.add(sessionId);
    this.#pump();
  }

  share(sessionId: string, share: Share): void {
    this.#shares.set(sessionId, share);
    this.#pump();
  }

  event(event: CoordinatorEvent): void {
    if (!this.wantsEvents) return;
    this.#events.push(event);
    if (this.#events.length > maxEvents) this.#events.shift();
    this.#pump();
  }

  reportUndelivered(session_id: string, error: EngineFailure): void {
    const failure = failureData(error);
    if (failure === null || this.#failedDeliveries.length >= maxUndelivered) return;
    this.#failedDeliveries.push({ session_id, failure });
    this.#pump();
  }

  followUps(state: FollowUpsState): void {
    this.#followUps = state;
    this.#pump();
  }

  indexing(progress: IndexProgress | null): void {
    this.#indexProgress = progress;
    this.#pump();
  }

  run(run: ChangedRun): void {
    if (!this.wantsRuns) return;
    this.#runs.push(run);
    if (this.#runs.length > maxRunChanges) this.#runs.shift();
    this.#pump();
  }

  queueChanged(): void {
    if (!this.wantsRuns) return;
    this.#hasQueueChanged = true;
    this.#pump();
  }

  #pump(): void {
    const lists = [this.#events, this.#failedDeliveries, this.#runs];
    const sets = this.#summaries.size + this.#removedIds.size + this.#shares.size;
    const count = sets + lists.reduce((sum, { length }) => sum + length, 0);
    const isQuiet =
      count === 0 && this.#followUps === undefined && this.#indexProgress === undefined && !this.#hasQueueChanged;
    if (this.#isSending || isQuiet) return;
    this.#isSending = true;
    const news: News = {
      summaries: this.#takeSummaries(),
      removed: [...this.#removedIds],
      events: this.#events,
      undelivered: this.#failedDeliveries,
      runs: this.#runs.splice(0, maxRunsOfBatch),
      ...(this.#shares.size > 0 && { shares: [...this.#shares].map(([session_id, share]) => ({ session_id, share })) }),
      ...(this.#followUps !== undefined && { follow_ups: this.#followUps }),
      ...(this.#indexProgress !== undefined && { indexing: this.#indexProgress }),
      ...(this.#hasQueueChanged && { queue_changed: true }),
    };
    this.#removedIds = new Set();
    this.#shares = new Map();
    this.#events = [];
    this.#failedDeliveries = [];
    this.#followUps = undefined;
    this.#indexProgress = undefined;
    this.#hasQueueChanged = false;
    const sent = (): void => {
      this.#isSending = false;
      this.#pump();
    };
    // A failed connection closes, and its end removes this.
    this.#send(news).then(sent, () => undefined);
  }

  #takeSummaries(): SessionSummary[] {
    const taken = [...this.#summaries.values()].slice(0, maxSummariesOfBatch);
    for (const { session_id: id } of taken) this.#summaries.delete(id);
    return taken;
  }
}
