import type { Demands } from '../../model/session/demands.ts';
import type { ExecutorType, Session } from '../../model/session/session.ts';
import type { QueuedRun } from '../api.ts';
import type { Wording } from '../failures/wording.ts';

/** A run of a session that an agent starts. */
export interface ChildRun {
  /** Session id of the parent. */
  readonly parent: string;
  /** The resumed session; absent for a new one. */
  readonly session?: string;
  readonly agentName?: string | undefined;
  readonly executor: ExecutorType;
  readonly profile?: string | undefined;
  readonly prompt: string;
  readonly folder: string;
  /** Whether the parent named the folder. On another machine, the folder of the runner is used otherwise. */
  readonly isFolderNamed?: boolean;
  /** Hash of the agent's file, for a new session. */
  readonly agentHash?: string;
  readonly mode: Session['execution_mode'];
  readonly model?: string | undefined;
  readonly demands?: Demands | undefined;
}

/** A run that starts here and reports its progress to the queue. */
export interface ListedChildRun {
  readonly queued: QueuedRun;
  /** Never rejects. */
  report(status: 'running' | 'completed' | 'failed' | 'stopped', error?: string): Promise<void>;
}

/** A run that waits for another runner. */
export interface QueuedChildRun {
  readonly session: string;
  readonly ended: Promise<void>;
}

/** Who can take a run. `why`: the reason why a team runner that could take it may not. */
export type RunnerAvailability = { readonly by: 'here' | 'team' } | { readonly by: 'none'; readonly why?: Wording };

/**
 * The queue, for sessions that agents start: it lists all of them, and finds runners for those that cannot run here.
 */
export interface ChildRuns {
  /** Lists a run, which counts for the runner of the parent. `undefined` if the queue cannot be used. */
  list(run: ChildRun): Promise<ListedChildRun | undefined>;
  /** Tags of the runner that runs the parent; `undefined` if none does. */
  tags(parent: string): Promise<readonly string[] | undefined>;
  /** Which online runner could take the run: of this machine, otherwise of the team. */
  findRunner(run: ChildRun): Promise<RunnerAvailability>;
  /** @throws CoordinatorError */
  queue(run: ChildRun): Promise<QueuedChildRun>;
  /** Removes a session that waits for a runner, and stops one that another machine runs. Never rejects. */
  cancel(session: string): Promise<void>;
}
