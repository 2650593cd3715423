import type { TemplateResult } from 'lit/html.js';
import type { QueryProblem } from '../../../src/model/transcript/query.ts';
import type { FromPage, ToPage } from '../../../src/protocol/panel/messages.ts';
import { findBar, type FindState } from './findBar.ts';
import { highlight } from './highlight.ts';

/** Maximum number of consecutive requests; with a thousand entries each, more than any session has. */
const maxAnswers = 1000;

export interface FinderDeps {
  request(message: (request: number) => FromPage): Promise<ToPage>;
  /** Scrolls to an entry. */
  reveal(index: number): void;
  onClosed(): void;
  changed(): void;
}

interface SearchResult {
  readonly query: string;
  readonly indexes: readonly number[];
  /** Texts highlighted in the rows. */
  readonly texts: readonly string[];
  readonly problems: readonly QueryProblem[];
  /** Position in `indexes`; -1 before the first jump. */
  readonly at: number;
  readonly isBusy: boolean;
  readonly showsHelp: boolean;
}

const nothing: SearchResult = {
  query: '',
  indexes: [],
  texts: [],
  problems: [],
  at: -1,
  isBusy: false,
  showsHelp: false,
};

/** Find in session: the host searches all of it in several requests; the page jumps from entry to entry. */
export class Finder {
  readonly #deps: FinderDeps;
  #search = 0;
  /** Jump requested before the answer arrived. */
  #step: 1 | -1 | undefined;
  #searchResult: SearchResult | undefined;

  constructor(deps: FinderDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#searchResult !== undefined;
  }

  renderBar(): TemplateResult | undefined {
    const state = this.state();
    return state === undefined ? undefined : findBar(state);
  }

  /** Highlights the matches in the drawn rows; none when closed. */
  mark(rows: HTMLElement): void {
    highlight(rows, this.#searchResult?.texts ?? []);
  }

  state(): FindState | undefined {
    if (this.#searchResult === undefined) return undefined;
    return {
      ...this.#searchResult,
      setQuery: (query) => void this.#setQuery(query),
      next: (step) => this.#goToNext(step),
      toggleHelp: () => this.#set({ showsHelp: this.#searchResult?.showsHelp !== true }),
      close: () => this.close(),
    };
  }

  open(): void {
    this.#searchResult ??= nothing;
    this.#deps.changed();
  }

  close(): void {
    this.#searchResult = undefined;
    this.#search += 1;
    this.#deps.onClosed();
  }

  #set(change: Partial<SearchResult>): void {
    if (this.#searchResult === undefined) return;
    this.#searchResult = { ...this.#searchResult, ...change };
    this.#deps.changed();
  }

  async #setQuery(query: string): Promise<void> {
    const search = ++this.#search;
    const empty = query.trim() === '';
    this.#step = undefined;
    this.#set({
      ...(empty && nothing),
      query,
      indexes: [],
      at: -1,
      isBusy: !empty,
      showsHelp: this.#searchResult?.showsHelp === true,
    });
    const indexes: number[] = [];
    for (let n = 0, hasMore = !empty; hasMore && n < maxAnswers; n++) {
      const from = (indexes.at(-1) ?? -1) + 1;
      const answer = await this.#deps.request((request) => ({ type: 'find', request, query, from }));
      // The query has changed since this request.
      if (search !== this.#search) return;
      if (answer.type !== 'found') break;
      indexes.push(...answer.indexes);
      hasMore = answer.truncated && answer.indexes.length > 0;
      this.#set({ indexes: [...indexes], texts: answer.texts, problems: answer.problems, isBusy: hasMore });
    }
    if (search === this.#search) this.#showMatches(indexes);
  }

  #showMatches(indexes: readonly number[]): void {
    this.#set({ indexes, isBusy: false });
    if (this.#step !== undefined) this.#goToNext(this.#step);
  }

  #goToNext(step: 1 | -1): void {
    const found = this.#searchResult;
    if (found === undefined) return;
    if (found.isBusy) {
      this.#step = step;
      return;
    }
    if (found.indexes.length === 0) return;
    const count = found.indexes.length;
    // The reader is usually at the end of a session, so the first jump goes upwards to the nearest match.
    const at = found.at < 0 ? (step > 0 ? 0 : count - 1) : (found.at + step + count) % count;
    this.#set({ at });
    const index = found.indexes[at];
    if (index !== undefined) this.#deps.reveal(index);
  }
}
