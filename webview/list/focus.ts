import type { List } from './list.ts';
import type { Row } from '../rows/rows.ts';

export interface RowFocusDeps {
  readonly rows: HTMLElement;
  readonly scroller: HTMLElement;
  readonly list: List;
  /** Whether a row has a control that Tab should reach. */
  readonly hasButton: (row: Row) => boolean;
}

/** The focused row, or the one to focus when it is drawn. */
export class RowFocus {
  readonly #deps: RowFocusDeps;
  /** Row that Tab reaches. */
  key: string | undefined;
  #wantedKey: string | undefined;

  constructor(deps: RowFocusDeps) {
    this.#deps = deps;
  }

  /** Start of the next key's movement, because keys may be faster than drawing. */
  startKeyFrom(key: string): string {
    return this.#wantedKey ?? key;
  }

  /** Scrolls to the row and focuses it with the next drawing. */
  go(key: string, align: 'auto' | 'start' = 'auto'): void {
    this.key = key;
    this.#deps.list.focusedKey = key;
    this.#wantedKey = key;
    this.#deps.list.scrollTo(key, align);
  }

  /** True if Tab now reaches another row. */
  handleFocus(key: string): boolean {
    this.#deps.list.focusedKey = key;
    if (key === this.key) return false;
    this.key = key;
    return true;
  }

  /** Tab reaches the row that was focused last, or the first visible one. */
  choose(): void {
    const { list, hasButton } = this.#deps;
    const onScreen = list.items().flatMap(({ index }) => list.row(index) ?? []);
    if (onScreen.some(({ key }) => key === this.key)) return;
    this.key = onScreen.find(hasButton)?.key;
  }

  /** After the focused element was removed. */
  again(): void {
    const row = this.key === undefined ? undefined : this.#findElement(this.key);
    (row ?? this.#deps.scroller).focus({ preventScroll: true });
  }

  /** Focuses the requested row; false if it must be drawn first. */
  showWanted(): boolean {
    const wanted = this.#wantedKey;
    if (wanted === undefined || this.#deps.list.place(wanted) === undefined) return true;
    const element = this.#findElement(wanted);
    if (element === undefined) return false;
    this.#wantedKey = undefined;
    element.focus({ preventScroll: true });
    return true;
  }

  #findElement(key: string): HTMLElement | undefined {
    const found = this.#deps.rows.querySelector(`[data-key="${CSS.escape(key)}"] [data-focus]`);
    return found instanceof HTMLElement ? found : undefined;
  }
}
