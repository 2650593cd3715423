import type { Channel } from './channel.ts';
import type { FromPage, PageUpdate, ToPage } from './messages.ts';

/**
 * Adds updates to those that wait: a `put` takes the place of everything before it for that entry, an `append` joins the
 * update it follows. The order of first appearance stays.
 */
export function mergeUpdates(waiting: Map<number, PageUpdate>, updates: readonly PageUpdate[]): void {
  for (const update of updates) {
    const index = update.op === 'put' ? update.entry.index : update.index;
    const earlier = waiting.get(index);
    if (update.op === 'put' || earlier === undefined) waiting.set(index, update);
    else if (earlier.op === 'append') waiting.set(index, { ...earlier, text: earlier.text + update.text });
    else waiting.set(index, { ...earlier, entry: grown(earlier.entry, update.text) });
  }
}

function grown<E extends Extract<PageUpdate, { op: 'put' }>['entry']>(entry: E, text: string): E {
  const content = entry.content + text;
  if (entry.type.kind !== 'thinking' || entry.type.reasoning === undefined) return { ...entry, content };
  return { ...entry, content, type: { ...entry.type, reasoning: entry.type.reasoning + text } };
}

/**
 * The host's side of "at most one batch in flight": updates wait, merged, until the page has drawn the last batch. A page
 * that is hidden does not draw, so it gets the newest state in one batch when it is looked at again.
 */
export class UpdateFeed {
  readonly #channel: Channel<ToPage, FromPage>;
  readonly #waiting = new Map<number, PageUpdate>();
  #total = 0;
  #inFlight: number | undefined;

  constructor(channel: Channel<ToPage, FromPage>) {
    this.#channel = channel;
  }

  /** To be called with the `seq` of each `init`: what waited is part of it, and nothing goes out before it is drawn. */
  began(seq: number): void {
    this.#waiting.clear();
    this.#inFlight = seq;
  }

  /** `total` is the number of entries in the session with these updates. */
  push(updates: readonly PageUpdate[], total: number): void {
    mergeUpdates(this.#waiting, updates);
    this.#total = total;
    this.#flush();
  }

  /** To be called for each `ack` of the current generation. */
  acknowledged(seq: number): void {
    if (this.#inFlight !== undefined && seq >= this.#inFlight) this.#inFlight = undefined;
    this.#flush();
  }

  #flush(): void {
    if (this.#inFlight !== undefined || this.#waiting.size === 0) return;
    const updates = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#inFlight = this.#channel.send({ type: 'updates', updates, total: this.#total });
  }
}
