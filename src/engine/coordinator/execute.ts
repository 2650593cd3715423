import { CoordinatorError } from '../../coordinator/errors.ts';
import type { Job } from '../../coordinator/api.ts';
import type { AgentOptions } from '../../agents/adapter.ts';
import type { Agent } from '../../model/agent/agent.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import type { ChildServer, QueuedRun, ResumeRequest, SessionHandle, StartRequest } from '../api.ts';
import { blueprintResumeRequest, type ResumeBlueprintDeps } from '../blueprints/resume.ts';
import { findBlueprint, startRequest } from '../blueprints/request.ts';
import { EngineFailure } from '../failures/failures.ts';
import type { Outcome } from './runner.ts';

type StartedRun = Pick<SessionHandle, 'done' | 'summary' | 'dispose'>;

export interface ExecuteDeps extends ResumeBlueprintDeps {
  readonly engine: ResumeBlueprintDeps['engine'] & {
    start(request: StartRequest): Promise<StartedRun>;
    resume(sessionId: string, request: ResumeRequest): Promise<StartedRun>;
  };
  /** As `ChildServer.assertPermitted` */
  readonly permitChild: ChildServer['assertPermitted'];
  /** Another machine has the parent of the run's session. */
  readonly isFarFromParent: boolean;
}

/** Runs a job with the current version of its blueprint. Never rejects: a failure is an outcome. */
export async function executeJob(job: Job, deps: ExecuteDeps, started: () => void): Promise<Outcome> {
  try {
    const { engine } = deps;
    const { type, session_id } = job.run;
    const handle =
      type === 'start_session'
        ? await engine.start(await startOf(job, deps))
        : await engine.resume(session_id, await resumeOf(job, deps));
    started();
    const result = await handle.done;
    const { outcome, reason } = handle.summary();
    handle.dispose();
    if (outcome === 'stopped') return { status: 'stopped' };
    if (result?.success === true) return { status: 'completed' };
    return { status: 'failed', error: reason ?? result?.error ?? 'The agent gave no reason.' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: 'failed', error: EngineFailure.is(error) ? `${why} ${error.detail}` : why };
  }
}

async function startOf(job: Job, deps: ExecuteDeps): Promise<StartRequest> {
  const { run, title, executor_profile: profile } = job;
  const cwd = run.project_dir ?? deps.projectDir;
  const common = {
    queued: queuedOf(job),
    ...(run.parent_session_id !== undefined && { parent: run.parent_session_id }),
    ...(title !== undefined && { title }),
    ...(job.by_agent === true && { origin: 'subagent' as const }),
  };
  if (run.agent_name === undefined) {
    const agent = executor(job);
    const options = { ...deps.use.options(agent, cwd), ...choiceOf(job) };
    return { agent, prompt: run.prompt, cwd, options, ...common, ...(profile !== undefined && { profile }) };
  }
  const found = findBlueprint(await deps.blueprints(cwd), run.agent_name);
  if (job.by_agent === true) await deps.permitChild(run.parent_session_id ?? '', found, job.agent_hash);
  // Queueing the run, with its demands, decided what the agent's file leaves open.
  const agent = { ...found, executor_type: found.executor_type ?? executor(job) };
  const request = await startRequest(deps.isFarFromParent ? withoutChildren(agent) : agent, {
    ...deps.use,
    prompt: run.prompt,
    cwd,
  });
  return { ...request, ...common, options: { ...request.options, ...choiceOf(job) } };
}

/** An agent on another machine than its parent starts no others: only the parent's machine knows the limits of the tree. */
function withoutChildren(agent: Agent): Agent {
  return { ...agent, limits: { ...agent.limits, max_children: 0 } };
}

async function resumeOf(job: Job, deps: ExecuteDeps): Promise<ResumeRequest> {
  const { session_id, prompt } = job.run;
  await assertSameAgent(job, deps);
  // A person queued it, which permits the current version of the agent's file.
  const permittingDeps: ResumeBlueprintDeps = { ...deps, assertPermitted: () => Promise.resolve() };
  return {
    ...(await blueprintResumeRequest(session_id, prompt, permittingDeps, choiceOf(job))),
    queued: queuedOf(job),
  };
}

/** Throws for another executor, which does not know the conversation. @throws CoordinatorError */
async function assertSameAgent({ executor_type, run }: Job, { engine }: ExecuteDeps): Promise<void> {
  const handle = await engine.open(run.session_id);
  const { executor_type: own } = handle.summary();
  handle.dispose();
  if (own === undefined || own === executor_type) return;
  throw new CoordinatorError(
    'contradiction',
    `Session ${run.session_id} is a ${own} session; a runner for ${executor_type} cannot resume it.`,
  );
}

export function queuedOf({ run }: Pick<Job, 'run'>): QueuedRun {
  const { run_id, session_id, created_at, execution_mode, parent_session_id, demands, timeout_at, runner_id } = run;
  return {
    run_id,
    session_id,
    created_at,
    execution_mode,
    ...(parent_session_id !== undefined && { parent_session_id }),
    ...(demands !== undefined && { demands }),
    ...(timeout_at !== undefined && { timeout_at }),
    ...(runner_id !== undefined && { runner_id }),
  };
}

function choiceOf({ model, permission_mode, max_turns }: Job): AgentOptions {
  return {
    ...(model !== undefined && { model }),
    ...(permission_mode !== undefined && { permissionMode: permission_mode }),
    ...(max_turns !== undefined && { maxTurns: max_turns }),
  };
}

function executor({ executor_type }: Job): ExecutorType {
  const known = executorTypeSchema.safeParse(executor_type);
  if (known.success) return known.data;
  throw new CoordinatorError('invalid', `This version of Vitrine does not support the executor "${executor_type}".`);
}
