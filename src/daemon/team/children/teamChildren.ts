import { setTimeout as delay } from 'node:timers/promises';
import { parseInput } from '../../../coordinator/acceptedRuns.ts';
import { createRunSchema, type CreateRunRequest, type Job } from '../../../coordinator/api.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { canTake } from '../../../coordinator/waiting.ts';
import type { Log } from '../../../engine/api.ts';
import type { RunnerAvailability, ChildRun, QueuedChildRun } from '../../../engine/children/childRuns.ts';
import type { Engine } from '../../../engine/engine.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import { childSessionNotShared } from '../../../engine/failures/teamFailures.ts';
import { sessionId } from '../../../engine/ids.ts';
import { executorTypeSchema, type Remote, type Run } from '../../../model/session/session.ts';
import { isRunOver, isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { TeamError } from '../../../team/errors.ts';
import { findShared, type SharedSession } from '../../../team/records/sharedSessions.ts';
import { findRuns, onlineRunners, type TeamRun } from '../../../team/runs/teamRuns.ts';
import type { UseDatabase } from '../outbox.ts';
import { translateRefusals, type TeamQueue } from '../runs/teamQueue.ts';
import type { DaemonTeam } from '../team.ts';
import { readChildCopy } from './childCopy.ts';
import { parentElsewhere, parentNotShared, parentRemote } from './refusedParents.ts';

/** Between two looks at one session, in ms. */
const pauseMs = 300;
/** For how long the end of a transcript is waited for after its run has ended: much of it may still have to be sent. In ms. */
const [completedMs, failedMs] = [60_000, 10_000];
/** For how long a stop waits for the other machine, in ms. */
const stopMs = 30_000;

export interface TeamChildrenDeps {
  readonly engine: Pick<Engine, 'list' | 'open' | 'queued' | 'budgets' | 'children'>;
  readonly queue: Pick<TeamQueue, 'create' | 'stop' | 'has'>;
  readonly use: UseDatabase;
  readonly isConnected: () => boolean;
  readonly team: () => Pick<DaemonTeam, 'shareOf' | 'copy'> | null;
  readonly isInTeam: () => Promise<boolean>;
  readonly randomHex: (digits: number) => string;
  /** Sessions that other machines run for this one. */
  readonly onChildCount: (count: number) => void;
  /** The team has what its machine records of it, more than the record here says. */
  readonly onShown: (sessionId: string) => void;
  readonly log: Log;
}

/** A new run in a session below another one. */
type ChildRequest = CreateRunRequest & { readonly session_id: string };

interface Child {
  readonly id: string;
  readonly runId: string;
  readonly ended: Promise<void>;
  readonly settle: () => void;
  /** One look after the other. */
  work: Promise<void>;
  /** The team has what its machine records. */
  isShown?: boolean;
  timer?: NodeJS.Timeout;
  /** It must be stopped as soon as the team can be reached. */
  isStopped?: boolean;
  /** Why it was stopped. */
  reason?: string;
  /** Since when its run has ended and the end of its transcript is missing; epoch ms. */
  missingSince?: number;
}

/**
 * Child sessions that other machines in the team run, for an agent or for a person who named the parent. Each has a record
 * here, so that the limits of its tree, its callback and its result are those of a child on this machine.
 */
export class TeamChildren {
  readonly #deps: TeamChildrenDeps;
  readonly #children = new Map<string, Child>();

  constructor(deps: TeamChildrenDeps) {
    this.#deps = deps;
  }

  async findRunner(run: ChildRun): Promise<RunnerAvailability> {
    const { team, isConnected, use } = this.#deps;
    const joined = team();
    if (joined === null || !isConnected()) return { by: 'none' };
    try {
      const online = await use((database) => onlineRunners(database));
      const { executor: executor_type, demands } = run;
      const job = { executor_type, run: { demands, project_dir: folderOf(run) } };
      if (!online.some((taken) => canTake(taken, job))) return { by: 'none' };
      if ((await joined.shareOf(run.parent)) !== 'nothing') return { by: 'team' };
    } catch (error) {
      this.#warn(run.parent, error);
      return { by: 'none' };
    }
    return { by: 'none', why: childSessionNotShared };
  }

  /** Every team member can read the prompt. @throws CoordinatorError, EngineFailure */
  async queue(run: ChildRun): Promise<QueuedChildRun> {
    const id = sessionId(this.#deps.randomHex);
    const { agentHash } = run;
    const origin = { by_agent: true, ...(agentHash !== undefined && { agent_hash: agentHash }) };
    const created = await this.#create(await this.#summaryOf(run.parent), requestOf(run, id), origin);
    const { ended } = this.#add(id, created.run_id);
    return { session: id, ended };
  }

  /**
   * Queues a run that a person asked for, below a session of this store. With `async_callback`, that session gets the result.
   * @throws CoordinatorError, EngineFailure
   */
  async queueChildRun(parent: string, request: ChildRequest): Promise<Run> {
    const { session_id: child, execution_mode } = request;
    const created = await this.#create(await this.#requireSharedParent(parent), {
      ...request,
      parent_session_id: parent,
    });
    if (execution_mode === 'async_callback')
      await this.#deps.engine.children
        ?.expectCallback({ parent, child })
        .catch((error: unknown) => this.#warn(`${parent}, which waits for ${child}`, error));
    this.#add(child, created.run_id);
    return created;
  }

  /** A session of this store that shares something with the team. @throws CoordinatorError */
  async #requireSharedParent(id: string): Promise<SessionSummary> {
    const { use, team } = this.#deps;
    const shared = await translateRefusals(() => use((database) => findShared(database, id)));
    const summary = await this.#summaryOf(id).catch((error: unknown) => {
      if (!EngineFailure.is(error, 'session_missing')) throw error;
      throw shared === null
        ? new CoordinatorError('invalid', `${error.message} ${error.detail}`)
        : parentElsewhere(shared);
    });
    if (summary.remote !== undefined) throw parentRemote(id);
    if (((await team()?.shareOf(id)) ?? 'nothing') === 'nothing') throw parentNotShared(id);
    return summary;
  }

  /** Creates the run and the record of its session. @throws CoordinatorError, EngineFailure */
  async #create(
    parent: SessionSummary,
    request: ChildRequest,
    origin?: Pick<Job, 'by_agent' | 'agent_hash'>,
  ): Promise<Run> {
    const { engine, queue } = this.#deps;
    const { session_id, executor_profile, title } = request;
    const executor_type = executorTypeSchema.parse(request.executor_type);
    const { session_id: parent_session_id, project_dir } = parent;
    await engine.budgets.assertWithinBudgets(
      { ...parent, session_id, status: 'pending', parent_session_id, executor_type },
      undefined,
    );
    const created = await queue.create(parseInput(createRunSchema, request), origin);
    try {
      const job = { run: created, executor_type, executor_profile, title };
      await engine.queued.keepWaiting(job, 'a team runner must take it', {
        ...(project_dir !== undefined && { project_dir }),
        remote: { run_id: created.run_id },
      });
    } catch (error) {
      await queue.stop(created.run_id).catch((reason: unknown) => this.#warn(session_id, reason));
      throw error;
    }
    return created;
  }

  /** Stops the run of a session, wherever it is. Never rejects. */
  async cancel(id: string): Promise<void> {
    const child = this.#children.get(id);
    try {
      if (child === undefined) {
        if (!(await this.#deps.isInTeam())) await this.#end(id, 'stopped', 'This machine is no longer in a team.');
        return;
      }
      child.isStopped = true;
      await this.#deps.queue.stop(child.runId);
      // A runner of this machine has it: its agent stops as that of any session here.
      if (this.#deps.queue.has(child.runId)) return;
      this.handleChange(id);
      await Promise.race([child.ended, delay(stopMs, undefined, { ref: false })]);
    } catch (error) {
      // It is stopped as soon as the team can be reached.
      this.#warn(id, error);
    }
  }

  /** Follows those that an earlier daemon left. Never rejects. */
  async attach(): Promise<void> {
    try {
      for (const { session_id: id, status, remote } of await this.#deps.engine.list())
        if (remote !== undefined && isSessionLive(status) && !this.#children.has(id)) this.#add(id, remote.run_id);
    } catch (error) {
      this.#warn('Child sessions', error);
    }
  }

  /** Something about a session, its run or its requests changed. */
  handleChange(id: string): void {
    const child = this.#children.get(id);
    if (child !== undefined) this.#scheduleCheck(child, pauseMs);
  }

  /** After a connection was made: hints may have been lost. */
  resume(): void {
    for (const id of this.#children.keys()) this.handleChange(id);
  }

  /** The store has left the team. */
  async abandon(): Promise<void> {
    for (const { id } of [...this.#children.values()])
      await this.#end(id, 'failed', 'This machine has left the team whose runner was executing it.').catch(
        (error: unknown) => this.#warn(id, error),
      );
  }

  /** Another daemon follows them from now on. */
  async close(): Promise<void> {
    const children = [...this.#children.values()];
    this.#children.clear();
    for (const { timer } of children) clearTimeout(timer);
    await Promise.all(children.map(({ work }) => work));
  }

  #add(id: string, runId: string): Child {
    let settle = (): void => undefined;
    const ended = new Promise<void>((resolve) => (settle = resolve));
    const child: Child = { id, runId, ended, settle, work: Promise.resolve() };
    this.#children.set(id, child);
    this.#deps.onChildCount(this.#children.size);
    this.handleChange(id);
    return child;
  }

  #scheduleCheck(child: Child, ms: number): void {
    if (child.timer !== undefined) return;
    child.timer = setTimeout(() => {
      delete child.timer;
      child.work = child.work
        .then(() => this.#checkChild(child))
        .catch((error: unknown) => {
          // Other errors may be temporary: try again.
          if (!TeamError.is(error, 'unreachable')) this.#scheduleCheck(child, completedMs);
          this.#warn(child.id, error);
        });
    }, ms);
    child.timer.unref();
  }

  async #checkChild(child: Child): Promise<void> {
    const { use, queue, engine, isConnected, onShown } = this.#deps;
    const { id, runId } = child;
    if (this.#children.get(id) !== child || !isConnected()) return;
    const [found] = await use((database) => findRuns(database, [runId]));
    if (found === undefined) {
      await this.#end(id, 'failed', 'The team has deleted its run.');
      return;
    }
    // A runner of this machine took it: it runs here.
    if (queue.has(runId)) return;
    const { run } = found.job;
    if (isRunOver(run.status) && (await engine.queued.remote.remoteOf(id)) === undefined) {
      // One of them had it.
      await engine.queued.end(found.job);
      this.#forget(id, run.parent_session_id);
      return;
    }
    if (child.isStopped === true && ['pending', 'claimed', 'running'].includes(run.status)) await queue.stop(runId);
    const shared = await use((database) => findShared(database, id));
    const remote: Remote = {
      run_id: runId,
      ...(found.executedBy !== null && { member: found.executedBy }),
      ...(shared !== null && { hostname: shared.hostname }),
    };
    if (isRunOver(run.status)) await this.#finish(child, found, remote, shared);
    else if (run.status !== 'pending') {
      const status = run.status === 'stopping' ? 'stopping' : 'running';
      await engine.queued.remote.update(id, status, remote, shared?.summary ?? null);
      if (shared !== null && shared.summary !== null && child.isShown !== true) {
        child.isShown = true;
        onShown(id);
      }
      await this.#enforceBudget(child);
    }
  }

  /** Counts its usage in the budgets of its tree, its folder and the day, and stops it if one is used up. */
  async #enforceBudget(child: Child): Promise<void> {
    const { engine, queue } = this.#deps;
    if (child.isStopped === true) return;
    try {
      await engine.budgets.assertWithinBudgets({ ...(await this.#summaryOf(child.id)), status: 'pending' }, undefined);
    } catch (error) {
      if (!EngineFailure.is(error, 'budget_used_up')) throw error;
      child.isStopped = true;
      child.reason = error.message;
      await queue.stop(child.runId);
    }
  }

  /** The run has ended. Records it as soon as its transcript is there. */
  async #finish(child: Child, { job }: TeamRun, remote: Remote, shared: SharedSession | null): Promise<void> {
    const { engine, team } = this.#deps;
    const { id, reason } = child;
    const { run, by_agent } = job;
    const summary = shared?.summary ?? null;
    const file = summary === null ? null : ((await team()?.copy(id)) ?? null);
    const read = file === null || summary === null ? null : await readChildCopy(file, run, summary);
    if (read?.isComplete !== true && run.started_at !== undefined) {
      child.missingSince ??= performance.now();
      const graceMs = run.status === 'completed' ? completedMs : failedMs;
      if (performance.now() - child.missingSince < graceMs) {
        this.#scheduleCheck(child, 1000);
        return;
      }
    }
    const error = run.error ?? reason;
    const by = by_agent === true ? 'subagent' : 'human';
    await engine.queued.remote.end(id, error === undefined ? run : { ...run, error }, remote, read?.copy ?? null, by);
    this.#forget(id, run.parent_session_id);
  }

  /** Without its run, or without the team. */
  async #end(id: string, status: 'failed' | 'stopped', error: string): Promise<void> {
    const { queued } = this.#deps.engine;
    const remote = await queued.remote.remoteOf(id);
    if (remote === undefined) return;
    const { created_at, prompt, execution_mode, parent_session_id: parent } = await this.#summaryOf(id);
    const run: Run = {
      ...{ run_id: remote.run_id, type: 'start_session', session_id: id },
      ...{ created_at, prompt, execution_mode, status, error },
      ...(parent !== undefined && { parent_session_id: parent }),
    };
    await queued.remote.end(id, run, remote, null);
    this.#forget(id, parent);
  }

  #forget(id: string, parent: string | undefined): void {
    const child = this.#children.get(id);
    this.#children.delete(id);
    clearTimeout(child?.timer);
    child?.settle();
    this.#deps.onChildCount(this.#children.size);
    if (parent !== undefined) this.#deps.engine.children?.handleChildEnded(parent);
  }

  async #summaryOf(id: string): Promise<SessionSummary> {
    const handle = await this.#deps.engine.open(id);
    const summary = handle.summary();
    handle.dispose();
    return summary;
  }

  #warn(what: string, error: unknown): void {
    this.#deps.log.warn(`${what}, on another machine in the team: ${String(error)}`);
  }
}

/** Without a folder, the run works in that of its runner. */
function folderOf({ folder, isFolderNamed }: ChildRun): string | undefined {
  return isFolderNamed === true ? folder : undefined;
}

function requestOf(run: ChildRun, id: string): ChildRequest {
  const { parent, agentName, executor, profile, prompt, mode, model, demands } = run;
  const folder = folderOf(run);
  return {
    type: 'start_session',
    session_id: id,
    ...(agentName !== undefined && { agent_name: agentName }),
    executor_type: executor,
    ...(profile !== undefined && { executor_profile: profile }),
    prompt,
    ...(folder !== undefined && { project_dir: folder }),
    parent_session_id: parent,
    execution_mode: mode,
    ...(model !== undefined && { model }),
    ...(demands !== undefined && { demands }),
  };
}
