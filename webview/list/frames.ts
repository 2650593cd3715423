/**
 * How much is to be drawn: only what came on screen or left it (`moved`), also what an update of the agent's can change
 * (`updated`), or everything (`all`).
 */
export type Extent = 'moved' | 'updated' | 'all';

const order = ['moved', 'updated', 'all'] as const satisfies readonly Extent[];

/** Drawing can change heights, which can change what is on screen; this often in one frame at most. */
const mostPasses = 4;

/** Draws once per frame what was wanted since the last. */
export class FrameScheduler {
  readonly #draw: (extent: Extent) => void;
  readonly #around: (passes: () => void) => void;
  #wanted: Extent | undefined;
  #frame: number | undefined;
  #drawing = false;

  /** `around` calls `passes`, in which all the drawing of a frame is done, between what is to be done before and after it. */
  constructor(draw: (extent: Extent) => void, around: (passes: () => void) => void) {
    this.#draw = draw;
    this.#around = around;
  }

  /** To be drawn with the next frame; wanted while it is drawn, still with this one. */
  want(extent: Extent): void {
    if (this.#wanted === undefined || order.indexOf(extent) > order.indexOf(this.#wanted)) this.#wanted = extent;
    if (!this.#drawing) this.#frame ??= requestAnimationFrame(() => this.#run());
  }

  /** Draws everything at once. */
  now(): void {
    this.want('all');
    this.#run();
  }

  #run(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#around(() => this.#passes());
  }

  #passes(): void {
    this.#drawing = true;
    for (let passes = 0; this.#wanted !== undefined && passes < mostPasses; passes++) {
      const extent = this.#wanted;
      this.#wanted = undefined;
      this.#draw(extent);
    }
    this.#drawing = false;
    if (this.#wanted !== undefined) this.want(this.#wanted);
  }
}
