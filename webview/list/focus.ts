import type { List } from './list.ts';
import type { Row } from '../rows/rows.ts';

export interface RowFocusDeps {
  readonly rows: HTMLElement;
  readonly scroller: HTMLElement;
  readonly list: List;
  /** Whether a row has something that can be pressed, so that Tab may lead to it. */
  readonly hasButton: (row: Row) => boolean;
}

/** Which row has the keyboard, or gets it when it is drawn. */
export class RowFocus {
  readonly #deps: RowFocusDeps;
  /** Row that Tab leads to. */
  key: string | undefined;
  #wanted: string | undefined;

  constructor(deps: RowFocusDeps) {
    this.#deps = deps;
  }

  /** Where the next key counts from: keys may come faster than rows are drawn. */
  from(key: string): string {
    return this.#wanted ?? key;
  }

  /** Puts the row on screen and, with the next drawing, the keyboard on it. */
  go(key: string, align: 'auto' | 'start' = 'auto'): void {
    this.key = key;
    this.#deps.list.kept = key;
    this.#wanted = key;
    this.#deps.list.scrollTo(key, align);
  }

  /** True where the row that Tab leads to is another now. */
  took(key: string): boolean {
    this.#deps.list.kept = key;
    if (key === this.key) return false;
    this.key = key;
    return true;
  }

  /** Tab leads to the row that had the focus last, or to the first on screen. */
  choose(): void {
    const { list, hasButton } = this.#deps;
    const onScreen = list.items().flatMap(({ index }) => list.row(index) ?? []);
    if (onScreen.some(({ key }) => key === this.key)) return;
    this.key = onScreen.find(hasButton)?.key;
  }

  /** After what had the focus is gone. */
  again(): void {
    const row = this.key === undefined ? undefined : this.#element(this.key);
    (row ?? this.#deps.scroller).focus({ preventScroll: true });
  }

  /** Puts the focus on the row that was asked for; false where it has to be drawn first. */
  showWanted(): boolean {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#deps.list.place(wanted) === undefined) return true;
    const element = this.#element(wanted);
    if (element === undefined) return false;
    this.#wanted = undefined;
    element.focus({ preventScroll: true });
    return true;
  }

  #element(key: string): HTMLElement | undefined {
    const found = this.#deps.rows.querySelector(`[data-key="${CSS.escape(key)}"] [data-focus]`);
    return found instanceof HTMLElement ? found : undefined;
  }
}
