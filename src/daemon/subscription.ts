import type { Disposable, SessionHandle } from '../engine/api.ts';
import type { SessionSnapshot, SessionUpdate } from '../protocol/daemon/calls.ts';
import { PendingUpdates } from './pendingUpdates.ts';

export function snapshotOf(handle: SessionHandle): SessionSnapshot {
  const conversation = handle.conversation();
  return {
    summary: handle.summary(),
    total: handle.total(),
    open: [...handle.open()],
    live: handle.live(),
    takesMessages: conversation?.takesMessages ?? false,
    requests: [...(conversation?.pending() ?? [])],
    queued: (conversation?.queued() ?? []).map(({ id, text }) => ({ id, text })),
  };
}

/** Sends the changes of one session to one client: one batch in flight, later changes merged while it waits. */
export class Subscription implements Disposable {
  readonly #id: number;
  readonly #handle: SessionHandle;
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #pending = new PendingUpdates();
  #isStateChanged = false;
  #isSending = false;
  #isDisposed = false;
  #seq = 0;

  /** Takes over the handle and disposes it. */
  constructor(id: number, handle: SessionHandle, send: (update: SessionUpdate) => Promise<void>) {
    this.#id = id;
    this.#handle = handle;
    this.#send = send;
    handle.onUpdates((updates) => {
      this.#pending.add(updates);
      this.#pump();
    });
    const stateChanged = (): void => {
      this.#isStateChanged = true;
      this.#pump();
    };
    handle.onSummary(stateChanged);
    handle.onConversation(stateChanged);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#handle.dispose();
  }

  #pump(): void {
    if (this.#isSending || this.#isDisposed || (this.#pending.isEmpty && !this.#isStateChanged)) return;
    this.#isSending = true;
    this.#isStateChanged = false;
    this.#seq += 1;
    const update = { subscription: this.#id, seq: this.#seq, ...this.#pending.take(), state: snapshotOf(this.#handle) };
    const sent = (): void => {
      this.#isSending = false;
      this.#pump();
    };
    // A connection that fails closes, and its end disposes this.
    this.#send(update).then(sent, () => undefined);
  }
}
