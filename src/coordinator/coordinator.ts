import type * as z from 'zod';
import type { ListedRunner, Runner } from '../model/runner.ts';
import type { Run } from '../model/session.ts';
import { isRunOver, moveRun } from '../model/status.ts';
import type { createRunSchema, Job, registrationSchema, RunReport, Seat } from './api.ts';
import { demandsText, hasDemands, isWithin, meets, mergeDemands } from './demands.ts';
import { CoordinatorError } from './errors.ts';
import { Seats, type Taken } from './seats.ts';

/** How long a run with demands waits for a runner that meets them. */
export const demandsTimeoutMs = 5 * 60_000;
const maxWaiting = 10_000;
/** Runs that are over and still known. */
const maxOver = 1000;

/** What has changed, to be kept: replayed in order it makes the same coordinator. */
export type Change = { readonly kind: 'job'; readonly job: Job } | ({ readonly kind: 'runner' } & Taken);

export interface CoordinatorDeps {
  /** Epoch milliseconds, for what people read. */
  readonly clock: () => number;
  /** Milliseconds that never jump, for how long something takes. */
  readonly monotonic: () => number;
  readonly runnerId: (hostname: string, projectDir: string, executorType: string) => string;
  readonly newRunId: () => string;
  readonly newSessionId: () => string;
  readonly onChange: (change: Change) => void;
}

/**
 * The queue of runs and the runners that take them. Every call is whole before the next begins, which is what makes a claim
 * atomic: a run goes to one runner and to no other.
 */
export class Coordinator {
  readonly #deps: CoordinatorDeps;
  /** In the order in which they came. */
  readonly #jobs = new Map<string, Job>();
  readonly #seats = new Seats();
  /** When runs that wait for a runner are given up, on the clock that never jumps. */
  readonly #deadlines = new Map<string, number>();
  readonly #over: string[] = [];

  constructor(deps: CoordinatorDeps, kept: readonly Change[] = []) {
    this.#deps = deps;
    const now = deps.monotonic();
    for (const change of kept) {
      if (change.kind === 'job') this.#keep(change.job);
      else this.#seats.restore(change, now);
    }
    for (const { run } of this.#jobs.values()) {
      if (run.status !== 'pending' || run.timeout_at === undefined) continue;
      const left = Date.parse(run.timeout_at) - deps.clock();
      this.#deadlines.set(run.run_id, now + Math.min(demandsTimeoutMs, Math.max(0, left)));
    }
  }

