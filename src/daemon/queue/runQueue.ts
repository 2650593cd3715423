import type * as z from 'zod';
import {
  createRunSchema,
  type ChangeRun,
  type CoordinatorLink,
  type CreateRunRequest,
  type Job,
} from '../../coordinator/api.ts';
import { waitingText } from '../../coordinator/waiting.ts';
import { randomHex, sessionId } from '../../engine/ids.ts';
import type { LocalCoordinator } from '../../engine/coordinator/local.ts';
import { openQueue, type OpenQueue } from '../../engine/coordinator/openQueue.ts';
import { RunnerLoop } from '../../engine/coordinator/runner.ts';
import { stopSessionTree } from '../../engine/children/stopSessionTree.ts';
import type { Runner } from '../../model/session/runner.ts';
import type { Run } from '../../model/session/session.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { ConnectedClient } from '../clients/clients.ts';
import { daemonRetiringFailure, folderUntrusted } from '../failures.ts';
import type { TeamChildren } from '../team/children/teamChildren.ts';
import { acceptedRun, acceptedTeamRun } from './acceptedRun.ts';
import { QueuedChildren } from './queuedChildren.ts';
import { executeQueued, type QueuedRunDeps } from './executeQueued.ts';

/** Characters of the JSON of one answer to `queuedRuns`. */
const maxPageCharacters = 4 << 20;

/** The queue's interface for runners and clients. */
type QueueLink = CoordinatorLink & { changeRun(change: ChangeRun): Promise<Run> };

export interface RunQueueDeps extends QueuedRunDeps {
  readonly storeDir: string;
  readonly isConnected: (client: ConnectedClient) => boolean;
  readonly onRun: (run: Run) => void;
  /** Runs that wait; the daemon stays for them. */
  readonly onWaitingCount: (count: number) => void;
  /** The queue of this machine with that of its team. */
  readonly withTeam: (local: LocalCoordinator) => QueueLink;
  readonly teamChildren: ConstructorParameters<typeof QueuedChildren>[0]['team'] & Pick<TeamChildren, 'queueChildRun'>;
  /** Called when a runner comes or goes. */
  readonly onRunnersChanged: () => void;
}

/** The queue of the store, opened when it is first used, and the runners that clients declared. */
export class RunQueue {
  /** Queue for sessions that agents start. */
  readonly children: QueuedChildren;
  readonly #deps: RunQueueDeps;
  readonly #loops = new Map<ConnectedClient, Set<RunnerLoop>>();
  readonly #endingRuns = new Set<Promise<void>>();
  /** Sessions whose record is being made: their runs begin and end after that. */
  readonly #savingRecords = new Map<string, Promise<void>>();
  readonly #waitingRunIds = new Set<string>();
  #openedQueue: Promise<OpenQueue> | undefined;
  #sharedLink: QueueLink | undefined;
  #closePromise: Promise<void> | undefined;

