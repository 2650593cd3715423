import type { Log } from '../../engine/api.ts';
import type { SessionSearch } from '../../engine/search/sessionSearch.ts';
import type { IdleGarbage } from '../idleGarbage.ts';
import type { IndexProgress, IndexUpdate } from '../../protocol/daemon/catalogue.ts';

/** Delay after a change, in ms, because a running agent writes repeatedly. */
const delayMs = 1000;
/** Length of a pause, as a multiple of the time of the last indexing. */
const pauseFactor = 4;
const maxPauseMs = 30_000;
/** Maximum time of indexing, in ms, before the next look for changes: looking through all sessions takes a while. */
const sliceMs = 10_000;
/** Interval of progress reports, in ms. */
const reportMs = 250;

interface BackgroundIndexDeps {
  readonly search: Pick<SessionSearch, 'update' | 'updateMeanwhile'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly onProgress: (progress: IndexProgress | null) => void;
  readonly garbage: Pick<IdleGarbage, 'setTasks'>;
}

/** Keeps the catalogue up to date: shortly after each change, and at once if a client is waiting for it. */
export class BackgroundIndex {
  readonly #deps: BackgroundIndexDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #pauseMs = 0;
  #hasChanged = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: BackgroundIndexDeps) {
    this.#deps = deps;
  }

  /** Call after each change. */
  scheduleUpdate(): void {
    this.#hasChanged = true;
    if (this.#running !== undefined) return;
    this.#timer ??= setTimeout(() => this.#start(), Math.max(delayMs, this.#pauseMs));
  }

  /** Indexes these sessions; default all that changed. @throws as `SessionSearch.update` */
  async update(sessions: readonly string[] | undefined): Promise<IndexUpdate> {
    const wanted = sessions === undefined ? undefined : new Set(sessions);
    const { unreadable } = await this.#deps.search.update({
      ...(wanted !== undefined && { within: ({ session_id: id }) => wanted.has(id) }),
      onProgress: (done, of) => this.#report({ done, of }),
    });
    if (this.#running === undefined) this.#deps.onProgress(null);
    return { unreadable };
  }

  #start(): void {
    this.#timer = undefined;
    this.#deps.garbage.setTasks(1);
    const began = performance.now();
    this.#running = this.#run()
      .catch((error: unknown) => this.#deps.log.error(`The catalogue is not up to date: ${String(error)}`))
      .finally(() => {
        this.#running = undefined;
        this.#deps.garbage.setTasks(0);
        this.#pauseMs = Math.min(maxPauseMs, (performance.now() - began) * pauseFactor);
        if (this.#hasChanged) this.scheduleUpdate();
      });
  }

  async #run(): Promise<void> {
    this.#hasChanged = false;
    const began = performance.now();
    let done = 0;
    for (;;) {
      const before = done;
      const { left } = await this.#deps.search.updateMeanwhile(sliceMs, {
        onProgress: (at, of) => {
          done = before + at + 1;
          this.#report({ done: before + at, of: before + of });
        },
      });
      if (left === 0) break;
    }
    this.#deps.onProgress(null);
    if (done > 1) this.#deps.log.info(`Indexed ${done} sessions in ${Math.round(performance.now() - began)} ms.`);
  }

  #report(progress: IndexProgress): void {
    const now = performance.now();
    if (now - this.#reportedAt < reportMs) return;
    this.#reportedAt = now;
    this.#deps.onProgress(progress);
  }
}
