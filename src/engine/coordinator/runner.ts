import { randomUUID } from 'node:crypto';
import {
  maxErrorLength,
  type CoordinatorLink,
  type Job,
  type Registration,
  type RunReport,
} from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { heartbeatMs } from '../../coordinator/runnerRegistry.ts';
import type { Runner as RunnerModel } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { Disposable, Log } from '../api.ts';

/** Outcome of a run. */
export type Outcome = Omit<RunReport, 'run_id' | 'status'> & { readonly status: 'completed' | 'failed' | 'stopped' };

export interface RunnerDeps {
  readonly registration: Omit<Registration, 'instance'>;
  readonly link: CoordinatorLink;
  /** Calls `started` when the agent runs. Never rejects. */
  readonly execute: (job: Job, started: () => void) => Promise<Outcome>;
  /** Stops the agent of this run; `execute` then settles. */
  readonly stop: (job: Job) => Promise<void>;
  readonly log: Log;
}

/** Claims runs from the coordinator and executes them, up to its limit at a time. */
export class RunnerLoop {
  readonly #deps: RunnerDeps;
  readonly #runnerRef: { readonly runner_id: string; readonly instance: string };
  readonly #activeJobs = new Map<string, { readonly job: Job; readonly done: Promise<void> }>();
  /** Runs to stop, including those that have not arrived yet. */
  readonly #runsToStop = new Set<string>();
  readonly #news: Disposable;
  readonly #heartbeatTimer: NodeJS.Timeout;
  #claims: Promise<void> = Promise.resolve();
  #isClaiming = false;
  #hasPendingClaim = false;
  #isLeaving = false;
  #isClosed = false;

  private constructor(deps: RunnerDeps, runnerRef: { readonly runner_id: string; readonly instance: string }) {
    this.#deps = deps;
    this.#runnerRef = runnerRef;
    this.#news = deps.link.onRun((run) => this.#handleRunChange(run));
    this.#heartbeatTimer = setInterval(() => void this.#sendHeartbeat(), heartbeatMs);
    this.#heartbeatTimer.unref();
    void this.#claim();
  }

  /** @throws CoordinatorError `full` if there are too many runners */
  static async start(deps: RunnerDeps): Promise<{ readonly loop: RunnerLoop; readonly runner: RunnerModel }> {
    const instance = randomUUID();
    const runner = await deps.link.register({ ...deps.registration, instance });
    return { runner, loop: new RunnerLoop(deps, { runner_id: runner.runner_id, instance }) };
  }

  /** Claims no more runs, stops the active ones unless they may `finish`, and signs off. */
  async close({ finish = false } = {}): Promise<void> {
    this.#isLeaving = true;
    this.#isClosed ||= !finish;
    if (!finish) await Promise.all([...this.#activeJobs.values()].map(({ job }) => this.#stop(job)));
    // A claim in flight may still return a run.
    await this.#claims;
    await Promise.all([...this.#activeJobs.values()].map(({ done }) => done));
    this.#isClosed = true;
    clearInterval(this.#heartbeatTimer);
    this.#news.dispose();
    await this.#deps.link.leave(this.#runnerRef);
  }

  #handleRunChange(run: Run): void {
    if (run.runner_id === this.#runnerRef.runner_id) this.#handleStop(run);
    // A new run is waiting, or one has ended and another can start.
    if (run.status !== 'claimed' && run.status !== 'running') void this.#claim();
  }

  /** A stop may be reported before the run itself arrives. */
  #handleStop({ run_id, status }: Run): void {
    if (isRunOver(status)) this.#runsToStop.delete(run_id);
    if (status !== 'stopping') return;
    this.#runsToStop.add(run_id);
    const activeJob = this.#activeJobs.get(run_id);
    if (activeJob !== undefined) void this.#stop(activeJob.job);
  }

  async #stop(job: Job): Promise<void> {
    try {
      await this.#deps.stop(job);
    } catch (error) {
      this.#deps.log.error(`${job.run.run_id} cannot be stopped: ${String(error)}`);
    }
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      await this.#deps.link.heartbeat(this.#runnerRef);
    } catch (error) {
      this.#deps.log.warn(`Heartbeat: ${String(error)}`);
    }
  }

  /** Claims one run at a time, and tries again if something changed meanwhile. */
  #claim(): Promise<void> {
    if (this.#isClaiming) this.#hasPendingClaim = true;
    else this.#claims = this.#claimAll();
    return this.#claims;
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true;
    try {
      do {
        this.#hasPendingClaim = false;
        while (await this.#claimOne());
      } while (this.#hasNewRuns());
    } catch (error) {
      this.#deps.log.warn(`Claim: ${String(error)}`);
    } finally {
      this.#isClaiming = false;
    }
  }

  #hasNewRuns(): boolean {
    return this.#hasPendingClaim && !this.#isClosed;
  }

  async #claimOne(): Promise<boolean> {
    // The coordinator enforces the limit.
    if (this.#isLeaving) return false;
    const job = await this.#deps.link.claim({ ...this.#runnerRef, has: [...this.#activeJobs.keys()] });
    if (job === null) return false;
    this.#activeJobs.set(job.run.run_id, { job, done: this.#execute(job) });
    return true;
  }

  async #execute(job: Job): Promise<void> {
    const { run_id } = job.run;
    const outcome: Outcome = this.#isUnwanted(job)
      ? { status: 'stopped' }
      : await this.#deps.execute(job, () => this.#handleStart(job));
    await this.#report({ run_id, ...outcome });
    this.#activeJobs.delete(run_id);
    this.#runsToStop.delete(run_id);
    void this.#claim();
  }

  /** Before the agent started, there was nothing to stop. */
  #handleStart(job: Job): void {
    void this.#report({ run_id: job.run.run_id, status: 'running' });
    if (this.#isUnwanted(job)) void this.#stop(job);
  }

  async #report({ error, ...report }: RunReport): Promise<void> {
    try {
      const why = error === undefined ? {} : { error: error.slice(0, maxErrorLength) };
      await this.#deps.link.report(this.#runnerRef, { ...report, ...why });
    } catch (failure) {
      // A run that has ended needs no further report.
      if (!CoordinatorError.is(failure, 'over'))
        this.#deps.log.warn(`${report.run_id} ${report.status}: ${String(failure)}`);
    }
  }

  #isUnwanted({ run: { run_id, status } }: Job): boolean {
    return this.#isClosed || status === 'stopping' || this.#runsToStop.has(run_id);
  }
}
