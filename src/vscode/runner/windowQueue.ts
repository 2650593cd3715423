import { Listeners, type Disposable } from '../../client/listeners.ts';
import { RemoteQueue, type QueueCaller } from '../../client/queue/remoteQueue.ts';
import type { GivenParams, News } from '../../protocol/daemon/calls.ts';
import type { ChangedRun } from '../../protocol/daemon/queue.ts';

export type WindowRunner = GivenParams<'addRunner'>['runner'];

/** Before runners that the daemon refused are declared again, in ms: an earlier version may have the queue. */
const againMs = 20_000;

/** The queue as a window uses it, and what the daemon may run of it for this window. */
export class WindowQueue extends RemoteQueue {
  readonly #daemon: QueueCaller;
  readonly #log: { warn(message: string): void };
  readonly #runs = new Listeners<[ChangedRun]>();
  readonly #changes = new Listeners<[]>();
  #runners: readonly WindowRunner[] = [];
  #declared: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isHeard = false;
  #closed = false;

  constructor(daemon: QueueCaller, log: { warn(message: string): void }) {
    super(daemon);
    this.#daemon = daemon;
    this.#log = log;
  }

  /** In place of those before, whose runs continue. Never rejects. */
  declare(runners: readonly WindowRunner[]): Promise<void> {
    this.#runners = runners;
    return this.#declareSoon();
  }

  /** To be called when another daemon was found, which knows of none. */
  reconnected(): void {
    if (this.#runners.length > 0) void this.#declareSoon();
    if (this.#isHeard) void this.#publishRuns();
    this.#changes.fire();
  }

  take({ runs, queue_changed = false }: News): void {
    for (const run of runs) this.#runs.fire(run);
    if (runs.length > 0 || queue_changed) this.#changes.fire();
  }

  /** Runs, runners or the team changed, or may have. */
  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  onRun(listener: (run: ChangedRun) => void): Disposable {
    this.#isHeard = true;
    return this.#runs.on(listener);
  }

  dispose(): void {
    this.#closed = true;
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
    this.#declared = this.#declared.then(() => this.#declareAll());
    return this.#declared;
  }

  async #declareAll(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    try {
      await this.#daemon.call('removeRunners', { finish: true });
      for (const runner of this.#runners) await this.#daemon.call('addRunner', { runner });
    } catch (error) {
      this.#log.warn(`The daemon takes no queued runs for this window: ${String(error)}`);
      this.#timer = setTimeout(() => void this.#declareSoon(), againMs);
      this.#timer.unref();
    }
  }
}
