import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CoordinatorLink, Job, Registration, RunReport, Seat } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { heartbeatMs } from '../../coordinator/runnerRegistry.ts';
import type { Runner as RunnerModel } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { Disposable, Log } from '../api.ts';
import type { JoinedCoordinator } from './join.ts';
import { Reports } from './reports.ts';

/** Before another coordinator is looked for again. */
const rejoinMs = 500;
/** Of one that leaves and has nothing more to finish, to say how its runs came out. */
const lastJoins = 5;

/** How a run came out. */
export type Outcome = Omit<RunReport, 'run_id' | 'status'> & { readonly status: 'completed' | 'failed' | 'stopped' };

export interface RunnerDeps {
  readonly registration: Omit<Registration, 'instance'>;
  readonly join: () => Promise<JoinedCoordinator>;
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
 * Takes runs from the coordinator and has them executed, as many at a time as its limit says. Resumes what it has where
 * the coordinator ends, and registers with the next one under the same id.
 */
export class RunnerLoop {
  readonly #deps: RunnerDeps;
  readonly #instance = randomUUID();
  readonly #active = new Map<string, { readonly job: Job; readonly done: Promise<void> }>();
  /** Runs that someone wants stopped, whether they have come yet or not. */
  readonly #toStop = new Set<string>();
  readonly #reports: Reports;
  #joined: JoinedCoordinator | undefined;
  #seat: Seat | undefined;
  #joining: Promise<unknown> = Promise.resolve();
  #news: Disposable | undefined;
  #heart: NodeJS.Timeout | undefined;
  #claims: Promise<void> = Promise.resolve();
  #claiming = false;
  #again = false;
  #leaving = false;
  #closed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#reports = new Reports(() => {
      const [joined, seat] = [this.#joined, this.#seat];
      return joined === undefined || seat === undefined ? undefined : { link: joined.link, seat };
    }, deps.log);
  }

  /** @throws CoordinatorError `conflict` where another runner has this identity, `unreachable` where it was closed meanwhile */
  start(): Promise<RunnerModel> {
    const joining = this.#join();
    this.#joining = joining;
    return joining;
  }

  /** Takes no more; stops what runs, unless that is to `finish`; and leaves. */
  async close({ finish = false } = {}): Promise<void> {
    this.#leaving = true;
    // One that has not begun has nothing to finish.
    this.#closed = !finish || this.#seat === undefined;
    if (!finish) await Promise.all([...this.#active.values()].map(({ job }) => this.#stop(job)));
    // What it was given at this very moment is its own, too.
    await this.#claims;
    await Promise.all([...this.#active.values()].map(({ done }) => done));
    if (finish) await this.#joining.catch(() => undefined);
    this.#closed = true;
    await this.#joining.catch(() => undefined);
    clearInterval(this.#heart);
    this.#news?.dispose();
    const { link } = this.#joined ?? {};
    if (this.#seat !== undefined) await link?.leave(this.#seat).catch(() => undefined);
    await this.#joined?.close();
  }

  async #join(): Promise<RunnerModel> {
    const joined = await this.#deps.join();
    try {
      this.#assertOpen();
      const { link } = joined;
      const runner = await link.register({ ...this.#deps.registration, instance: this.#instance });
      const seat = { runner_id: runner.runner_id, instance: this.#instance };
      if (this.#closed) await link.leave(seat);
      this.#assertOpen();
      this.#joined = joined;
      this.#seat = seat;
      this.#news?.dispose();
      this.#news = link.onRun((run) => this.#heard(run));
      this.#heart ??= setInterval(() => void this.#beat(), heartbeatMs);
      void joined.gone.then(() => {
        this.#joining = this.#rejoin();
      });
      this.#deps.onJoined?.(runner, joined.hosting);
      await this.#catchUp(link, seat);
      await this.#reports.tell();
      void this.#claim();
      return runner;
    } catch (error) {
      await joined.close();
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new CoordinatorError('unreachable', 'The runner was closed before it started.');
  }

  async #rejoin(): Promise<void> {
    for (let left = lastJoins; !this.#closed && left > 0;) {
      try {
        await this.#join();
        return;
      } catch (error) {
        this.#deps.log.warn(`No coordinator yet: ${String(error)}`);
        const isIdle = this.#leaving && this.#active.size === 0;
        // Another one is what this was, and no one takes from this any more how its runs came out.
        if (isIdle && CoordinatorError.is(error, 'conflict')) return;
        if (isIdle) left -= 1;
        await delay(rejoinMs);
      }
    }
  }

  /** Stops may have been wanted while no news came. */
  async #catchUp(link: CoordinatorLink, { runner_id }: Seat): Promise<void> {
    if (this.#active.size === 0) return;
    try {
      for (const run of await link.runs({ runner_id })) this.#heedStop(run);
    } catch (error) {
      this.#deps.log.warn(`Stops: ${String(error)}`);
    }
  }

  #heard(run: Run): void {
    if (this.#active.has(run.run_id)) this.#deps.onRun?.(run);
    if (run.runner_id !== undefined && run.runner_id === this.#seat?.runner_id) this.#heedStop(run);
    // A new run waits, or the end of one lets another begin.
    if (run.status !== 'claimed' && run.status !== 'running') void this.#claim();
  }

  /** The news of a stop may come before the run itself. */
  #heedStop({ run_id, status }: Run): void {
    if (isRunOver(status)) this.#toStop.delete(run_id);
    if (status !== 'stopping') return;
    this.#toStop.add(run_id);
    const mine = this.#active.get(run_id);
    if (mine !== undefined) void this.#stop(mine.job);
  }

  async #stop(job: Job): Promise<void> {
    try {
      await this.#deps.stop(job);
    } catch (error) {
      this.#deps.log.error(`${job.run.run_id} cannot be stopped: ${String(error)}`);
    }
  }

  async #beat(): Promise<void> {
    if (this.#seat === undefined || this.#closed) return;
    try {
      await this.#joined?.link.heartbeat(this.#seat);
      await this.#reports.tell();
      await this.#claim();
    } catch (error) {
      // It was given up meanwhile, such as over a long sleep: it is there again.
      if (CoordinatorError.is(error, 'unknown_runner')) await this.#registerAgain();
      else this.#deps.log.warn(`Heartbeat: ${String(error)}`);
    }
  }

  async #registerAgain(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#joined?.link.register({ ...this.#deps.registration, instance: this.#instance });
    } catch (error) {
      this.#deps.log.warn(`Registration: ${String(error)}`);
    }
  }

  /** One claim at a time, and one more look where something happened meanwhile. */
  #claim(): Promise<void> {
    if (this.#claiming) this.#again = true;
    else this.#claims = this.#claimAll();
    return this.#claims;
  }

  async #claimAll(): Promise<void> {
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
    const has = [...new Set([...this.#active.keys(), ...this.#reports.runs()])];
    const job = (await this.#joined?.link.claim({ ...this.#seat, has })) ?? null;
    if (job === null) return false;
    this.#deps.onRun?.(job.run);
    const { run_id } = job.run;
    this.#active.set(run_id, { job, done: this.#execute(job) });
    return true;
  }

  async #execute(job: Job): Promise<void> {
    const { run_id } = job.run;
    const outcome: Outcome = this.#isUnwanted(job)
      ? { status: 'stopped' }
      : await this.#deps.execute(job, () => this.#began(job));
    await this.#reports.add({ run_id, ...outcome });
    this.#active.delete(run_id);
    this.#toStop.delete(run_id);
    void this.#claim();
  }

  /** Until now there was nothing that a stop could end. */
  #began(job: Job): void {
    void this.#reports.add({ run_id: job.run.run_id, status: 'running' });
    if (this.#isUnwanted(job)) void this.#stop(job);
  }

  #isUnwanted({ run: { run_id, status } }: Job): boolean {
    return this.#closed || status === 'stopping' || this.#toStop.has(run_id);
  }
}
