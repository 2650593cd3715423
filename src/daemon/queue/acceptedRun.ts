import type * as z from 'zod';
import type { CreateRunRequest, createRunSchema } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { LocalCoordinator } from '../../engine/coordinator/local.ts';
import { executorTypeSchema } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { ParamsOf } from '../../protocol/daemon/calls.ts';

type QueueRequest = ParamsOf<'queueRun'>;

/**
 * Completes a request with executor and folder of the resumed session, or the executor of the online runners. Refuses
 * runs that no runner can ever take. @throws CoordinatorError
 */
export async function acceptedRun(
  request: QueueRequest,
  { engine, coordinator }: { readonly engine: Pick<Engine, 'open'>; readonly coordinator: LocalCoordinator },
): Promise<z.output<typeof createRunSchema>> {
  const { parent_session_id: parent, session_id, project_dir } = request;
  if (request.type === 'start_session') {
    if (parent !== undefined) await knownSession(engine, coordinator, parent);
    const executor_type = request.executor_type ?? (await offeredExecutor(coordinator));
    return { ...request, executor_type: knownExecutor(executor_type) };
  }
  if (session_id === undefined) throw new CoordinatorError('invalid', 'A resume_session run needs a session_id.');
  const session = await knownSession(engine, coordinator, session_id);
  const own = session.executor_type;
  const executor_type = request.executor_type ?? own;
  if (executor_type === undefined)
    throw new CoordinatorError('invalid', `The agent of session ${session_id} is unknown. Specify the executor.`);
  if (own !== undefined && executor_type !== own)
    throw new CoordinatorError(
      'contradiction',
      `Session ${session_id} is a ${own} session; ${executor_type} cannot resume it. Use ${own}, or start a new session.`,
    );
  const folder = project_dir ?? session.project_dir;
  return {
    ...request,
    executor_type: knownExecutor(executor_type),
    ...(folder !== undefined && { project_dir: folder }),
    ...(session.parent_session_id !== undefined && { parent_session_id: session.parent_session_id }),
  };
}

/** A run of the team. @throws CoordinatorError */
export function acceptedTeamRun({ executor_type, ...request }: QueueRequest): CreateRunRequest {
  if (executor_type === undefined)
    throw new CoordinatorError('invalid', 'A team run needs an agent type (--executor).');
  if (request.parent_session_id !== undefined) {
    if (request.type === 'resume_session')
      throw new CoordinatorError('invalid', 'A resumed session keeps its parent. Leave out the parent.');
    if (request.retry === true)
      throw new CoordinatorError(
        'invalid',
        'A child session cannot be retried: another runner would start a new session. Remove --retry or --parent.',
      );
  }
  return { ...request, executor_type: knownExecutor(executor_type) };
}

type KnownSession = Pick<SessionSummary, 'project_dir' | 'parent_session_id'> & Pick<ListedRun, 'executor_type'>;

/** A session with a record, or one that waits for its first run. @throws CoordinatorError */
async function knownSession(
  engine: Pick<Engine, 'open'>,
  coordinator: LocalCoordinator,
  id: string,
): Promise<KnownSession> {
  try {
    const handle = await engine.open(id);
    const summary = handle.summary();
    handle.dispose();
    return summary;
  } catch (error) {
    if (!EngineFailure.is(error)) throw error;
    const run = (await coordinator.runs({ session_id: id })).at(0);
    if (run === undefined) throw new CoordinatorError('invalid', `${error.message} ${error.detail}`);
    return run;
  }
}

function knownExecutor(name: string): string {
  if (executorTypeSchema.safeParse(name).success) return name;
  const known = executorTypeSchema.options.join(', ');
  throw new CoordinatorError('invalid', `Unknown executor: "${name}". Available: ${known}.`);
}

async function offeredExecutor(coordinator: LocalCoordinator): Promise<string> {
  const online = (await coordinator.runners()).filter(({ status }) => status === 'online');
  const offered = [...new Set(online.map(({ executor_type }) => executor_type))].sort();
  const [only, ...others] = offered;
  if (only !== undefined && others.length === 0) return only;
  const which =
    only === undefined
      ? `No online runner offers one. Available: ${executorTypeSchema.options.join(', ')}.`
      : `Online runners offer: ${offered.join(', ')}.`;
  throw new CoordinatorError('invalid', `The executor is missing. ${which}`);
}
