/**
 * What to draw: only rows that became visible or invisible (`moved`), also what an update can change (`updated`), or
 * everything (`all`).
 */
export type RenderExtent = 'moved' | 'updated' | 'all';

const order = ['moved', 'updated', 'all'] as const satisfies readonly RenderExtent[];

/** Drawing can change heights, which can change what is visible; maximum passes per frame. */
const maxPasses = 4;

/** Draws once per frame. */
export class FrameScheduler {
  readonly #draw: (extent: RenderExtent) => void;
  readonly #wrapPasses: (passes: () => void) => void;
  #requestedExtent: RenderExtent | undefined;
  #frame: number | undefined;
  #isDrawing = false;

  /** `wrapPasses` calls `passes`, which does all drawing of a frame, between work before and after it. */
  constructor(draw: (extent: RenderExtent) => void, wrapPasses: (passes: () => void) => void) {
    this.#draw = draw;
    this.#wrapPasses = wrapPasses;
  }

  /** Requests a drawing in the next frame; during a drawing, in the current one. */
  requestDraw(extent: RenderExtent): void {
    if (this.#requestedExtent === undefined || order.indexOf(extent) > order.indexOf(this.#requestedExtent))
      this.#requestedExtent = extent;
    if (!this.#isDrawing) this.#frame ??= requestAnimationFrame(() => this.#run());
  }

  /** Draws everything immediately. */
  now(): void {
    this.requestDraw('all');
    this.#run();
  }

  #run(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#wrapPasses(() => this.#runPasses());
  }

  #runPasses(): void {
    this.#isDrawing = true;
    for (let passes = 0; this.#requestedExtent !== undefined && passes < maxPasses; passes++) {
      const extent = this.#requestedExtent;
      this.#requestedExtent = undefined;
      this.#draw(extent);
    }
    this.#isDrawing = false;
    if (this.#requestedExtent !== undefined) this.requestDraw(this.#requestedExtent);
  }
}
