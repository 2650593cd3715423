import { maxLines } from '../../../src/protocol/panel/viewMessages.ts';

/** Height of a line in px, as in the styles. */
export const lineHeight = 24;
const overscan = 8;
/** Loaded pages; the least recently used ones are dropped and requested again. */
const maxPages = 20;

interface LinesDeps<L> {
  /** Requests a page from the host; `undefined` if there is none. */
  readonly ask: (from: number, count: number) => Promise<readonly L[] | undefined>;
  readonly changed: () => void;
}

/** A long list whose lines the host has: visible ones are requested by page. */
export class Lines<L> {
  readonly #deps: LinesDeps<L>;
  readonly #pages = new Map<number, readonly L[]>();
  readonly #requestedPages = new Set<number>();
  #generation = 0;
  /** A page of this generation is loaded. */
  #isFresh = false;
  total = 0;

  constructor(deps: LinesDeps<L>) {
    this.#deps = deps;
  }

  line(at: number): L | undefined {
    return this.#pages.get(Math.floor(at / maxLines))?.[at % maxLines];
  }

  /** Requests visible lines again; old ones stay until the first answer. */
  renew(): void {
    this.#generation += 1;
    this.#requestedPages.clear();
    this.#isFresh = false;
  }

  /** The index of a line, if its page is loaded. */
  find(wanted: (line: L) => boolean): number | undefined {
    for (const [page, lines] of this.#pages) {
      const at = lines.findIndex(wanted);
      if (at !== -1) return page * maxLines + at;
    }
    return undefined;
  }

  /** Indexes of visible lines and a few around them; requests missing ones. */
  look(scrollTop: number, height: number): { from: number; to: number } {
    const from = Math.max(0, Math.floor(scrollTop / lineHeight) - overscan);
    const to = Math.min(this.total, Math.ceil((scrollTop + height) / lineHeight) + overscan);
    const last = Math.floor(Math.max(from, to - 1) / maxLines);
    for (let page = Math.floor(from / maxLines); page <= last; page++) void this.#requestPage(page);
    return { from, to };
  }

  /** The lines to draw: those, and the focused one, which stays in the page wherever it scrolls. */
  places({ from, to }: { readonly from: number; readonly to: number }, focused: number): number[] {
    const places = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
    if (focused < from) places.unshift(focused);
    else if (focused >= to) places.push(focused);
    return places.filter((at) => at < this.total);
  }

  async #requestPage(page: number): Promise<void> {
    if ((this.#isFresh && this.#pages.has(page)) || this.#requestedPages.has(page)) return;
    this.#requestedPages.add(page);
    const generation = this.#generation;
    const lines = await this.#deps.ask(page * maxLines, maxLines);
    if (generation !== this.#generation || lines === undefined) return;
    this.#requestedPages.delete(page);
    if (!this.#isFresh) this.#pages.clear();
    this.#isFresh = true;
    this.#pages.delete(page);
    this.#pages.set(page, lines);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxPages && oldest !== undefined) this.#pages.delete(oldest);
    this.#deps.changed();
  }
}
