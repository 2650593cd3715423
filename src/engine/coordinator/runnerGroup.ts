import type { CreateRun } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { staleMs } from '../../coordinator/runnerRegistry.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { Log } from '../api.ts';
import type { JoinedCoordinator } from './join.ts';
import { RunnerLoop, type RunnerDeps } from './runner.ts';

export interface GroupDeps {
  readonly join: () => Promise<JoinedCoordinator>;
  readonly log: Log;
  /** What happens to any run; `mine`: a runner of this group has it. */
  readonly onRun: (run: Run, how: { readonly mine: boolean; readonly hosting: boolean }) => void;
}

/** Several runners of one process, which speak with the coordinator over one connection. */
export class RunnerGroup {
  readonly #deps: GroupDeps;
  readonly #loops = new Set<RunnerLoop>();
  readonly #mine = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #joined: Promise<JoinedCoordinator> | undefined;
  /** Takes no more runners; and, once those that it has are gone, does nothing more. */
  #closed = false;
  #over = false;

  constructor(deps: GroupDeps) {
    this.#deps = deps;
  }

  /** Begins one; where another process has its identity, as soon as that is gone. */
  async add(runner: Omit<RunnerDeps, 'join' | 'log' | 'onRun'>): Promise<void> {
    if (this.#closed) return;
    const { log } = this.#deps;
    const { executor_type, project_dir } = runner.registration;
    const loop = new RunnerLoop({
      ...runner,
      log,
      join: () => this.#share(),
      onRun: ({ run_id }) => void this.#mine.add(run_id),
    });
    // From now on, so that who closes the group waits for one that is about to begin.
    this.#loops.add(loop);
    try {
      await loop.start();
    } catch (error) {
      this.#loops.delete(loop);
      if (this.#isClosed()) return;
      const why = CoordinatorError.is(error, 'conflict') ? 'is another process' : String(error);
      log.info(`runner ${executor_type} in ${project_dir}: ${why}`);
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        void this.add(runner);
      }, staleMs);
      timer.unref();
      this.#timers.add(timer);
    }
  }

  /** @throws CoordinatorError */
  async create(request: CreateRun): Promise<Run> {
    return (await this.#share()).link.createRun(request);
  }

  /** As each of them does. */
  async close(how?: { readonly finish: boolean }): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#loops].map((loop) => loop.close(how)));
    this.#over = true;
    await (await this.#joined?.catch(() => undefined))?.close();
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  /** The one connection; who leaves does not close it for the others. */
  async #share(): Promise<JoinedCoordinator> {
    if (this.#over) throw new CoordinatorError('unreachable', 'These runners were closed.');
    this.#joined ??= this.#join();
    const joined = await this.#joined;
    return { ...joined, close: () => Promise.resolve() };
  }

  async #join(): Promise<JoinedCoordinator> {
    try {
      const joined = await this.#deps.join();
      joined.link.onRun((run) => {
        this.#deps.onRun(run, { mine: this.#mine.has(run.run_id), hosting: joined.hosting });
        if (isRunOver(run.status)) this.#mine.delete(run.run_id);
      });
      void joined.gone.then(() => (this.#joined = undefined));
      return joined;
    } catch (error) {
      this.#joined = undefined;
      throw error;
    }
  }
}
