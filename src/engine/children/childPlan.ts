import path from 'node:path';
import { mergeDemands } from '../../coordinator/demands.ts';
import type { Agent } from '../../model/agent/agent.ts';
import type { Demands } from '../../model/session/demands.ts';
import type { Session } from '../../model/session/session.ts';
import type { QueuedRun, SessionHandle } from '../api.ts';
import { executorOf } from '../blueprints/request.ts';
import { failures } from '../failures/failures.ts';
import { worded } from '../failures/wording.ts';
import type { ChildRun, ChildRuns } from './childRuns.ts';
import { hashOf } from './listedAgents.ts';

/** A parent's request for a child. */
export interface ChildRequest {
  readonly agent_name: string;
  readonly prompt: string;
  readonly mode: Session['execution_mode'];
  /** Relative to the parent's folder. */
  readonly project_dir?: string | undefined;
  readonly model?: string | undefined;
  readonly additional_demands?: Demands | undefined;
}

export type PlannedChild = Omit<ChildRequest, 'agent_name'> & { readonly agent: Agent };

/** A child, in this or another process, whose end the caller waits for. */
export interface FollowedChild {
  readonly id: string;
  readonly ended: Promise<unknown>;
  dispose(): void;
}

export const toFollowedChild = (handle: SessionHandle): FollowedChild => ({
  id: handle.id,
  ended: handle.done,
  dispose: () => handle.dispose(),
});

/** Where a child works and what it demands. @throws CoordinatorError if agent and request demand different values */
export function plannedChild(
  { project_dir: parentFolder = '', session_id: parent }: Session,
  { agent, prompt, mode, project_dir, model, additional_demands }: PlannedChild,
): ChildRun {
  const demands = mergeDemands(agent.demands, additional_demands);
  return {
    parent,
    agentName: agent.name,
    executor: executorOf({ ...agent, demands }),
    profile: agent.executor_profile,
    prompt,
    folder: project_dir === undefined ? parentFolder : path.resolve(parentFolder, project_dir),
    isFolderNamed: project_dir !== undefined,
    agentHash: hashOf(agent),
    mode,
    model,
    demands,
  };
}

/** A folder outside that of the parent must be trusted. @throws EngineFailure */
export function assertChildFolder(
  { project_dir: own = '' }: Session,
  folder: string,
  isTrusted: ((folder: string) => boolean) | undefined,
): void {
  const relativePath = path.relative(own, folder);
  if (relativePath === '' || (!relativePath.startsWith('..') && !path.isAbsolute(relativePath))) return;
  if (isTrusted?.(folder) === true) return;
  throw failures.childRefused(worded`The folder ${folder} is not trusted. The user must start the agent there.`);
}

/** Begins a run in this process, which the queue lists until it has ended. */
export async function listedRun(
  runs: ChildRuns | undefined,
  run: ChildRun,
  begin: (queued?: QueuedRun) => Promise<SessionHandle>,
): Promise<SessionHandle> {
  const listed = await runs?.list(run);
  if (listed === undefined) return begin();
  try {
    const handle = await begin(listed.queued);
    void listed.report('running');
    void handle.done.then(() => {
      const { outcome, reason } = handle.summary();
      const status = outcome === 'completed' || outcome === 'stopped' ? outcome : 'failed';
      return listed.report(status, status === 'failed' ? reason : undefined);
    });
    return handle;
  } catch (error) {
    await listed.report('failed', error instanceof Error ? error.message : String(error));
    throw error;
  }
}
