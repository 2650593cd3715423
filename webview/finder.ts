import type { FromPage, ToPage } from '../src/protocol/messages.ts';
import type { FindState } from './parts/findBar.ts';

export interface FinderDeps {
  request(message: (request: number) => FromPage): Promise<ToPage>;
  /** Puts an entry on screen. */
  reveal(index: number): void;
  closed(): void;
  changed(): void;
}

/** Find in session: the host searches, the page jumps from entry to entry. */
export class Finder {
  readonly #deps: FinderDeps;
  #search = 0;
  #state: Pick<FindState, 'query' | 'indexes' | 'truncated' | 'at' | 'busy'> | undefined;

  constructor(deps: FinderDeps) {
    this.#deps = deps;
  }

  get query(): string {
    return this.#state?.query ?? '';
  }

  get isOpen(): boolean {
    return this.#state !== undefined;
  }

  state(): FindState | undefined {
    if (this.#state === undefined) return undefined;
    return {
      ...this.#state,
      setQuery: (query) => void this.#query(query),
      next: (step) => this.#next(step),
      close: () => this.close(),
    };
  }

  open(): void {
    this.#state ??= { query: '', indexes: [], truncated: false, at: -1, busy: false };
    this.#deps.changed();
  }

  close(): void {
    this.#state = undefined;
    this.#search += 1;
    this.#deps.closed();
  }

  async #query(query: string): Promise<void> {
    const search = ++this.#search;
    const before = this.#state ?? { indexes: [], truncated: false };
    this.#state = { ...before, query, at: -1, busy: query !== '', ...(query === '' && { indexes: [] }) };
    this.#deps.changed();
    if (query === '') return;
    const answer = await this.#deps.request((request) => ({ type: 'find', request, query }));
    // A later letter has made this answer one to another question.
    if (search !== this.#search) return;
    const { indexes, truncated } = answer.type === 'found' ? answer : { indexes: [], truncated: false };
    this.#state = { query, indexes, truncated, at: -1, busy: false };
    this.#deps.changed();
  }

  #next(step: 1 | -1): void {
    const state = this.#state;
    if (state === undefined || state.indexes.length === 0) return;
    const count = state.indexes.length;
    // The reader is at the end of a session more often than not: the first jump leads to the nearest match, upwards.
    const at = state.at < 0 ? (step > 0 ? 0 : count - 1) : (state.at + step + count) % count;
    this.#state = { ...state, at };
    const index = state.indexes[at];
    if (index !== undefined) this.#deps.reveal(index);
    this.#deps.changed();
  }
}