  /** @throws CoordinatorError */
  create(request: z.infer<typeof createRunSchema>): Run {
    const { type, session_id, agent_name, prompt, project_dir, parent_session_id, execution_mode, ...rest } = request;
    const { demands: ofBlueprint, additional_demands, ...choice } = rest;
    if (type === 'resume_session' && session_id === undefined) {
      throw new CoordinatorError('invalid', 'A resume_session names the session that goes on.');
    }
    if ([...this.#jobs.values()].filter(({ run }) => run.status === 'pending').length >= maxWaiting) {
      throw new CoordinatorError('full', `${maxWaiting} runs wait: no more are taken until some are done.`);
    }
    const demands = mergeDemands(ofBlueprint, additional_demands);
    const demanding = hasDemands(demands);
    const run: Run = {
      run_id: this.#deps.newRunId(),
      type,
      session_id: session_id ?? this.#deps.newSessionId(),
      ...(agent_name !== undefined && { agent_name }),
      prompt,
      ...(project_dir !== undefined && { project_dir }),
      ...(parent_session_id !== undefined && { parent_session_id }),
      execution_mode,
      ...(demanding && { demands }),
      status: 'pending',
      created_at: this.#at(),
      ...(demanding && { timeout_at: this.#at(demandsTimeoutMs) }),
    };
    if (demanding) this.#deadlines.set(run.run_id, this.#deps.monotonic() + demandsTimeoutMs);
    this.#change({ ...choice, run });
    return run;
  }

  /** @throws CoordinatorError */
  stop(runId: string): Run {
    const job = this.#job(runId);
    const { status } = job.run;
    if (isRunOver(status) || status === 'stopping') return job.run;
    return this.#move(job, status === 'pending' ? 'stopped' : 'stopping');
  }

  runs(): readonly Run[] {
    return [...this.#jobs.values()].map(({ run }) => run);
  }

  runners(): readonly ListedRunner[] {
    return this.#seats.list(this.#deps.monotonic());
  }

  /** What has to be kept for the next coordinator. */
  kept(): readonly Change[] {
    const runners = this.#seats
      .all()
      .map(({ runner, instance, limit, within }) => ({ kind: 'runner', runner, instance, limit, within }) as const);
    return [...[...this.#jobs.values()].map((job) => ({ kind: 'job', job }) as const), ...runners];
  }

  /** @throws CoordinatorError `conflict` */
  register(registration: z.infer<typeof registrationSchema>): Runner {
    const { hostname, project_dir, executor_type } = registration;
    const id = this.#deps.runnerId(hostname, project_dir, executor_type);
    const { taken, replaced } = this.#seats.take(id, registration, this.#moment());
    if (replaced) this.#giveUp(id, 'The runner was started again while it had this run.');
    const { runner, instance, limit, within } = taken;
    this.#deps.onChange({ kind: 'runner', runner, instance, limit, within });
    return runner;
  }

  /** @throws CoordinatorError `unknown_runner` */
  heartbeat(seat: Seat): void {
    this.#seats.heard(seat, this.#moment());
  }

  /** @throws CoordinatorError `unknown_runner` */
  claim(seat: Seat): Job | null {
    const { runner, limit, within } = this.#seats.heard(seat, this.#moment());
    const jobs = [...this.#jobs.values()];
    const busy = jobs.filter(({ run }) => run.status !== 'pending' && !isRunOver(run.status));
    if (busy.filter(({ run }) => run.runner_id === runner.runner_id).length >= limit) return null;
    const occupied = new Set(busy.map(({ run }) => run.session_id));
    for (const job of jobs) {
      const { run, executor_type } = job;
      if (run.status !== 'pending') continue;
      // A session has one run at a time, and its runs keep their order.
      const free = !occupied.has(run.session_id);
      occupied.add(run.session_id);
      if (!free || executor_type !== runner.executor_type || !meets(runner, run.demands)) continue;
      if (!isWithin(run.project_dir, within)) continue;
      const claimed = { ...job, run: { ...moveRun(run, 'claimed', this.#at()), runner_id: runner.runner_id } };
      this.#change(claimed);
      return claimed;
    }
    return null;
  }

  /** @throws CoordinatorError `over` where the run has ended or is not this runner's */
  report(seat: Seat, { run_id, status, error }: RunReport): Run {
    const { runner } = this.#seats.heard(seat, this.#moment());
    const job = this.#job(run_id);
    const { run } = job;
    if (run.runner_id !== runner.runner_id || isRunOver(run.status)) {
      throw new CoordinatorError('over', `${run_id} is ${run.status}, and not with ${runner.runner_id}.`);
    }
    // Told to stop before it had begun: it goes on being so.
    if (status === 'running' && run.status !== 'claimed') return run;
    // It ended before anybody could say that it runs.
    const begun =
      status === 'completed' && run.status === 'claimed' ? { ...job, run: moveRun(run, 'running', this.#at()) } : job;
    return this.#move(begun, status, error);
  }

  /** Its process is gone, in order or not; nothing happens where another has taken its place. */
  left(seat: Seat, reason: string): void {
    if (!this.#seats.went(seat)) return;
    this.#giveUp(seat.runner_id, reason);
  }

  /** To be called now and then: gives up what waited too long, and whom nobody hears of. */
  tick(): void {
    const now = this.#deps.monotonic();
    for (const [id, deadline] of this.#deadlines) {
      const job = this.#jobs.get(id);
      if (now < deadline || job?.run.demands === undefined) continue;
      const wanted = demandsText(job.run.demands);
      this.#move(job, 'failed', `No runner with ${wanted} took this run within ${demandsTimeoutMs / 60_000} minutes.`);
    }
    for (const id of this.#seats.lose(now)) this.#giveUp(id, 'The runner is not heard of any more.');
  }

  #giveUp(runnerId: string, reason: string): void {
    for (const job of [...this.#jobs.values()]) {
      const { runner_id, status } = job.run;
      if (runner_id !== runnerId || isRunOver(status)) continue;
      this.#move(job, status === 'stopping' ? 'stopped' : 'failed', reason);
    }
  }

  #move(job: Job, status: Run['status'], error?: string): Run {
    const run = { ...moveRun(job.run, status, this.#at()), ...(error !== undefined && { error }) };
    this.#change({ ...job, run });
    return run;
  }

  #change(job: Job): void {
    this.#keep(job);
    this.#deps.onChange({ kind: 'job', job });
  }

  #keep(job: Job): void {
    const { run_id, status } = job.run;
    this.#jobs.set(run_id, job);
    if (status !== 'pending') this.#deadlines.delete(run_id);
    if (!isRunOver(status)) return;
    this.#over.push(run_id);
    const oldest = this.#over.length > maxOver ? this.#over.shift() : undefined;
    if (oldest !== undefined) this.#jobs.delete(oldest);
  }

  #job(runId: string): Job {
    const job = this.#jobs.get(runId);
    if (job === undefined) throw new CoordinatorError('unknown_run', `There is no run ${runId}, or not any more.`);
    return job;
  }

  #moment(): { readonly now: number; readonly at: string } {
    return { now: this.#deps.monotonic(), at: this.#at() };
  }

  #at(later = 0): string {
    return new Date(this.#deps.clock() + later).toISOString();
  }
}
