import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Registration, RunReport, Seat } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { heartbeatMs } from '../../coordinator/seats.ts';
import type { Runner as RunnerModel } from '../../model/runner.ts';
import type { Run } from '../../model/session.ts';
import type { Disposable, Log } from '../api.ts';
import type { Joined } from './join.ts';

/** Before another coordinator is looked for again. */
const rejoinMs = 500;

/** How a run came out. */
export type Outcome = Omit<RunReport, 'run_id' | 'status'> & { readonly status: 'completed' | 'failed' | 'stopped' };

export interface RunnerDeps {
  readonly registration: Omit<Registration, 'instance'>;
  readonly join: () => Promise<Joined>;
  /** Calls `started` when the agent runs. Never rejects. */
  readonly execute: (job: Job, started: () => void) => Promise<Outcome>;
  /** Ends what was begun for this run; `execute` then settles. */
  readonly stop: (job: Job) => Promise<void>;
  readonly log: Log;
  /** A coordinator was joined, or joined again; or what happens to a run of this runner. */
  readonly onJoined?: (runner: RunnerModel, hosting: boolean) => void;
  readonly onRun?: (run: Run) => void;
}

/**
 * Takes runs from the coordinator and has them executed, as many at a time as its limit says. Goes on with what it has where
 * the coordinator ends, and registers with the next one under the same id.
 */
export class RunnerLoop {
  readonly #deps: RunnerDeps;
  readonly #instance = randomUUID();
  readonly #active = new Map<string, { readonly job: Job; readonly done: Promise<void> }>();
  /** What the coordinator has not been told yet, by run. */
  readonly #untold = new Map<string, RunReport>();
  #joined: Joined | undefined;
  #seat: Seat | undefined;
  #news: Disposable | undefined;
  #heart: NodeJS.Timeout | undefined;
  #claiming = false;
  #again = false;
  #leaving = false;
  #closed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** @throws CoordinatorError `conflict` where another runner has this identity */
  async start(): Promise<RunnerModel> {
    const runner = await this.#join();
    this.#heart = setInterval(() => void this.#beat(), heartbeatMs);
    return runner;
  }

  /** Takes no more; stops what runs, unless that is to `finish`; and leaves. */
  async close({ finish = false } = {}): Promise<void> {
    this.#leaving = true;
    this.#closed = !finish;
    const active = [...this.#active.values()];
    if (!finish) await Promise.all(active.map(({ job }) => this.#deps.stop(job)));
    await Promise.all(active.map(({ done }) => done));
    this.#closed = true;
    clearInterval(this.#heart);
    this.#news?.dispose();
    const { link } = this.#joined ?? {};
    if (this.#seat !== undefined) await link?.leave(this.#seat).catch(() => undefined);
    await this.#joined?.close();
  }

  async #join(): Promise<RunnerModel> {
    const joined = await this.#deps.join();
    this.#joined = joined;
    const { link } = joined;
    try {
      const runner = await link.register({ ...this.#deps.registration, instance: this.#instance });
      this.#seat = { runner_id: runner.runner_id, instance: this.#instance };
      this.#news?.dispose();
      this.#news = link.onRun((run) => this.#heard(run));
      void joined.gone.then(() => this.#rejoin());
      this.#deps.onJoined?.(runner, joined.hosting);
      await this.#tell();
      void this.#claim();
      return runner;
    } catch (error) {
      await joined.close();
      throw error;
    }
  }

  async #rejoin(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#join();
        return;
      } catch (error) {
        this.#deps.log.warn(`No coordinator yet: ${String(error)}`);
        await delay(rejoinMs);
      }
    }
  }

  #heard(run: Run): void {
    const mine = this.#active.get(run.run_id);
    if (mine !== undefined) {
      this.#deps.onRun?.(run);
      if (run.status === 'stopping') void this.#deps.stop(mine.job);
    }
    // A new run waits, or the end of one lets another begin.
    if (run.status !== 'claimed' && run.status !== 'running') void this.#claim();
  }

  async #beat(): Promise<void> {
    if (this.#seat === undefined || this.#closed) return;
    try {
      await this.#joined?.link.heartbeat(this.#seat);
      await this.#tell();
      await this.#claim();
    } catch (error) {
      // It was given up meanwhile, such as over a long sleep: it is there again.
      if (CoordinatorError.is(error, 'unknown_runner')) await this.#registerAgain();
      else this.#deps.log.warn(`Heartbeat: ${String(error)}`);
    }
  }

  async #registerAgain(): Promise<void> {
    try {
      await this.#joined?.link.register({ ...this.#deps.registration, instance: this.#instance });
    } catch (error) {
      this.#deps.log.warn(`Registration: ${String(error)}`);
    }
  }

  /** One claim at a time, and one more look where something happened meanwhile. */
  async #claim(): Promise<void> {
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#claiming = true;
    try {
      do {
        this.#again = false;
        while (await this.#claimOne());
      } while (this.#takeAgain());
    } catch (error) {
      if (!CoordinatorError.is(error, 'unreachable')) this.#deps.log.warn(`Claim: ${String(error)}`);
    } finally {
      this.#claiming = false;
    }
  }

  #takeAgain(): boolean {
    return this.#again && !this.#closed;
  }

  async #claimOne(): Promise<boolean> {
    const { limit = 1 } = this.#deps.registration;
    if (this.#leaving || this.#seat === undefined || this.#active.size >= limit) return false;
    const job = (await this.#joined?.link.claim(this.#seat)) ?? null;
    if (job === null) return false;
    this.#deps.onRun?.(job.run);
    const { run_id } = job.run;
    this.#active.set(run_id, { job, done: this.#execute(job) });
    return true;
  }

  async #execute(job: Job): Promise<void> {
    const { run_id } = job.run;
    const outcome = await this.#deps.execute(job, () => void this.#report({ run_id, status: 'running' }));
    await this.#report({ run_id, ...outcome });
    this.#active.delete(run_id);
    void this.#claim();
  }

  async #report(report: RunReport): Promise<void> {
    this.#untold.set(`${report.run_id} ${report.status}`, report);
    await this.#tell();
  }

  /** Says what the coordinator does not know yet, in order; what it does not want to know is not said again. */
  async #tell(): Promise<void> {
    for (const [key, report] of this.#untold) {
      if (this.#seat === undefined) return;
      try {
        await this.#joined?.link.report(this.#seat, report);
      } catch (error) {
        if (CoordinatorError.is(error, 'unreachable') || CoordinatorError.is(error, 'unknown_runner')) return;
        this.#deps.log.warn(`${report.run_id} ${report.status}: ${String(error)}`);
      }
      this.#untold.delete(key);
    }
  }
}
