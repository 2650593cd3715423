import type { Disposable, Notice, SessionHandle } from '../../engine/api.ts';
import type { RunResult } from '../../model/session/result.ts';
import type {
  EndedRun,
  FollowedState,
  SessionNotice,
  SessionSnapshot,
  SessionUpdate,
} from '../../protocol/daemon/session.ts';
import { failureData } from '../failures.ts';
import { PendingUpdates } from './pendingUpdates.ts';

/** Notices that wait for a client. */
const maxNotices = 100;
/** Lines about damage in a record. */
const maxProblems = 100;

function snapshotOf(handle: SessionHandle): SessionSnapshot {
  const conversation = handle.conversation();
  const otherVersion = handle.otherVersion?.();
  return {
    summary: handle.summary(),
    turns: [...handle.turns()],
    total: handle.entryCount(),
    open: [...handle.openIndexes()],
    live: handle.isLive(),
    ...(otherVersion !== undefined && { other_version: otherVersion }),
    dialogue: conversation !== null,
    takesMessages: conversation?.takesMessages ?? false,
    requests: [...(conversation?.pendingRequests() ?? [])],
    queued: (conversation?.queuedMessages() ?? []).map(({ id, text }) => ({ id, text })),
    sizes: handle.sizes(),
    problems: handle.problems().slice(0, maxProblems),
  };
}

/** Sends the changes of one session to one client: one batch in flight, later changes merged while it waits. */
export class Subscription implements Disposable {
  readonly handle: SessionHandle;
  readonly #id: number;
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #pendingUpdates = new PendingUpdates();
  #notices: SessionNotice[] = [];
  /** The newest run whose end was reported. */
  #newestEndedRun: EndedRun | undefined;
  #isEndUnreported = false;
  #watchedEnd: Promise<unknown> | undefined;
  #isStateChanged = false;
  #isSending = false;
  #isDisposed = false;
  #activeUses = 0;
  #seq = 0;

  /** Owns and disposes the handle. `startedSummary`: a run has just started, and may already have ended. */
  constructor(id: number, handle: SessionHandle, started: boolean, send: (update: SessionUpdate) => Promise<void>) {
    this.#id = id;
    this.handle = handle;
    this.#send = send;
    handle.onUpdates((updates) => {
      this.#pendingUpdates.add(updates);
      this.#pump();
    });
    const stateChanged = (): void => {
      this.#awaitEnd();
      this.#isStateChanged = true;
      this.#pump();
    };
    handle.onSummary(stateChanged);
    handle.onConversation(stateChanged);
    handle.onNotice((notice) => {
      const data = dataOf(notice);
      if (data !== null && this.#notices.length < maxNotices) this.#notices.push(data);
      this.#pump();
    });
    this.#awaitEnd(started);
  }

  /** Call this right after the subscription was created: later changes are sent as updates. */
  begin(): FollowedState {
    return { subscription: this.#id, state: snapshotOf(this.handle), entries: [...this.handle.openEntries()] };
  }

  /** Lets the client follow the session again, because another handle shows more of it. */
  renew(): void {
    this.#pendingUpdates.drop();
    this.#pump();
  }

  /** Keeps the handle open until the work has ended. */
  async withHandle<T>(work: (handle: SessionHandle) => Promise<T>): Promise<T> {
    this.#activeUses += 1;
    try {
      return await work(this.handle);
    } finally {
      this.#activeUses -= 1;
      this.#release();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#release();
  }

  #release(): void {
    if (this.#isDisposed && this.#activeUses === 0) this.handle.dispose();
  }

  /** Waits for the end of the active run, once. */
  #awaitEnd(started = false): void {
    const { done } = this.handle;
    if (!(started || this.handle.isLive()) || this.#watchedEnd === done) return;
    this.#watchedEnd = done;
    const run_id = this.handle.turns().at(-1)?.runId;
    void done.then((result: RunResult | undefined) => {
      if (result === undefined || run_id === undefined) return;
      this.#newestEndedRun = { run_id, result };
      this.#isEndUnreported = true;
      this.#pump();
    });
  }

  #pump(): void {
    const isNews =
      !this.#pendingUpdates.isEmpty || this.#isStateChanged || this.#isEndUnreported || this.#notices.length > 0;
    if (this.#isSending || this.#isDisposed || !isNews) return;
    this.#isSending = true;
    this.#seq += 1;
    const { updates, hasGap } = this.#pendingUpdates.takeBatch();
    const update: SessionUpdate = {
      subscription: this.#id,
      seq: this.#seq,
      updates,
      gap: hasGap,
      state: snapshotOf(this.handle),
      notices: this.#notices,
      ...(this.#isEndUnreported && this.#newestEndedRun !== undefined && { ended: this.#newestEndedRun }),
    };
    this.#isStateChanged = false;
    this.#isEndUnreported = false;
    this.#notices = [];
    const sent = (): void => {
      this.#isSending = false;
      this.#pump();
    };
    // A failed connection closes, and its end disposes this.
    this.#send(update).then(sent, () => undefined);
  }
}

function dataOf({ severity, failure }: Notice): SessionNotice | null {
  const data = failureData(failure);
  return data === null ? null : { severity, failure: data };
}
