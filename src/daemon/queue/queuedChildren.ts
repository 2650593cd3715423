import type { CreateRunRequest } from '../../coordinator/api.ts';
import type { Log } from '../../engine/api.ts';
import type {
  RunnerAvailability,
  ChildRun,
  ChildRuns,
  ListedChildRun,
  QueuedChildRun,
} from '../../engine/children/childRuns.ts';
import { queuedOf } from '../../engine/coordinator/execute.ts';
import type { LocalCoordinator } from '../../engine/coordinator/local.ts';
import { maxErrorLength } from '../../coordinator/api.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { TeamChildren } from '../team/children/teamChildren.ts';

interface Queue {
  /** Opens the queue. */
  readonly coordinator: () => Promise<LocalCoordinator>;
  /** `undefined` while no one has used the queue. */
  readonly openedCoordinator: () => Promise<LocalCoordinator | undefined>;
  /** Queues a run; a session that waits has a record. */
  readonly create: (request: CreateRunRequest) => Promise<ListedRun>;
  /** Runners of other machines. */
  readonly team: Pick<TeamChildren, 'findRunner' | 'queue' | 'cancel'>;
  readonly log: Log;
}

/** The daemon's queue for sessions that agents start. */
export class QueuedChildren implements ChildRuns {
  readonly #queue: Queue;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  async list(run: ChildRun): Promise<ListedChildRun | undefined> {
    const { log } = this.#queue;
    try {
      const coordinator = await this.#queue.coordinator();
      const adopted = await coordinator.adopt(requestOf(run));
      const { run_id } = adopted;
      return {
        queued: queuedOf({ run: adopted }),
        report: async (status, error) => {
          const why = error === undefined ? {} : { error: error.slice(0, maxErrorLength) };
          await coordinator
            .reportAdopted({ run_id, status, ...why })
            .catch((failure: unknown) => log.warn(`${run_id} ${status}: ${String(failure)}`));
        },
      };
    } catch (error) {
      // Another version has the queue: its children are not listed.
      log.warn(`A child session of ${run.parent} is not in the queue: ${String(error)}`);
      return undefined;
    }
  }

  async tags(parent: string): Promise<readonly string[] | undefined> {
    const coordinator = await this.#queue.openedCoordinator();
    const run = (await coordinator?.runs({ session_id: parent }))?.find(({ status }) => !isRunOver(status));
    if (run?.runner_id === undefined) return undefined;
    return (await coordinator?.runners())?.find(({ runner_id }) => runner_id === run.runner_id)?.tags;
  }

  async findRunner(run: ChildRun): Promise<RunnerAvailability> {
    const coordinator = await this.#queue.coordinator();
    return coordinator.isOffered(requestOf(run)) ? { by: 'here' } : this.#queue.team.findRunner(run);
  }

  async queue(run: ChildRun): Promise<QueuedChildRun> {
    if ((await this.findRunner(run)).by === 'team') return this.#queue.team.queue(run);
    const coordinator = await this.#queue.coordinator();
    const finished = new Set<string>();
    let created: string | undefined;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const registration = coordinator.onRun(({ run_id, status }) => {
      if (!isRunOver(status)) return;
      finished.add(run_id);
      if (run_id === created) end();
    });
    void ended.then(() => registration.dispose());
    try {
      const { run_id, session_id } = await this.#queue.create(requestOf(run));
      created = run_id;
      if (finished.has(run_id)) end();
      return { session: session_id, ended };
    } catch (error) {
      end();
      throw error;
    }
  }

  async cancel(session_id: string): Promise<void> {
    await this.#queue.team.cancel(session_id);
    try {
      const coordinator = await this.#queue.openedCoordinator();
      if (coordinator === undefined) return;
      for (const { run_id, status } of await coordinator.runs({ session_id }))
        if (status === 'pending') await coordinator.stopRun(run_id);
    } catch (error) {
      this.#queue.log.debug(`${session_id} does not wait: ${String(error)}`);
    }
  }
}

function requestOf(run: ChildRun): CreateRunRequest {
  const { parent, session, agentName, executor, profile, prompt, folder, mode, model, demands } = run;
  return {
    type: session === undefined ? 'start_session' : 'resume_session',
    ...(session !== undefined && { session_id: session }),
    ...(agentName !== undefined && { agent_name: agentName }),
    executor_type: executor,
    ...(profile !== undefined && { executor_profile: profile }),
    prompt,
    project_dir: folder,
    parent_session_id: parent,
    execution_mode: mode,
    ...(model !== undefined && { model }),
    ...(demands !== undefined && { demands }),
  };
}
