import { parseInput } from '../../../coordinator/acceptedRuns.ts';
import {
  createRunSchema,
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
} from '../../../coordinator/api.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import type { Disposable } from '../../../engine/api.ts';
import type { LocalCoordinator } from '../../../engine/coordinator/local.ts';
import type { ListedRunner, Runner } from '../../../model/session/runner.ts';
import type { Run } from '../../../model/session/session.ts';
import type { ListedRun } from '../../../model/session/waiting.ts';
import type { TeamQueue } from './teamQueue.ts';
import type { TeamRunners } from './teamRunners.ts';

export interface TeamSide {
  readonly queue: TeamQueue;
  readonly runners: TeamRunners;
  readonly isJoined: boolean;
  onRun(listener: RunListener): Disposable;
}

/** The queue of this machine, and that of the team behind it: one link for runners and clients. */
export class SharedQueue implements CoordinatorLink {
  readonly #local: LocalCoordinator;
  readonly #team: TeamSide;

  constructor(local: LocalCoordinator, team: TeamSide) {
    this.#local = local;
    this.#team = team;
  }

  createRun(request: CreateRunRequest): Promise<Run> {
    const { team, retry, ...local } = request;
    if (team === true) return this.#team.queue.create(parseInput(createRunSchema, request));
    if (retry !== undefined && retry)
      return Promise.reject(new CoordinatorError('invalid', 'Only team runs can be retried.'));
    return this.#local.createRun(local);
  }

  stopRun(id: string): Promise<Run> {
    return this.#runHereOrInTeam(
      () => this.#local.stopRun(id),
      () => this.#team.queue.stop(id),
    );
  }

  /** @throws CoordinatorError `over` unless the run waits */
  changeRun(change: ChangeRun): Promise<Run> {
    return this.#runHereOrInTeam(
      () => this.#local.changeRun(change),
      () => this.#team.queue.change(change),
    );
  }

  async runs(filter: RunFilter = {}): Promise<readonly ListedRun[]> {
    const { session_id, runner_id } = filter;
    const [local, team] = await Promise.all([this.#local.runs(filter), this.#team.queue.runs()]);
    const matching = team.filter(
      (run) =>
        (session_id === undefined || run.session_id === session_id) &&
        (runner_id === undefined || run.runner_id === runner_id),
    );
    return [...local, ...matching];
  }

  /** A runner of this machine is listed once. */
  async runners(): Promise<readonly ListedRunner[]> {
    const [local, team] = await Promise.all([this.#local.runners(), this.#team.queue.listRunners()]);
    const own = new Set(local.map(({ runner_id }) => runner_id));
    return [...local, ...team.filter(({ runner_id }) => !own.has(runner_id))];
  }

  async register(registration: Registration): Promise<Runner> {
    const runner = await this.#local.register(registration);
    await this.#team.runners.add(registration, runner.runner_id);
    return runner;
  }

  heartbeat(runnerRef: RunnerRef): Promise<void> {
    return this.#local.heartbeat(runnerRef);
  }

  async claim(claim: Claim): Promise<Job | null> {
    return (await this.#local.claim(claim)) ?? (await this.#team.queue.claim(claim));
  }

  report(runnerRef: RunnerRef, report: RunReport): Promise<Run> {
    if (!this.#team.queue.has(report.run_id)) return this.#local.report(runnerRef, report);
    return Promise.resolve().then(() => this.#team.queue.report(runnerRef, report));
  }

  async leave(runnerRef: RunnerRef): Promise<void> {
    await this.#team.queue.flush();
    await Promise.all([this.#local.leave(runnerRef), this.#team.runners.remove(runnerRef)]);
  }

  async #runHereOrInTeam(here: () => Promise<Run>, inTeam: () => Promise<Run | null>): Promise<Run> {
    try {
      return await here();
    } catch (error) {
      const isElsewhere = this.#team.isJoined && CoordinatorError.is(error, 'unknown_run');
      const found = isElsewhere ? await inTeam() : null;
      if (found === null) throw error;
      return found;
    }
  }

  onRun(listener: RunListener): Disposable {
    const both = [this.#local.onRun(listener), this.#team.onRun(listener)];
    return { dispose: () => both.forEach((disposable) => disposable.dispose()) };
  }
}
