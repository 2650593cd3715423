import {
  changeRunSchema,
  createRunSchema,
  registrationSchema,
  type ChangeRun,
  type Claim,
  type CoordinatorLink,
  type CreateRunRequest,
  type Job,
  type Registration,
  type RunFilter,
  type RunListener,
  type RunReport,
  type RunnerRef,
} from '../../coordinator/api.ts';
import { parseInput } from '../../coordinator/acceptedRuns.ts';
import { Coordinator } from '../../coordinator/coordinator.ts';
import type { ListedRunner, Runner } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { Disposable, Log } from '../api.ts';
import { Emitter } from '../emitter.ts';
import { runId, runnerId, sessionId } from '../ids.ts';
import { Journal } from './journal.ts';

/** Deadlines within this time are handled together, in ms. */
const leastTickMs = 1000;

export interface LocalDeps {
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Called before listeners learn that the run has ended. Never rejects. */
  readonly onRunEnded?: (job: Job) => Promise<void>;
}

/** The coordinator in this process. Owns a timer and the journal until it is disposed. */
export class LocalCoordinator implements CoordinatorLink, Disposable {
  readonly #coordinator: Coordinator;
  readonly #journal: Journal;
  readonly #runChanged: Emitter<[run: Run]>;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;
  readonly #onRunEnded: LocalDeps['onRunEnded'];
  /** Changed jobs, reported to listeners once they are in the journal. */
  #unreportedJobs: Job[] = [];

  private constructor(
    journal: Journal,
    saved: readonly Job[],
    { clock, monotonic, randomHex, log, onRunEnded }: LocalDeps,
  ) {
    this.#journal = journal;
    this.#onRunEnded = onRunEnded;
    this.#runChanged = new Emitter(log);
    this.#coordinator = new Coordinator(
      {
        clock,
        monotonic,
        runnerId,
        newRunId: () => runId(randomHex),
        newSessionId: () => sessionId(randomHex),
        onChange: (job) => {
          journal.add(job);
          this.#unreportedJobs.push(job);
        },
      },
      saved,
    );
  }

  /** @throws file system errors if the journal cannot be read or written */
  static async open(file: string, deps: LocalDeps): Promise<LocalCoordinator> {
    const journal = new Journal(file, deps.log);
    const local = new LocalCoordinator(journal, await journal.read(), deps);
    try {
      await journal.rewrite(local.#coordinator.jobsToSave());
    } catch (error) {
      local.dispose();
      throw error;
    }
    local.#planTick();
    return local;
  }

  createRun(request: CreateRunRequest, origin?: Pick<Job, 'by_agent'>): Promise<Run> {
    return this.#decideAndSave(() => this.#coordinator.create(parseInput(createRunSchema, request), origin));
  }

  /** As `Coordinator.adopt` */
  adopt(request: CreateRunRequest): Promise<Run> {
    return this.#decideAndSave(() => this.#coordinator.adopt(parseInput(createRunSchema, request)));
  }

  reportAdopted(report: RunReport): Promise<void> {
    return this.#decideAndSave(() => this.#coordinator.reportAdopted(report));
  }

  isOffered(request: CreateRunRequest): boolean {
    return this.#coordinator.isOffered(parseInput(createRunSchema, request));
  }

  stopRun(id: string): Promise<Run> {
    return this.#decideAndSave(() => this.#coordinator.stop(id));
  }

  /** Moves a waiting run in the queue, or replaces its demands. */
  changeRun(change: ChangeRun): Promise<Run> {
    return this.#decideAndSave(() => this.#coordinator.change(parseInput(changeRunSchema, change)));
  }

  runs(filter?: RunFilter): Promise<readonly ListedRun[]> {
    return Promise.resolve(this.#coordinator.runs(filter));
  }

  /** The job as its runner gets it; `undefined` if there is none. */
  job(id: string): Job | undefined {
    return this.#coordinator.jobsToSave().find(({ run }) => run.run_id === id);
  }

  runners(): Promise<readonly ListedRunner[]> {
    return Promise.resolve(this.#coordinator.runners());
  }

  register(registration: Registration): Promise<Runner> {
    return this.#decideAndSave(() => this.#coordinator.register(parseInput(registrationSchema, registration)));
  }

  heartbeat(runnerRef: RunnerRef): Promise<void> {
    return this.#decideAndSave(() => this.#coordinator.heartbeat(runnerRef));
  }

  claim(claim: Claim): Promise<Job | null> {
    return this.#decideAndSave(() => this.#coordinator.claim(claim));
  }

  report(runnerRef: RunnerRef, report: RunReport): Promise<Run> {
    return this.#decideAndSave(() => this.#coordinator.report(runnerRef, report));
  }

  leave(runnerRef: RunnerRef): Promise<void> {
    return this.removeRunner(runnerRef, 'The runner stopped during this run.');
  }

  /** Call when the process of a runner has ended without leaving. */
  removeRunner(runnerRef: RunnerRef, reason: string): Promise<void> {
    return this.#decideAndSave(() => this.#coordinator.removeRunner(runnerRef, reason));
  }

  onRun(listener: RunListener): Disposable {
    return this.#runChanged.on(listener);
  }

  async close(): Promise<void> {
    this.dispose();
    await this.#flush();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  /** No timer runs while nothing can expire. */
  #planTick(): void {
    clearTimeout(this.#timer);
    const ms = this.#isDisposed ? undefined : this.#coordinator.msUntilTick();
    if (ms === undefined) return;
    this.#timer = setTimeout(() => void this.#decideAndSave(() => this.#coordinator.tick()), Math.max(leastTickMs, ms));
    this.#timer.unref();
  }

  /** Saves a decision in the journal before reporting it, so that nothing is decided twice. */
  async #decideAndSave<T>(decide: () => T): Promise<T> {
    const result = decide();
    this.#planTick();
    await this.#flush();
    for (const job of this.#unreportedJobs.splice(0)) {
      if (isRunOver(job.run.status)) await this.#onRunEnded?.(job);
      this.#runChanged.fire(job.run);
    }
    return result;
  }

  #flush(): Promise<void> {
    return this.#journal.flush(() => this.#coordinator.jobsToSave());
  }
}
