import type { LazyModule } from '../lazyModules.ts';
import type { Store } from '../store/store.ts';
import type { Jumps } from './jumps.ts';
import type { Anchor } from './list.ts';

interface FirstScreenDeps {
  readonly store: Store;
  readonly jumps: () => Jumps;
  /** Where the reader was. */
  readonly anchor: Anchor | undefined;
  /** Fetched when it is drawn, and when the page is idle. */
  readonly next: () => LazyModule<unknown>;
  readonly idle: () => LazyModule<unknown>;
  readonly loaded: () => void;
  readonly draw: () => void;
}

/** The first drawing: at the end, or where the reader was. What it need not wait for comes after it. */
export class FirstScreen {
  readonly #deps: FirstScreenDeps;
  #isScreenDrawn = false;

  constructor(deps: FirstScreenDeps) {
    this.#deps = deps;
    // If the reader was not at the end, restoring the position needs all entries.
    if (deps.anchor === undefined) deps.store.drawOnlyEnds();
  }

  get isDrawn(): boolean {
    return this.#isScreenDrawn;
  }

  /** Call this before each drawing. */
  handleDrawing(): void {
    if (!this.#isScreenDrawn) requestAnimationFrame(this.#deps.loaded);
  }

  /** Call this after each drawing. */
  handleDrawn(): void {
    if (this.#isScreenDrawn) return;
    this.#isScreenDrawn = true;
    const { jumps, anchor, next, idle } = this.#deps;
    // In a task after the frame that shows it.
    requestAnimationFrame(() => setTimeout(() => this.#drawRest()));
    void next().load();
    requestIdleCallback(() => void idle().load());
    void jumps().begin(anchor);
  }

  /** Draws everything of long messages, of which the first drawing has the ends. */
  #drawRest(): void {
    if (this.#deps.store.drawCompletely()) this.#deps.draw();
  }
}
