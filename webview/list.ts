import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { Row } from './rows.ts';

/** Heights in px that a row is taken to have until it is measured. */
const rowHeight = 24;
const textHeight = 68;
/** Distance from the end within which the list stays at the end as it grows. */
const nearEnd = 24;
const overscan = 8;
/** More px than any list has: browsers take no taller element. */
const farEnd = 1e8;

/** Of what is loaded, the rows that are on screen, and where. */
export class List {
  readonly #scroller: HTMLElement;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #onChange: () => void;
  readonly #tall: (row: Row) => boolean;
  #rows: readonly Row[] = [];
  #places = new Map<string, number>();
  #following = true;
  /** Key of the row that somebody was led to: it stays in the middle until they go elsewhere. */
  #led: string | undefined;
  /** Key of the row that has the keyboard: it stays in the page wherever it scrolls. */
  kept: string | undefined;

  constructor(scroller: HTMLElement, tall: (row: Row) => boolean, onChange: () => void) {
    this.#scroller = scroller;
    this.#tall = tall;
    this.#onChange = onChange;
    this.#virtualizer = new Virtualizer(this.#options());
    this.#virtualizer._didMount();
    scroller.addEventListener('scroll', () => (this.#following = this.atEnd), { passive: true });
    for (const touch of ['wheel', 'pointerdown', 'touchstart', 'keydown']) {
      scroller.addEventListener(touch, () => (this.#led = undefined), { passive: true });
    }
    // What stands above and below the list takes its room: the end stays the end.
    new ResizeObserver(() => {
      if (this.#following) this.scrollToEnd();
      onChange();
    }).observe(scroller);
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    const rows = this.#rows;
    return {
      count: rows.length,
      getScrollElement: () => this.#scroller,
      estimateSize: (at) => this.#estimate(rows[at]),
      getItemKey: (at) => rows[at]?.key ?? at,
      rangeExtractor: (range) => this.#range(range),
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: this.#onChange,
      overscan,
      // The first drawing is at the end, of about a screen; what is there is measured at once.
      initialOffset: farEnd,
      initialRect: { width: 800, height: 900 },
      // What follows the last row is breathing space; the end is where it ends.
      paddingEnd: 24,
      scrollPaddingStart: 28,
      anchorTo: 'end',
      followOnAppend: true,
      scrollEndThreshold: nearEnd,
      useAnimationFrameWithResizeObserver: false,
    };
  }

  #estimate(row: Row | undefined): number {
    if (row === undefined) return rowHeight;
    if (row.kind === 'gap') return (row.to - row.from) * 28;
    if (row.kind === 'turn') return 36;
    if (row.kind === 'resume') return 320;
    return this.#tall(row) ? textHeight : rowHeight;
  }

  /** Rows on screen, their turn's heading, and the row that has the keyboard. */
  #range({ startIndex, endIndex, count }: Range): number[] {
    const from = Math.max(0, startIndex - overscan);
    const to = Math.min(count - 1, endIndex + overscan);
    const wanted = new Set<number>();
    const heading = this.#headingOf(from);
    if (heading !== undefined) wanted.add(heading);
    const kept = this.kept === undefined ? undefined : this.#places.get(this.kept);
    if (kept !== undefined) wanted.add(kept);
    for (let at = from; at <= to; at++) wanted.add(at);
    return [...wanted].sort((a, b) => a - b);
  }

  #headingOf(at: number): number | undefined {
    const turn = this.#rows[at]?.turn ?? -1;
    if (turn < 0) return undefined;
    for (let place = at; place >= 0; place--) if (this.#rows[place]?.kind === 'turn') return place;
    return undefined;
  }

  /** Takes new rows; what is on screen stays where it is, or at the end if it was there. */
  setRows(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#places = new Map(rows.map((row, at) => [row.key, at]));
    this.#virtualizer.setOptions(this.#options());
  }

  items(): VirtualItem[] {
    return this.#virtualizer.getVirtualItems();
  }

  row(at: number): Row | undefined {
    return this.#rows[at];
  }

  get length(): number {
    return this.#rows.length;
  }

  place(key: string): number | undefined {
    return this.#places.get(key);
  }

  get height(): number {
    return this.#virtualizer.getTotalSize();
  }

  /** To be called when the rows are in the page: takes their heights. */
  drawn(): void {
    this.#virtualizer._willUpdate();
    for (const element of this.#scroller.querySelectorAll('[data-index]')) {
      if (element instanceof HTMLElement) this.#virtualizer.measureElement(element);
    }
    this.#virtualizer.measureElement(null);
    this.#keepLed();
  }

  /** A short list is at its end wherever one looks, and would go with it when something is added. */
  #keepLed(): void {
    const at = this.#led === undefined ? undefined : this.#places.get(this.#led);
    if (at === undefined || this.#scroller.clientHeight === 0) return;
    const wanted = this.#virtualizer.getOffsetForIndex(at, 'center')?.[0];
    if (wanted === undefined || Math.abs(wanted - this.#scroller.scrollTop) <= 1) return;
    this.#virtualizer.scrollToOffset(wanted);
  }

  get atEnd(): boolean {
    return this.#virtualizer.isAtEnd(nearEnd);
  }

  scrollToEnd(): void {
    this.#led = undefined;
    this.#virtualizer.scrollToEnd();
  }

  scrollTo(key: string, align: 'auto' | 'center' | 'start' = 'auto'): boolean {
    const at = this.#places.get(key);
    if (at === undefined) return false;
    // Who is led to a row stays there, whatever the page around the list does meanwhile.
    if (align === 'center') {
      this.#following = false;
      this.#led = key;
    } else if (key !== this.#led) {
      this.#led = undefined;
    }
    this.#virtualizer.scrollToIndex(at, { align });
    return true;
  }

  /** Goes from the end, where it stayed as it grew, to the beginning of a row. */
  leaveEndFor(key: string): void {
    if (!this.#following) return;
    this.#following = false;
    this.scrollTo(key, 'start');
  }

  /** First visible row and how many px of it are above the edge; `undefined` at the end. */
  anchor(): { key: string; offset: number } | undefined {
    if (this.atEnd) return undefined;
    const top = this.#scroller.scrollTop;
    const item = this.#virtualizer.getVirtualItemForOffset(top);
    const row = item === undefined ? undefined : this.#rows[item.index];
    return item === undefined || row === undefined ? undefined : { key: row.key, offset: top - item.start };
  }

  restore({ key, offset }: { readonly key: string; readonly offset: number }): boolean {
    const at = this.#places.get(key);
    const start = at === undefined ? undefined : this.#virtualizer.getOffsetForIndex(at, 'start')?.[0];
    if (start === undefined) return false;
    this.#virtualizer.scrollToOffset(start + offset);
    return true;
  }
}
