import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { Row } from '../rows/rows.ts';

/** Maximum distance from the end at which the list follows new content. */
const nearEnd = 24;
/** Rows that are drawn above and below the screen, unless they are taller than `overscanHeight` px together. */
const overscan = 8;
const overscanHeight = 800;
/** Browsers have no taller elements. */
const farEnd = 1e8;

export interface PlacedRow {
  readonly row: Row;
  /** Index among all rows. */
  readonly at: number;
  /** Height in px of the omitted rows before it. */
  readonly before: number;
}

/** The first visible row, and its hidden height above the edge in px. */
export interface Anchor {
  readonly key: string;
  readonly offset: number;
}

export interface Layout {
  readonly placed: readonly PlacedRow[];
  /** Height in px of the omitted rows after the last. */
  readonly after: number;
}

/** Height in px, always as drawn: the library's own function returns the height before the row was drawn again. */
function heightNow(row: HTMLElement, entry: ResizeObserverEntry | undefined): number {
  return Math.round(entry?.borderBoxSize[0]?.blockSize ?? row.offsetHeight);
}

/** The visible part of the loaded rows, and their positions. */
export class List {
  readonly #scroller: HTMLElement;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #onChange: () => void;
  readonly #expectedHeight: (row: Row) => number;
  #rows: readonly Row[] = [];
  #placeByKey: ReadonlyMap<string, number> | undefined;
  #isFollowing = true;
  /** `scrollTop` at the last scroll event or drawing. */
  #lastTop = 0;
  #drawsAll = false;
  #drawnLayout: Layout = { placed: [], after: 0 };
  #isMeasuring = false;
  /** Key of a jump's target, which stays in the middle until the reader scrolls. */
  #jumpTarget: string | undefined;
  /** A row below new entries, and its distance from the top until the reader scrolls. */
  #pinnedRow: { readonly key: string; readonly from: number; at?: number } | undefined;
  #anchor: Anchor | undefined;
  /** Key of the focused row, which stays in the page wherever it scrolls. */
  focusedKey: string | undefined;

