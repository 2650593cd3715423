import path from 'node:path';
import type { QueueRunParams } from '../../client/queue/remoteQueue.ts';
import { demandProperties, hasDemands } from '../../coordinator/demands.ts';
import { waitingText } from '../../coordinator/waiting.ts';
import { executorOf, findBlueprint } from '../../engine/blueprints/request.ts';
import { resultOfChild, type ChildResult } from '../../engine/children/childResult.ts';
import type { Engine } from '../../engine/engine.ts';
import { failures } from '../../engine/failures/failures.ts';
import { usdOf } from '../../insight/ledger/money.ts';
import type { Demands } from '../../model/session/demands.ts';
import { executorTypeSchema } from '../../model/session/session.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { resumeByBlueprint, startByBlueprint, trustedBlueprints } from '../blueprints/blueprints.ts';
import type { CliContext } from '../command.ts';
import type { RequestedRun } from '../run/requestedRun.ts';
import { runsOf } from '../run/begin.ts';
import { queueRun } from '../run/queuedRun.ts';
import type { EngineOptions } from '../run/engine.ts';

export type Mode = 'sync' | 'async_poll';

export interface StartRequest {
  readonly agent: string;
  readonly prompt: string;
  readonly mode: Mode;
  readonly projectDir?: string | undefined;
  readonly model?: string | undefined;
  /** What the runner must have, besides the agent's demands. */
  readonly demands?: Demands | undefined;
}

/** A run of this client, wherever it executes. */
interface OwnRun {
  /** Settles when it has ended. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
  close(): void;
}

/** Sessions that a client of this server starts. They run in the daemon and continue when the server ends. */
export class AgentRuns {
  readonly #context: CliContext;
  readonly #engine: Engine;
  readonly #options: EngineOptions;
  /** Started by this client. */
  readonly #startedRuns = new Map<string, OwnRun>();

  constructor(context: CliContext, engine: Engine, options: EngineOptions) {
    this.#context = context;
    this.#engine = engine;
    this.#options = options;
  }

  /** Agent files that can be started, and programs without one. */
  async agents(): Promise<readonly object[]> {
    const files = (await trustedBlueprints(this.#context, this.#context.cwd)).flatMap(({ agent }) =>
      agent?.status === 'active' ? [agent] : [],
    );
    const found = await this.#engine.agents();
    const programs = found.filter(
      ({ type, program, recording, profile }) =>
        (recording || (program !== null && 'path' in program)) &&
        profile === undefined &&
        !files.some(({ name }) => name === type),
    );
    return [
      ...files.map(({ name, description, skills, tags, ...agent }) => ({
        name,
        description,
        executor_type: executorOf({ name, description, skills, tags, ...agent }),
        skills,
        tags,
      })),
      ...programs.map(({ type, label }) => ({
        name: type,
        description: `${label} without an agent file.`,
        executor_type: type,
        skills: [],
        tags: [],
      })),
    ];
  }

  /** @throws EngineFailure, DaemonError */
  async start({ agent, prompt, mode, projectDir, model, demands }: StartRequest): Promise<object> {
    const cwd = path.resolve(this.#context.cwd, projectDir ?? '.');
    const runRequest = { prompt, cwd, options: model === undefined ? {} : { model } };
    const all = await trustedBlueprints(this.#context, cwd);
    const type = executorTypeSchema.safeParse(agent).data;
    const isProgram = type !== undefined && !all.some(({ name }) => name === agent);
    if (!isProgram) findBlueprint(all, agent);
    if (demands !== undefined && hasDemands(demands)) {
      const { requestOf } = await import('../commands/runs/queueRequest.ts');
      const [named, demand] = [isProgram ? { executor: type } : { blueprint: agent }, demandOptions(demands)];
      const request = await requestOf(this.#context, { ...named, cwd: projectDir, model, demand });
      return this.#queueRun({ ...request, prompt }, mode);
    }
    const start = isProgram ? { agent: type, ...runRequest } : await startByBlueprint(this.#context, agent, runRequest);
    return this.#begin({ start: { ...start, interactive: false } }, mode);
  }

  /** @throws EngineFailure, DaemonError */
  async resume(id: string, prompt: string, mode: Mode): Promise<object> {
    const request = await resumeByBlueprint(this.#context, this.#engine, id, { prompt, options: {} });
    return this.#begin({ session: id, resume: { ...request, interactive: false } }, mode);
  }

  async #begin(request: RequestedRun, mode: Mode): Promise<object> {
    const begin = runsOf(this.#context, this.#engine, this.#options);
    const run = await begin(request, new AbortController().signal);
    const { id } = run.session;
    this.#startedRuns.get(id)?.close();
    const stop = (): Promise<void> => run.stop(false);
    this.#startedRuns.set(id, { ended: run.session.done, stop, close: () => run.close() });
    if (mode === 'async_poll') return { session_id: id, status: 'running' };
    await run.session.done;
    return this.result(id);
  }

  /** A runner of this machine takes it that has what is demanded. @throws UsageError, CoordinatorError, DaemonError */
  async #queueRun(request: QueueRunParams, mode: Mode): Promise<object> {
    const queued = await queueRun(this.#context, this.#options.store, request);
    const { session_id: id, status, waiting } = queued.run;
    this.#startedRuns.set(id, queued);
    if (mode === 'async_poll')
      return { session_id: id, status, ...(waiting !== undefined && { waits_because: waitingText(waiting) }) };
    await queued.ended;
    return this.result(id);
  }

  /** @throws EngineFailure */
  async status(id: string): Promise<object> {
    const handle = await this.#engine.open(id);
    try {
      const { session_id, title, agent_name = null, status, outcome, reason = null, total_cost } = handle.summary();
      return { session_id, title, agent_name, status, outcome, reason, cost_usd: usdOf(total_cost) };
    } finally {
      handle.dispose();
    }
  }

  /** The result of a session that has ended, otherwise its status. @throws EngineFailure */
  async result(id: string): Promise<ChildResult | object> {
    const handle = await this.#engine.open(id);
    try {
      if (isSessionLive(handle.summary().status)) return await this.status(id);
      return await resultOfChild(handle);
    } finally {
      handle.dispose();
    }
  }

  /** @throws EngineFailure for a session that was not started here */
  async stop(id: string): Promise<object> {
    const run = this.#startedRuns.get(id);
    if (run === undefined) throw failures.sessionMissing(id);
    await run.stop();
    await run.ended;
    return this.status(id);
  }

  list(): Promise<readonly object[]> {
    return Promise.all([...this.#startedRuns.keys()].map((id) => this.status(id)));
  }

  /** The runs continue. */
  close(): void {
    for (const run of this.#startedRuns.values()) run.close();
  }
}

/** As `--demand` takes them. */
function demandOptions(demands: Demands): string[] {
  const properties = demandProperties.flatMap((name) => {
    const value = demands[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return [...demands.tags.map((tag) => `tag=${tag}`), ...properties];
}
