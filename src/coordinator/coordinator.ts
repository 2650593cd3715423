import type * as z from 'zod';
import type { ListedRunner, Runner } from '../model/session/runner.ts';
import type { Run } from '../model/session/session.ts';
import { isRunOver, moveRun } from '../model/session/status.ts';
import type { ListedRun } from '../model/session/waiting.ts';
import type {
  ChangeRun,
  Claim,
  createRunSchema,
  Job,
  registrationSchema,
  RunFilter,
  RunReport,
  RunnerRef,
} from './api.ts';
import { normalizeDriveLetter, hasDemands, mergeDemands } from './demands.ts';
import { CoordinatorError } from './errors.ts';
import { RunnerRegistry, staleMs } from './runnerRegistry.ts';
import { demandsTimeoutMs, canTake, unclaimedText, waitingReason } from './waiting.ts';

const maxWaiting = 5000;
/** Maximum total size of waiting runs, as JSON. */
const maxWaitingSize = 64 << 20;
/** Maximum number of ended runs to keep. */
const maxEndedRuns = 1000;
/** If nothing was heard for this time, not even `tick`, the process was suspended and received no messages. */
const sleptMs = 10_000;
/** Longest time between two ticks while something can expire: longer than between heartbeats, shorter than `sleptMs`. */
const lookMs = 7_000;

const sizeOf = (job: Job): number => JSON.stringify(job).length;
/** Higher numbers first, otherwise in the order of arrival. */
const comparePriority = (a: Job, b: Job): number => (b.priority ?? 0) - (a.priority ?? 0);

export interface CoordinatorDeps {
  /** Epoch milliseconds, for display. */
  readonly clock: () => number;
  /** Monotonic milliseconds, for durations. */
  readonly monotonic: () => number;
  /** `place` numbers runners of the same identity, from 0. */
  readonly runnerId: (hostname: string, projectDir: string, executorType: string, place: number) => string;
  readonly newRunId: () => string;
  readonly newSessionId: () => string;
  /** A job was created or has changed. Replaying the jobs in this order restores the queue. */
  readonly onChange: (job: Job) => void;
}

/** The queue of runs, and its runners. Synchronous, so a claim is atomic and exactly one runner gets a run. */
export class Coordinator {
  readonly #deps: CoordinatorDeps;
  /** All jobs, in order of creation. */
  readonly #jobs = new Map<string, Job>();
  readonly #registry = new RunnerRegistry();
  /** Monotonic deadlines for runs that wait for a runner. */
  readonly #deadlines = new Map<string, number>();
  readonly #endedRuns: string[] = [];
  /** Sizes of waiting runs. */
  readonly #waitingRunSizes = new Map<string, number>();
  #waitingRunsTotalSize = 0;
  /** Monotonic time of the last check. */
  #lastCheckAt: number;

