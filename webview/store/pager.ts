import type { FromPage, ToPage } from '../../src/protocol/panel/messages.ts';
import type { List } from '../list/list.ts';
import { pageSize, type Store } from './store.ts';

type Request = (message: (request: number) => FromPage) => Promise<ToPage>;

/** Requests pages of entries when they come near the screen, each once at a time. */
export class Pager {
  readonly #store: Store;
  readonly #request: Request;
  readonly #pendingPages = new Map<number, Promise<ToPage>>();

  constructor(store: Store, request: Request) {
    this.#store = store;
    this.#request = request;
  }

  /** Forgets pending requests, whose answers belong to an earlier generation. */
  reset(): void {
    this.#pendingPages.clear();
  }

  /** Requests missing entries of the drawn rows, and drops distant ones. */
  look(list: List): void {
    let near: number | undefined;
    for (const { index } of list.visibleItems(1)) {
      const row = list.row(index);
      if (row?.kind === 'entry') near ??= row.index;
      if (row?.kind !== 'gap') continue;
      near ??= row.from;
      for (let page = pageOf(row.from); page <= pageOf(row.to - 1); page++) void this.#ask(page);
    }
    if (near !== undefined) this.#store.evictPages(near);
  }

  /** Resolves when the entry is loaded, or the host says that it does not exist. */
  async load(index: number): Promise<void> {
    if (this.#store.entry(index) === undefined) await this.#ask(pageOf(index));
  }

  #ask(page: number): Promise<ToPage> {
    const asked = this.#pendingPages.get(page);
    if (asked !== undefined) return asked;
    const from = page * pageSize;
    const count = Math.max(1, Math.min(pageSize, this.#store.entryCount - from));
    const answer = this.#request((request) => ({ type: 'getPage', request, from, count }));
    this.#pendingPages.set(page, answer);
    // A failed page is not requested with every drawing.
    void answer.then(({ type }) => type === 'page' && this.#pendingPages.delete(page));
    return answer;
  }
}

function pageOf(index: number): number {
  return Math.floor(index / pageSize);
}
