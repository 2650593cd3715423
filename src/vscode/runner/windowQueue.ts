import { Listeners, type Disposable } from '../../client/listeners.ts';
import { RemoteQueue, type QueueCaller } from '../../client/queue/remoteQueue.ts';
import type { GivenParams, News } from '../../protocol/daemon/calls.ts';
import type { ChangedRun } from '../../protocol/daemon/queue.ts';

export type WindowRunner = GivenParams<'addRunner'>['runner'];

/** Delay in ms before declaring refused runners again. A daemon of an earlier version may own the queue. */
const retryMs = 20_000;

/** The queue for this window, and the runners that the window declares. */
export class WindowQueue extends RemoteQueue {
  readonly #daemon: QueueCaller;
  readonly #log: { warn(message: string): void };
  readonly #runs = new Listeners<[ChangedRun]>();
  readonly #changes = new Listeners<[]>();
  #runners: readonly WindowRunner[] = [];
  #lastDeclaration: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #hasRunListener = false;
  #isClosed = false;

  constructor(daemon: QueueCaller, log: { warn(message: string): void }) {
    super(daemon);
    this.#daemon = daemon;
    this.#log = log;
  }

  /** Replaces the declared runners; runs of earlier ones continue. Never rejects. */
  declare(runners: readonly WindowRunner[]): Promise<void> {
    this.#runners = runners;
    return this.#declareSoon();
  }

  /** Call after connecting to another daemon, which has no runners yet. */
  handleReconnect(): void {
    if (this.#runners.length > 0) void this.#declareSoon();
    if (this.#hasRunListener) void this.#publishRuns();
    this.#changes.fire();
  }

  handleNews({ runs, queue_changed = false }: News): void {
    for (const run of runs) this.#runs.fire(run);
    if (runs.length > 0 || queue_changed) this.#changes.fire();
  }

  /** Runs, runners or the team changed, or may have. */
  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  onRun(listener: (run: ChangedRun) => void): Disposable {
    this.#hasRunListener = true;
    return this.#runs.on(listener);
  }

  dispose(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Runs may have ended with the daemon that was lost. */
  async #publishRuns(): Promise<void> {
    try {
      for (const run of await this.runs()) this.#runs.fire(run);
    } catch (error) {
      this.#log.warn(`The queue cannot be read: ${String(error)}`);
    }
  }

  #declareSoon(): Promise<void> {
    this.#lastDeclaration = this.#lastDeclaration.then(() => this.#declareAll());
    return this.#lastDeclaration;
  }

  async #declareAll(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    try {
      await this.#daemon.call('removeRunners', { finish: true });
      for (const runner of this.#runners) await this.#daemon.call('addRunner', { runner });
    } catch (error) {
      this.#log.warn(`The daemon does not take queued runs for this window: ${String(error)}`);
      this.#timer = setTimeout(() => void this.#declareSoon(), retryMs);
      this.#timer.unref();
    }
  }
}