  constructor(deps: RunQueueDeps) {
    this.#deps = deps;
    this.children = new QueuedChildren({
      coordinator: () => this.#coordinator(),
      openedCoordinator: async () => (await this.#openedQueue)?.coordinator,
      create: (request) => this.#create(createRunSchema.parse(request), { by_agent: true }),
      team: deps.teamChildren,
      log: deps.log,
    });
  }

  /** @throws CoordinatorError */
  async create(request: ParamsOf<'queueRun'>): Promise<ListedRun> {
    if (request.team === true) return this.#createInTeam(acceptedTeamRun(request));
    const coordinator = await this.#coordinator();
    return this.#create(await acceptedRun(request, { engine: this.#deps.engine, coordinator }));
  }

  async #createInTeam(request: CreateRunRequest): Promise<ListedRun> {
    const link = await this.#openLink();
    const { parent_session_id: parent, session_id = sessionId(randomHex) } = request;
    if (parent === undefined) return link.createRun(request);
    return this.#saveRecord(session_id, () =>
      this.#deps.teamChildren.queueChildRun(parent, { ...request, session_id }),
    );
  }

  async #create(request: z.output<typeof createRunSchema>, origin?: Pick<Job, 'by_agent'>): Promise<ListedRun> {
    const coordinator = await this.#coordinator();
    const { session_id = sessionId(randomHex) } = request;
    const create = async (): Promise<ListedRun> => {
      const { run_id } = await coordinator.createRun({ ...request, session_id }, origin);
      const job = coordinator.job(run_id);
      const run = (await coordinator.runs({ session_id })).find((candidate) => candidate.run_id === run_id);
      if (job === undefined || run === undefined) throw daemonRetiringFailure();
      await this.#keep(job, run);
      return run;
    };
    return request.type === 'start_session' ? this.#saveRecord(session_id, create) : create();
  }

  /** Until `create` has saved the record of a new session, others who ask for it wait. */
  async #saveRecord(id: string, create: () => Promise<ListedRun>): Promise<ListedRun> {
    let finish = (): void => undefined;
    this.#savingRecords.set(id, new Promise<void>((resolve) => (finish = resolve)));
    try {
      return await create();
    } finally {
      this.#savingRecords.delete(id);
      finish();
    }
  }

  /** @throws CoordinatorError */
  async change(request: ParamsOf<'changeQueued'>): Promise<Run> {
    return (await this.#openLink()).changeRun(request);
  }

  /** @throws CoordinatorError */
  async stop({ run_id }: ParamsOf<'stopQueued'>): Promise<Run> {
    return (await this.#openLink()).stopRun(run_id);
  }

  async runs({ from, ...filter }: ParamsOf<'queuedRuns'>): Promise<ResultOf<'queuedRuns'>> {
    const all = await (await this.#openLink()).runs(filter);
    const runs: Run[] = [];
    let characters = 0;
    for (const run of all.slice(from)) {
      characters += JSON.stringify(run).length;
      if (runs.length > 0 && characters > maxPageCharacters) return { runs, next: from + runs.length };
      runs.push(run);
    }
    return { runs, next: null };
  }

  async runners(): Promise<ResultOf<'runners'>> {
    return [...(await (await this.#openLink()).runners())];
  }

  /** @throws CoordinatorError, EngineFailure if the folder is not trusted */
  async add(client: ConnectedClient, { runner, context }: ParamsOf<'addRunner'>): Promise<Runner> {
    const { contexts, engine, log } = this.#deps;
    const isTrusted = context === undefined ? contexts.isTrusted(runner.project_dir) : context.trusted;
    if (!isTrusted) throw folderUntrusted(runner.project_dir);
    const link = await this.#openLink();
    if (context !== undefined) contexts.add(context, 'terminal');
    const started = await RunnerLoop.start({
      registration: runner,
      link,
      log,
      execute: async (job, started) => {
        await this.#savingRecords.get(job.run.session_id);
        return executeQueued(job, { ...this.#deps, runner, context }, started);
      },
      stop: ({ run }) => stopSessionTree(engine, run.session_id),
    });
    const loops = this.#loops.get(client) ?? new Set();
    this.#loops.set(client, loops.add(started.loop));
    this.#deps.onRunnersChanged();
    log.info(`Runner ${started.runner.runner_id} for ${runner.executor_type} in ${runner.project_dir}.`);
    if (!this.#deps.isConnected(client)) void this.remove(client, { finish: true });
    return started.runner;
  }

  /** Removes the client's runners. Without `finish`, stops their runs and resolves when they have ended. */
  async remove(client: ConnectedClient, { finish }: ParamsOf<'removeRunners'>): Promise<void> {
    const loops = [...(this.#loops.get(client) ?? [])];
    this.#loops.delete(client);
    const ended = Promise.all(loops.map((loop) => this.#end(loop, finish)));
    if (!finish) await ended;
  }

  /** Starts no more runs. Resolves when the active ones have ended and the journal has their ends. */
  close(): Promise<void> {
    this.#closePromise ??= this.#close();
    return this.#closePromise;
  }

  /** A session that waits has a record; its parent gets the result when it has ended. */
  async #keep(job: Job, { waiting }: ListedRun): Promise<void> {
    const { engine, log } = this.#deps;
    const { type, session_id: child, parent_session_id: parent, execution_mode } = job.run;
    try {
      if (type === 'start_session' && (waiting !== undefined || parent !== undefined))
        await engine.queued.keepWaiting(
          job,
          waiting === undefined ? 'a runner is taking it now' : waitingText(waiting),
        );
      if (parent !== undefined && execution_mode === 'async_callback')
        await engine.children?.expectCallback({ parent, child });
    } catch (error) {
      log.warn(`${child}: the waiting session could not be recorded: ${String(error)}`);
    }
  }

  async #handleEnd(job: Job): Promise<void> {
    const { parent_session_id: parent, session_id, execution_mode } = job.run;
    await this.#savingRecords.get(session_id);
    await this.#deps.engine.queued.end(job);
    if (parent !== undefined && execution_mode === 'async_callback')
      this.#deps.engine.children?.handleChildEnded(parent);
  }

  #count({ run_id, status }: Run): void {
    if (status === 'pending') this.#waitingRunIds.add(run_id);
    else this.#waitingRunIds.delete(run_id);
    this.#deps.onWaitingCount(this.#waitingRunIds.size);
  }

  async #close(): Promise<void> {
    for (const loops of this.#loops.values()) for (const loop of loops) void this.#end(loop, true);
    this.#loops.clear();
    await Promise.all(this.#endingRuns);
    await (await this.#openedQueue?.catch(() => undefined))?.close();
  }

  #end(loop: RunnerLoop, finish: boolean): Promise<void> {
    const ended = loop
      .close({ finish })
      .catch((error: unknown) => this.#deps.log.error(`A runner could not be removed: ${String(error)}`))
      .finally(() => {
        this.#endingRuns.delete(ended);
        this.#deps.onRunnersChanged();
      });
    this.#endingRuns.add(ended);
    return ended;
  }

  async #openLink(): Promise<QueueLink> {
    const coordinator = await this.#coordinator();
    this.#sharedLink ??= this.#deps.withTeam(coordinator);
    return this.#sharedLink;
  }

  async #coordinator(): Promise<LocalCoordinator> {
    if (this.#closePromise !== undefined) throw daemonRetiringFailure();
    this.#openedQueue ??= this.#open();
    return (await this.#openedQueue).coordinator;
  }

  async #open(): Promise<OpenQueue> {
    try {
      const { storeDir, log, onRun } = this.#deps;
      const opened = await openQueue(storeDir, {
        clock: Date.now,
        monotonic: () => performance.now(),
        randomHex,
        log,
        onRunEnded: (job) => this.#handleEnd(job),
      });
      opened.coordinator.onRun((run) => {
        this.#count(run);
        // No runner executes it, so none can stop it.
        if (run.status === 'stopping' && opened.coordinator.job(run.run_id)?.adopted === true)
          void stopSessionTree(this.#deps.engine, run.session_id);
        onRun(run);
      });
      for (const run of await opened.coordinator.runs()) this.#count(run);
      return opened;
    } catch (error) {
      this.#openedQueue = undefined;
      throw error;
    }
  }
}
