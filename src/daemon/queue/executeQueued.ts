import path from 'node:path';
import type { AgentOptions } from '../../agents/adapter.ts';
import { isBypass } from '../../agents/choices.ts';
import type { Job, Registration } from '../../coordinator/api.ts';
import type { Log, ResumeRequest, StartRequest } from '../../engine/api.ts';
import type { BlueprintAccess } from '../../engine/blueprints/access.ts';
import { executeJob, type ExecuteDeps } from '../../engine/coordinator/execute.ts';
import type { Outcome } from '../../engine/coordinator/runner.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import type { ClientContexts } from '../clients/contexts.ts';

export interface QueuedRunDeps {
  readonly engine: Engine;
  readonly blueprints: BlueprintAccess;
  readonly contexts: ClientContexts;
  readonly log: Log;
  /** It is a team run: someone on another machine sees its requests and can answer. */
  readonly isOfTeam: (runId: string) => boolean;
}

interface DeclaredRunner extends QueuedRunDeps {
  readonly runner: Omit<Registration, 'instance'>;
  /** Id of a terminal; without it, the runner belongs to a window. */
  readonly context: ClientContext | undefined;
}

/** Runs a job for the client that declared the runner. Never rejects. */
export async function executeQueued(job: Job, deps: DeclaredRunner, started: () => void): Promise<Outcome> {
  const { run } = job;
  deps.log.info(`Queued run ${run.run_id} in session ${run.session_id}.`);
  try {
    const folder = path.resolve(await folderOf(job, deps));
    return await (deps.context === undefined
      ? executeForWindow(job, folder, deps, started)
      : executeForTerminal(job, { ...deps.context, folder }, deps, started));
  } catch (error) {
    return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
}

/** A window starts agents in its trusted folders. Only a person can choose a mode that skips approvals. */
async function executeForWindow(job: Job, folder: string, deps: DeclaredRunner, started: () => void): Promise<Outcome> {
  const { contexts, blueprints, runner } = deps;
  const { permission_mode: mode } = job;
  const executor = executorTypeSchema.safeParse(job.executor_type).data;
  const types = executor === undefined ? executorTypeSchema.options : [executor];
  if (types.some((type) => isBypass(type, mode)))
    return { status: 'failed', error: `The mode ${mode ?? ''} may skip approvals. Only a person can choose it.` };
  if (!contexts.isTrusted(folder) || !(runner.within ?? []).some((within) => isInside(folder, within)))
    return { status: 'failed', error: `${folder} is not a trusted folder of the window that took this run.` };
  const options = (type: ExecutorType, cwd: string): AgentOptions => withoutBypass(type, contexts.options(cwd, type));
  const use = { ...blueprints.use, options };
  return executeJob(job, { ...(await commonDeps(job, deps)), engine: deps.engine, use }, started);
}

/** Requests are denied unless whoever asked for the run can answer them. */
async function executeForTerminal(
  job: Job,
  context: ClientContext,
  deps: DeclaredRunner,
  started: () => void,
): Promise<Outcome> {
  const { engine, contexts, blueprints } = deps;
  contexts.add(context, 'terminal');
  const interactive = deps.isOfTeam(job.run.run_id);
  const common = await commonDeps(job, deps);
  const ofRun: ExecuteDeps['engine'] = {
    children: engine.children,
    open: (id) => engine.open(id),
    start: (request: StartRequest) => engine.start({ ...request, interactive }),
    resume: (id: string, request: ResumeRequest) => engine.resume(id, { ...request, interactive }),
  };
  return contexts.withContext(context, () =>
    executeJob(job, { ...common, engine: ofRun, use: blueprints.use }, started),
  );
}

async function commonDeps(
  { run }: Job,
  { blueprints, runner, engine, isOfTeam }: DeclaredRunner,
): Promise<Pick<ExecuteDeps, 'blueprints' | 'projectDir' | 'permitChild' | 'isFarFromParent'>> {
  const isTeamChild = run.parent_session_id !== undefined && isOfTeam(run.run_id);
  return {
    blueprints: blueprints.load,
    projectDir: runner.project_dir,
    permitChild: async (parent, agent, hash) => engine.children?.assertPermitted(parent, agent, hash),
    // The machine of the parent has a record of the session that waits.
    isFarFromParent: isTeamChild && !(await engine.queued.isWaiting(run.session_id)),
  };
}

/** A session continues where it began. */
async function folderOf({ run }: Job, { engine, runner }: DeclaredRunner): Promise<string> {
  const place = run.project_dir ?? runner.project_dir;
  if (run.type === 'start_session') return place;
  try {
    const session = await engine.open(run.session_id);
    const { project_dir = place } = session.summary();
    session.dispose();
    return project_dir;
  } catch (error) {
    // The run fails with this reason.
    if (EngineFailure.is(error, 'session_missing')) return place;
    throw error;
  }
}

function withoutBypass(type: ExecutorType, { permissionMode, ...rest }: AgentOptions): AgentOptions {
  return permissionMode === undefined || isBypass(type, permissionMode) ? rest : { ...rest, permissionMode };
}

function isInside(folder: string, within: string): boolean {
  const relativePath = path.relative(within, folder);
  return relativePath === '' || (!relativePath.startsWith('..') && !path.isAbsolute(relativePath));
}