  /**
   * `expectedHeight`: assumed height of a row in px until it is measured. `changed` is called when it was scrolled or measured,
   * which may change what must be drawn.
   */
  constructor(scroller: HTMLElement, expectedHeight: (row: Row) => number, changed: () => void) {
    this.#scroller = scroller;
    this.#expectedHeight = expectedHeight;
    this.#onChange = changed;
    this.#virtualizer = new Virtualizer(this.#virtualizerOptions());
    this.#virtualizer._didMount();
    const scrolled = (): void => {
      // The event of an own scroll can arrive after rows below have grown; only upwards does the reader leave the end.
      if (this.isAtEnd) this.#isFollowing = true;
      else if (scroller.scrollTop < this.#lastTop) this.#isFollowing = false;
      this.#lastTop = scroller.scrollTop;
      const { at } = this.#pinnedRow ?? {};
      if (at !== undefined && Math.abs(scroller.scrollTop - at) > 2) this.#pinnedRow = undefined;
    };
    scroller.addEventListener('scroll', scrolled, { passive: true });
    for (const touch of ['wheel', 'pointerdown', 'touchstart', 'keydown']) {
      scroller.addEventListener(touch, () => this.#unpin(), { passive: true });
    }
    // Elements above and below the list take its room; the end must stay visible.
    new ResizeObserver(() => {
      if (this.#isFollowing) this.scrollToEnd();
      changed();
    }).observe(scroller);
  }

  #virtualizerOptions(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    const rows = this.#rows;
    return {
      count: rows.length,
      getScrollElement: () => this.#scroller,
      estimateSize: (at) => (rows[at] === undefined ? 0 : this.#expectedHeight(rows[at])),
      getItemKey: (at) => rows[at]?.key ?? at,
      rangeExtractor: (range) => this.#rowsToRender(range),
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      measureElement: heightNow,
      onChange: () => {
        if (!this.#isMeasuring) this.#onChange();
      },
      overscan,
      // The first drawing shows about a screen at the end, measured immediately.
      initialOffset: farEnd,
      initialRect: { width: 800, height: 900 },
      // Padding follows the last row, and belongs to the end.
      paddingEnd: 24,
      scrollPaddingStart: 28,
      anchorTo: 'end',
      followOnAppend: true,
      scrollEndThreshold: nearEnd,
      useAnimationFrameWithResizeObserver: false,
    };
  }

  /** Visible rows, their turn's heading, and the focused row. */
  #rowsToRender({ startIndex, endIndex, count }: Range): number[] {
    if (this.#drawsAll) return Array.from({ length: count }, (_, at) => at);
    // In steps, so that a new row at the end does not remove one at the beginning.
    const from = this.#farthestOverscanRow(startIndex, Math.max(0, Math.floor(startIndex / overscan - 1) * overscan));
    const to = this.#farthestOverscanRow(endIndex, Math.min(count - 1, endIndex + overscan));
    const wanted = new Set<number>();
    const heading = this.#headingOf(from);
    if (heading !== undefined) wanted.add(heading);
    const saved = this.focusedKey === undefined ? undefined : this.place(this.focusedKey);
    if (saved !== undefined) wanted.add(saved);
    for (let at = from; at <= to; at++) wanted.add(at);
    return [...wanted].sort((a, b) => a - b);
  }

  /** The row farthest from `at`, `farthest` at most, before which there is less than `overscanHeight`. */
  #farthestOverscanRow(at: number, farthest: number): number {
    const step = Math.sign(farthest - at);
    let height = 0;
    for (let place = at; place !== farthest; place += step) {
      if (height >= overscanHeight) return place;
      height += this.#virtualizer.measurementsCache[place + step]?.size ?? 0;
    }
    return farthest;
  }

  #headingOf(at: number): number | undefined {
    const turn = this.#rows[at]?.turn ?? -1;
    if (turn < 0) return undefined;
    for (let place = at; place >= 0; place--) if (this.#rows[place]?.kind === 'turn') return place;
    return undefined;
  }

  /** Whether all rows are drawn, or those on screen. */
  drawAll(on: boolean): void {
    this.#drawsAll = on;
    this.#virtualizer.setOptions(this.#virtualizerOptions());
  }

  /** Takes new rows without moving the visible ones; stays at the end if it was there. */
  setRows(rows: readonly Row[]): void {
    const gap = this.#findGapAtTop();
    this.#rows = rows;
    this.#placeByKey = undefined;
    this.#virtualizer.setOptions(this.#virtualizerOptions());
    if (gap !== undefined && this.#jumpTarget === undefined && this.place(gap.key) !== undefined) this.#pinnedRow = gap;
  }

  /** The first visible row, if the screen begins with entries that are not loaded and about to be replaced. */
  #findGapAtTop(): { key: string; from: number } | undefined {
    const top = this.#virtualizer.scrollOffset ?? 0;
    const onScreen = this.visibleItems();
    const [first] = onScreen;
    if (first === undefined || this.#rows[first.index]?.kind !== 'gap') return undefined;
    const item = onScreen.find(({ index }) => this.#rows[index]?.kind !== 'gap');
    const key = item === undefined ? undefined : this.#rows[item.index]?.key;
    return item === undefined || key === undefined ? undefined : { key, from: item.start - top };
  }

  /** Visible rows, and those within so many screens above and below. */
  visibleItems(beside = 0): VirtualItem[] {
    const top = this.#virtualizer.scrollOffset ?? 0;
    // As last observed, because reading it from the element would force a layout.
    const height = this.#virtualizer.scrollRect?.height ?? 0;
    const [from, to] = [top - beside * height, top + (1 + beside) * height];
    return this.items().filter(({ start, end }) => end > from && start < to);
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
    this.#placeByKey ??= new Map(this.#rows.map((row, at) => [row.key, at]));
    return this.#placeByKey.get(key);
  }

  /** The rows to have in the page. */
  layout(): Layout {
    const placed: PlacedRow[] = [];
    let end = 0;
    for (const item of this.items()) {
      const row = this.#rows[item.index];
      if (row === undefined) continue;
      placed.push({ row, at: item.index, before: item.start - end });
      end = item.end;
    }
    return { placed, after: Math.max(0, this.#virtualizer.getTotalSize() - end) };
  }

  /** Whether other rows or positions are needed than were drawn. */
  get needsDrawing(): boolean {
    const { placed, after } = this.layout();
    const drawn = this.#drawnLayout;
    const isThere = ({ at, before }: PlacedRow, n: number): boolean =>
      drawn.placed[n]?.at === at && drawn.placed[n].before === before;
    return after !== drawn.after || placed.length !== drawn.placed.length || !placed.every(isThere);
  }

  /** Call this when the rows are in the page; measures their heights. */
  handleDrawn(layout: Layout): void {
    this.#drawnLayout = layout;
    this.#isMeasuring = true;
    this.#virtualizer._willUpdate();
    for (const element of this.#scroller.getElementsByClassName('item')) {
      if (element instanceof HTMLElement) this.#virtualizer.measureElement(element);
    }
    this.#virtualizer.measureElement(null);
    this.#centreJumpTarget();
    this.#keepPinnedInPlace();
    this.#keepFollowing();
    this.#isMeasuring = false;
  }

  /** The virtualizer leaves the end if a row grows before it has learned the last scroll position. */
  #keepFollowing(): void {
    const { scrollTop } = this.#scroller;
    if (this.#isFollowing && this.#jumpTarget === undefined && this.#pinnedRow === undefined && !this.isAtEnd) {
      if (scrollTop >= this.#lastTop) this.#virtualizer.scrollToEnd();
    }
    this.#lastTop = this.#scroller.scrollTop;
  }

  /** A short list is always at its end, and would follow new content. */
  #centreJumpTarget(): void {
    const at = this.#jumpTarget === undefined ? undefined : this.place(this.#jumpTarget);
    if (at === undefined || this.#scroller.clientHeight === 0) return;
    const offset = this.#virtualizer.getOffsetForIndex(at, 'center')?.[0];
    if (offset === undefined || Math.abs(offset - this.#scroller.scrollTop) <= 1) return;
    this.#virtualizer.scrollToOffset(offset);
  }

  #keepPinnedInPlace(): void {
    const pinned = this.#pinnedRow;
    const at = pinned === undefined ? undefined : this.place(pinned.key);
    const start = at === undefined ? undefined : this.#start(at);
    if (pinned === undefined || start === undefined) return;
    const offset = Math.max(0, start - pinned.from);
    pinned.at = offset;
    if (Math.abs(offset - this.#scroller.scrollTop) > 1) this.#virtualizer.scrollToOffset(offset);
  }

  #start(at: number): number | undefined {
    this.#virtualizer.getTotalSize();
    return this.#virtualizer.measurementsCache[at]?.start;
  }

  get isAtEnd(): boolean {
    // Not from the virtualizer, which learns scroll positions one frame later.
    const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop <= nearEnd;
  }

  #unpin(): void {
    this.#jumpTarget = undefined;
    this.#pinnedRow = undefined;
  }

  scrollToEnd(): void {
    this.#unpin();
    this.#virtualizer.scrollToEnd();
  }

  scrollTo(key: string, align: 'auto' | 'center' | 'start' = 'auto'): boolean {
    const at = this.place(key);
    if (at === undefined) return false;
    // After a jump, the target stays in place whatever changes around the list.
    if (align === 'center') {
      this.#isFollowing = false;
      this.#pinnedRow = undefined;
      this.#jumpTarget = key;
    } else if (key !== this.#jumpTarget) {
      this.#jumpTarget = undefined;
    }
    this.#virtualizer.scrollToIndex(at, { align });
    if (!this.isAtEnd) this.#isFollowing = false;
    return true;
  }

  /** Scrolls from the end, where it followed new content, to the beginning of a row. */
  leaveEndFor(key: string): void {
    if (!this.#isFollowing) return;
    this.#isFollowing = false;
    this.scrollTo(key, 'start');
  }

  /**
   * The reader's position; `undefined` at the end. In a page that is being removed, the list has no height: the last
   * position.
   */
  anchor(): Anchor | undefined {
    if (this.#scroller.clientHeight > 0) this.#anchor = this.#findTopRow();
    return this.#anchor;
  }

  #findTopRow(): Anchor | undefined {
    if (this.isAtEnd) return undefined;
    const top = this.#scroller.scrollTop;
    const item = this.#virtualizer.getVirtualItemForOffset(top);
    const row = item === undefined ? undefined : this.#rows[item.index];
    return item === undefined || row === undefined ? undefined : { key: row.key, offset: top - item.start };
  }

  /** Restores an `anchor`; false if the row does not exist. */
  restore({ key, offset }: Anchor): boolean {
    const at = this.place(key);
    const start = at === undefined ? undefined : this.#virtualizer.getOffsetForIndex(at, 'start')?.[0];
    if (start === undefined) return false;
    this.#unpin();
    this.#isFollowing = false;
    // Heights above it are estimates: measuring them later does not move it.
    this.#pinnedRow = { key, from: -offset };
    this.#virtualizer.scrollToOffset(start + offset);
    return true;
  }
}
