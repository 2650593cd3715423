import type { Channel } from '../channel.ts';
import { appendText, SentState } from './sentState.ts';
import type { FromPage, PageUpdate, Packet, SessionView, ToPage } from './messages.ts';

/**
 * Merges updates into the waiting ones: a `put` replaces everything before it for that entry, an `append` joins the update
 * that it follows. The order of first appearance stays.
 */
export function mergeUpdates(waiting: Map<number, PageUpdate>, updates: readonly PageUpdate[]): void {
  for (const update of updates) {
    const index = update.op === 'put' ? update.entry.index : update.index;
    const earlier = waiting.get(index);
    if (update.op === 'put' || earlier === undefined) waiting.set(index, update);
    else if (earlier.op === 'append') waiting.set(index, { ...earlier, text: earlier.text + update.text });
    else waiting.set(index, { ...earlier, entry: appendText(earlier.entry, update.text) });
  }
}

/**
 * Sends changes of a session to the page. Changes of the view go out immediately. Of entries, at most one batch is in flight:
 * updates wait, merged, until the page has drawn the last batch. A hidden page does not draw, so it gets the newest state
 * when it is shown again.
 */
export class UpdateFeed {
  readonly #channel: Channel<Packet, FromPage>;
  readonly #pendingUpdates = new Map<number, PageUpdate>();
  readonly #last = new SentState();
  #total = 0;
  #unacknowledgedSeq: number | undefined;

  constructor(channel: Channel<Packet, FromPage>) {
    this.#channel = channel;
  }

  /** Sends the initial state, including waiting updates; no update is sent before it is drawn. */
  begin(init: Extract<ToPage, { type: 'init' }>): void {
    this.#pendingUpdates.clear();
    this.#last.begin(init);
    this.#unacknowledgedSeq = this.#channel.send(init);
  }

  /** Sends changes of the view. */
  show(view: SessionView): void {
    const change = this.#last.encodeView(view);
    if (change !== undefined) this.#channel.send({ type: 'view', change });
  }

  /** `total` is the number of entries in the session with these updates. */
  push(updates: readonly PageUpdate[], total: number): void {
    mergeUpdates(this.#pendingUpdates, updates);
    this.#total = total;
    this.#flush();
  }

  /** Call this for each `ack` of the current generation. */
  acknowledge(seq: number): void {
    if (this.#unacknowledgedSeq !== undefined && seq >= this.#unacknowledgedSeq) this.#unacknowledgedSeq = undefined;
    this.#flush();
  }

  #flush(): void {
    if (this.#unacknowledgedSeq !== undefined || this.#pendingUpdates.size === 0) return;
    const updates = [...this.#pendingUpdates.values()].map((update) => this.#last.encodeUpdate(update));
    this.#pendingUpdates.clear();
    this.#unacknowledgedSeq = this.#channel.send({ type: 'updates', updates, total: this.#total });
  }
}
