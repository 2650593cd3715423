import type { CreateRun } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { staleMs } from '../../coordinator/seats.ts';
import type { Run } from '../../model/session.ts';
import { isRunOver } from '../../model/status.ts';
import type { Log } from '../api.ts';
import type { Joined } from './join.ts';
import { RunnerLoop, type RunnerDeps } from './runner.ts';

export interface GroupDeps {
  readonly join: () => Promise<Joined>;
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
  #joined: Promise<Joined> | undefined;
  #closed = false;

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
    try {
      await loop.start();
      this.#loops.add(loop);
    } catch (error) {
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

  /** Has the run stopped that a session is in, wherever it is. */
  async stop(sessionId: string): Promise<void> {
    const { link } = await this.#share();
    const run = (await link.runs()).find((each) => each.session_id === sessionId && !isRunOver(each.status));
    if (run !== undefined) await link.stopRun(run.run_id);
  }

  /** As each of them does. */
  async close(how?: { readonly finish: boolean }): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#loops].map((loop) => loop.close(how)));
    await (await this.#joined?.catch(() => undefined))?.close();
  }

  /** The one connection; who leaves does not close it for the others. */
  async #share(): Promise<Joined> {
    this.#joined ??= this.#join();
    const joined = await this.#joined;
    return { ...joined, close: () => Promise.resolve() };
  }

  async #join(): Promise<Joined> {
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
