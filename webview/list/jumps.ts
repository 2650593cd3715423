import type { RowFocus } from './focus.ts';
import type { Anchor, List } from './list.ts';
import type { Pager } from '../store/pager.ts';
import type { Requests } from '../request/requests.ts';
import { entryKey, entryOfKey } from '../rows/rowKeys.ts';
import type { Store } from '../store/store.ts';

interface JumpsDeps {
  readonly store: Store;
  readonly list: List;
  readonly pager: Pager;
  readonly focus: RowFocus;
  readonly requests: Requests;
  readonly draw: () => void;
  readonly changed: () => void;
}

/** Jumps to entries that may not be loaded, or may be inside closed rows. */
export class Jumps {
  readonly #deps: JumpsDeps;
  /** Last target of a jump. */
  markedKey: string | undefined;

  constructor(deps: JumpsDeps) {
    this.#deps = deps;
  }

  /** Shows an entry in the middle of the screen, open and highlighted; the focus does not move. */
  async reveal(index: number): Promise<void> {
    const { store, list, pager, draw, changed } = this.#deps;
    const key = entryKey(index);
    this.markedKey = key;
    await pager.load(index);
    const entry = store.entry(index);
    if (entry === undefined || this.markedKey !== key) return;
    store.reveal(index);
    if (entry.type.kind === 'tool_use' || entry.type.kind === 'thinking') store.toggle(key, true);
    draw();
    list.scrollTo(key, 'center');
    changed();
  }

  /** Restores the reader's position. That row may have to be loaded first; until then, and without one, the end is shown. */
  async begin(anchor: Anchor | undefined): Promise<void> {
    const { store, list, pager, draw } = this.#deps;
    if (anchor !== undefined && list.restore(anchor)) return;
    list.scrollToEnd();
    if (anchor === undefined) return;
    const index = entryOfKey(anchor.key);
    if (index === undefined || index >= store.entryCount) return;
    await pager.load(index);
    // Skipped if the reader has moved since.
    if (this.markedKey !== undefined || !list.isAtEnd) return;
    draw();
    list.restore(anchor);
  }

  /** Focuses the request that has waited longest. */
  async review(): Promise<void> {
    const { store, pager, focus, requests, draw } = this.#deps;
    const id = requests.waiting[0]?.id;
    if (id === undefined) return;
    // A request is open while it waits; if it is not loaded, it is one of those.
    for (const index of store.openEntries) {
      if (store.indexOfRequest(id) !== undefined) break;
      await pager.load(index);
    }
    const index = store.indexOfRequest(id);
    if (index === undefined) return;
    store.reveal(index);
    draw();
    focus.go(entryKey(index), 'start');
    draw();
  }
}