  constructor(deps: CoordinatorDeps, saved: readonly Job[] = []) {
    this.#deps = deps;
    const now = deps.monotonic();
    this.#lastCheckAt = now;
    for (const job of saved) this.#keep(job);
    for (const job of [...this.#jobs.values()]) {
      const { status, run_id, timeout_at } = job.run;
      if (status === 'pending') {
        // Gives runners time to reconnect, including the one that the run waits for.
        const remainingMs = timeout_at === undefined ? demandsTimeoutMs : Date.parse(timeout_at) - deps.clock();
        this.#deadlines.set(run_id, now + Math.min(demandsTimeoutMs, Math.max(staleMs, remainingMs)));
      } else if (!isRunOver(status)) {
        this.#abandon(job, 'The Vitrine daemon ended during this run.');
      }
    }
  }

  /** @throws CoordinatorError */
  create(request: z.infer<typeof createRunSchema>, origin: Pick<Job, 'by_agent'> = {}): Run {
    const job = this.#createJob(request, origin);
    const { run } = job;
    this.#assertRoom(job);
    this.#deadlines.set(run.run_id, this.#nowWithoutSleep() + demandsTimeoutMs);
    this.#saveChange(job);
    return run;
  }

  /**
   * Lists a run that starts at once without being claimed: a child session in its parent's process. It counts for the
   * runner of its parent. @throws CoordinatorError
   */
  adopt(request: z.infer<typeof createRunSchema>): Run {
    const job = this.#createJob(request, { by_agent: true });
    const { parent_session_id: parent } = request;
    const parentJob = [...this.#jobs.values()].find(({ run }) => run.session_id === parent && !isRunOver(run.status));
    const runner_id = parentJob?.run.runner_id;
    const run = { ...moveRun(job.run, 'claimed', this.#timestamp()), ...(runner_id !== undefined && { runner_id }) };
    this.#saveChange({ ...job, run, adopted: true });
    return run;
  }

  /** Reports the progress of an adopted run; ignored once it has ended. @throws CoordinatorError `unknown_run` */
  reportAdopted({ run_id, status, error }: RunReport): void {
    const job = this.#requireJob(run_id);
    if (job.adopted !== true || isRunOver(job.run.status) || job.run.status === status) return;
    // It was stopped before it started.
    if (status === 'running' && job.run.status !== 'claimed') return;
    const hasRun = status === 'completed' && job.run.status === 'claimed';
    this.#move(hasRun ? { ...job, run: moveRun(job.run, 'running', this.#timestamp()) } : job, status, error);
  }

  /** Whether an online runner could take the run, now or when it has capacity. @throws CoordinatorError */
  isOffered(request: z.infer<typeof createRunSchema>): boolean {
    const job = this.#createJob(request, {});
    return this.#registry.onlineRunners(this.#nowWithoutSleep()).some((taken) => canTake(taken, job));
  }

  #createJob(request: z.infer<typeof createRunSchema>, origin: Pick<Job, 'by_agent'>): Job {
    const { type, session_id, agent_name, prompt, project_dir, parent_session_id, execution_mode, ...rest } = request;
    const { demands: ofBlueprint, additional_demands, ...choice } = rest;
    if (type === 'resume_session' && session_id === undefined) {
      throw new CoordinatorError('invalid', 'A resume_session run needs a session_id.');
    }
    const demands = mergeDemands(ofBlueprint, additional_demands);
    if (session_id !== undefined) this.#assertSameExecutor(session_id, choice.executor_type);
    const run: Run = {
      run_id: this.#deps.newRunId(),
      type,
      session_id: session_id ?? this.#deps.newSessionId(),
      ...(agent_name !== undefined && { agent_name }),
      prompt,
      ...(project_dir !== undefined && { project_dir }),
      ...(parent_session_id !== undefined && { parent_session_id }),
      execution_mode,
      ...(hasDemands(demands) && { demands }),
      status: 'pending',
      created_at: this.#timestamp(),
      timeout_at: this.#timestamp(demandsTimeoutMs),
    };
    return { ...choice, run, ...origin };
  }

  /** @throws CoordinatorError `over` if the run is no longer waiting */
  change({ run_id, move, demands }: ChangeRun): Run {
    const job = this.#requireJob(run_id);
    if (job.run.status !== 'pending')
      throw new CoordinatorError('over', `Run ${run_id} is ${job.run.status} and is no longer waiting.`);
    const others = [...this.#jobs.values()].filter(({ run }) => run.status === 'pending' && run.run_id !== run_id);
    const numbers = others.map(({ priority = 0 }) => priority);
    const priority =
      move === undefined ? job.priority : move === 'first' ? Math.max(0, ...numbers) + 1 : Math.min(0, ...numbers) - 1;
    const { demands: before, ...rest } = job.run;
    const newDemands = demands ?? before;
    const run = { ...rest, ...(hasDemands(newDemands) && { demands: newDemands }) };
    this.#saveChange({ ...job, run, ...(priority !== undefined && { priority }) });
    return run;
  }

  /** @throws CoordinatorError */
  stop(runId: string): Run {
    const job = this.#requireJob(runId);
    const { status } = job.run;
    if (isRunOver(status) || status === 'stopping') return job.run;
    return this.#move(job, status === 'pending' ? 'stopped' : 'stopping');
  }

  runs({ session_id, runner_id }: RunFilter = {}): readonly ListedRun[] {
    const online = this.#registry.onlineRunners(this.#nowWithoutSleep());
    const load = this.#load();
    const unfinished = new Map<string, string>();
    const runs = [...this.#jobs.values()].map((job): ListedRun => {
      const { run, executor_type, priority } = job;
      const before = unfinished.get(run.session_id);
      if (!isRunOver(run.status) && before === undefined) unfinished.set(run.session_id, run.run_id);
      const waiting = run.status === 'pending' ? waitingReason(job, { online, load, before }) : undefined;
      return {
        ...run,
        executor_type,
        ...(priority !== undefined && { priority }),
        ...(waiting !== undefined && { waiting }),
      };
    });
    return runs.filter(
      (run) =>
        (session_id === undefined || run.session_id === session_id) &&
        (runner_id === undefined || run.runner_id === runner_id),
    );
  }

  runners(): readonly ListedRunner[] {
    return this.#registry.list(this.#nowWithoutSleep(), this.#load());
  }

  /** Jobs to save for the next coordinator. */
  jobsToSave(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** @throws CoordinatorError `full` */
  register(registration: z.infer<typeof registrationSchema>): Runner {
    const { hostname, project_dir, executor_type } = registration;
    const idOf = (place: number): string =>
      this.#deps.runnerId(hostname, normalizeDriveLetter(project_dir), executor_type, place);
    const { registered, hasReplacedInstance } = this.#registry.register(idOf, registration, this.#currentTime());
    if (hasReplacedInstance) this.#giveUp(registered.runner.runner_id, 'The runner restarted during this run.');
    return registered.runner;
  }

  /** @throws CoordinatorError `unknown_runner` */
  heartbeat(runnerRef: RunnerRef): void {
    this.#registry.heartbeat(runnerRef, this.#currentTime());
  }

  /** @throws CoordinatorError `unknown_runner` */
  claim({ has, ...runnerRef }: Claim): Job | null {
    const taken = this.#registry.heartbeat(runnerRef, this.#currentTime());
    const { runner_id } = taken.runner;
    const jobs = [...this.#jobs.values()];
    const busy = jobs.filter(({ run }) => run.status !== 'pending' && !isRunOver(run.status));
    const own = busy.filter(({ run }) => run.runner_id === runner_id);
    const unanswered = own.find(
      ({ run, adopted }) => adopted !== true && run.started_at === undefined && has?.includes(run.run_id) === false,
    );
    if (unanswered !== undefined) return unanswered;
    // A parent that waits in a call for its child does not count, because the child would otherwise wait for the
    // parent.
    const waited = new Set(
      jobs.flatMap(({ run, by_agent }) =>
        by_agent === true && run.execution_mode === 'sync' && !isRunOver(run.status) ? [run.parent_session_id] : [],
      ),
    );
    if (own.filter(({ run }) => !waited.has(run.session_id)).length >= taken.limit) return null;
    const occupied = new Set(busy.map(({ run }) => run.session_id));
    // A session has one run at a time, and its runs keep their order.
    const ready = jobs.filter(({ run }) => {
      if (run.status !== 'pending' || occupied.has(run.session_id)) return false;
      occupied.add(run.session_id);
      return true;
    });
    for (const job of ready.toSorted(comparePriority)) {
      const { run } = job;
      if (!canTake(taken, job)) continue;
      const claimed = { ...job, run: { ...moveRun(run, 'claimed', this.#timestamp()), runner_id } };
      this.#saveChange(claimed);
      return claimed;
    }
    return null;
  }

  /** @throws CoordinatorError `over` if the run has ended or belongs to another runner */
  report(runnerRef: RunnerRef, { run_id, status, error }: RunReport): Run {
    const { runner } = this.#registry.heartbeat(runnerRef, this.#currentTime());
    const job = this.#requireJob(run_id);
    const { run } = job;
    if (run.runner_id !== runner.runner_id || isRunOver(run.status)) {
      throw new CoordinatorError('over', `Run ${run_id} is ${run.status} and not claimed by ${runner.runner_id}.`);
    }
    // It was stopped before it started, and stays `stopping`.
    if (status === 'running' && run.status !== 'claimed') return run;
    // It ended before it was reported as running.
    const started =
      status === 'completed' && run.status === 'claimed'
        ? { ...job, run: moveRun(run, 'running', this.#timestamp()) }
        : job;
    return this.#move(started, status, error);
  }

  /** The runner's process has ended. Does nothing if another process has replaced it. */
  removeRunner(runnerRef: RunnerRef, reason: string): void {
    if (!this.#registry.unregister(runnerRef)) return;
    this.#giveUp(runnerRef.runner_id, reason);
  }

  /** Milliseconds until `tick` is due, which changes with every call; absent if nothing can expire. */
  msUntilTick(): number | undefined {
    const now = this.#nowWithoutSleep();
    const expiries = [...this.#deadlines.values(), ...this.#registry.expiries()];
    if (expiries.length === 0) return undefined;
    return Math.max(
      0,
      expiries.reduce((least, expiry) => Math.min(least, expiry - now), lookMs),
    );
  }

  /** Gives up expired runs and lost runners. */
  tick(): void {
    const now = this.#nowWithoutSleep();
    const online = this.#registry.onlineRunners(now);
    for (const [id, deadline] of this.#deadlines) {
      const job = this.#jobs.get(id);
      if (now < deadline || job === undefined) continue;
      // A suitable runner is connected, so the run only has to wait for its turn.
      if (online.some((taken) => canTake(taken, job))) this.#deadlines.set(id, now + staleMs);
      else
        this.#move(job, 'failed', unclaimedText(job, waitingReason(job, { online, load: () => 0, before: undefined })));
    }
    for (const id of this.#registry.removeLost(now)) this.#giveUp(id, 'The runner stopped responding.');
  }

  #giveUp(runnerId: string, reason: string): void {
    for (const job of [...this.#jobs.values()]) {
      const { runner_id, status } = job.run;
      if (runner_id === runnerId && !isRunOver(status) && job.adopted !== true) this.#abandon(job, reason);
    }
  }

  #abandon(job: Job, reason: string): void {
    this.#move(job, job.run.status === 'stopping' ? 'stopped' : 'failed', reason);
  }

  #move(job: Job, status: Run['status'], error?: string): Run {
    const run = { ...moveRun(job.run, status, this.#timestamp()), ...(error !== undefined && { error }) };
    this.#saveChange({ ...job, run });
    return run;
  }

  #saveChange(job: Job): void {
    this.#keep(job);
    this.#deps.onChange(job);
  }

  #assertRoom(job: Job): void {
    if (this.#waitingRunSizes.size >= maxWaiting) {
      throw new CoordinatorError('full', `The queue is full: ${maxWaiting} runs are waiting.`);
    }
    if (this.#waitingRunsTotalSize + sizeOf(job) > maxWaitingSize) {
      const advice = 'Stop some, or wait until they are done.';
      throw new CoordinatorError('full', `The waiting runs exceed ${maxWaitingSize >> 20} MB in total. ${advice}`);
    }
  }

  #keep(job: Job): void {
    const { run_id, status } = job.run;
    this.#jobs.set(run_id, job);
    this.#waitingRunsTotalSize -= this.#waitingRunSizes.get(run_id) ?? 0;
    this.#waitingRunSizes.delete(run_id);
    if (status === 'pending') {
      const size = sizeOf(job);
      this.#waitingRunSizes.set(run_id, size);
      this.#waitingRunsTotalSize += size;
    }
    if (status !== 'pending') this.#deadlines.delete(run_id);
    if (!isRunOver(status)) return;
    this.#endedRuns.push(run_id);
    const oldest = this.#endedRuns.length > maxEndedRuns ? this.#endedRuns.shift() : undefined;
    if (oldest !== undefined) this.#jobs.delete(oldest);
  }

  #requireJob(runId: string): Job {
    const job = this.#jobs.get(runId);
    if (job === undefined) throw new CoordinatorError('unknown_run', `Run not found: ${runId}.`);
    return job;
  }

  /**
   * Throws if another run of the session uses a different executor. Ended runs are checked against the session's
   * record.
   */
  #assertSameExecutor(session: string, executor: string): void {
    const other = [...this.#jobs.values()].find(
      ({ run, executor_type }) => run.session_id === session && executor_type !== executor,
    );
    if (other === undefined) return;
    throw new CoordinatorError(
      'contradiction',
      `Session ${session} is a ${other.executor_type} session; ${executor} cannot resume it.`,
    );
  }

  #load(): (runnerId: string) => number {
    const load = new Map<string, number>();
    for (const { run } of this.#jobs.values()) {
      const { runner_id, status } = run;
      if (runner_id !== undefined && !isRunOver(status)) load.set(runner_id, (load.get(runner_id) ?? 0) + 1);
    }
    return (runnerId) => load.get(runnerId) ?? 0;
  }

  #currentTime(): { readonly now: number; readonly at: string } {
    return { now: this.#nowWithoutSleep(), at: this.#timestamp() };
  }

  /** If this process was suspended, that time does not count, because nobody could reach it. */
  #nowWithoutSleep(): number {
    const now = this.#deps.monotonic();
    const slept = now - this.#lastCheckAt;
    this.#lastCheckAt = now;
    if (slept > sleptMs) {
      this.#registry.excludeTime(slept);
      for (const [id, deadline] of this.#deadlines) this.#deadlines.set(id, deadline + slept);
    }
    return now;
  }

  #timestamp(later = 0): string {
    return new Date(this.#deps.clock() + later).toISOString();
  }
}
