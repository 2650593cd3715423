import type { RowFocus } from './focus.ts';
import type { Anchor, List } from './list.ts';
import type { Pager } from '../store/pager.ts';
import type { Requests } from '../request/requests.ts';
import { entryKey } from '../rows/rowKeys.ts';
import type { Store } from '../store/store.ts';

/** The entry that a row's key names, or the first of a group. */
const entryInKey = /^(?:h:)?[eg]:(\d+)/;

interface JumpsDeps {
  readonly store: Store;
  readonly list: List;
  readonly pager: Pager;
  readonly focus: RowFocus;
  readonly requests: Requests;
  readonly draw: () => void;
  readonly changed: () => void;
}

/** Leads to entries that may not be loaded, or be hidden by what is closed. */
export class Jumps {
  readonly #deps: JumpsDeps;
  /** Row that was jumped to last. */
  markedKey: string | undefined;

  constructor(deps: JumpsDeps) {
    this.#deps = deps;
  }

  /** Shows an entry in the middle of the screen, open and marked; the focus stays where it is. */
  async reveal(index: number): Promise<void> {
    const { store, list, pager, draw, changed } = this.#deps;
    const key = entryKey(index);
    this.markedKey = key;
    await pager.load(index);
    const entry = store.entry(index);
    if (entry === undefined || this.markedKey !== key) return;
    store.uncover(index);
    if (entry.type.kind === 'tool_use' || entry.type.kind === 'thinking') store.toggle(key, true);
    draw();
    list.scrollTo(key, 'center');
    changed();
  }

  /** Goes to where the reader was. That row may have to be loaded first: until it is, and without one, the end is shown. */
  async begin(anchor: Anchor | undefined): Promise<void> {
    const { store, list, pager, draw } = this.#deps;
    if (anchor !== undefined && list.restore(anchor)) return;
    list.scrollToEnd();
    if (anchor === undefined) return;
    const index = Number(entryInKey.exec(anchor.key)?.[1]);
    if (!(index < store.total)) return;
    await pager.load(index);
    // Who has gone elsewhere meanwhile stays there.
    if (this.markedKey !== undefined || !list.atEnd) return;
    draw();
    list.restore(anchor);
  }

  /** Puts the focus on what the request asks that waits longest, to be read. */
  async review(): Promise<void> {
    const { store, pager, focus, requests, draw } = this.#deps;
    const id = requests.waiting[0]?.id;
    if (id === undefined) return;
    // A request is open as long as it waits: where it is not loaded, it is one of those.
    for (const index of store.openEntries) {
      if (store.indexOfRequest(id) !== undefined) break;
      await pager.load(index);
    }
    const index = store.indexOfRequest(id);
    if (index === undefined) return;
    store.uncover(index);
    draw();
    focus.go(entryKey(index), 'start');
    draw();
  }
}
