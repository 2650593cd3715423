import path from 'node:path';
import type { RemoteQueue } from '../../../client/queue/remoteQueue.ts';
import type { CreateRun } from '../../../coordinator/api.ts';
import { mergeDemands } from '../../../coordinator/demands.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { executorOf, findBlueprint } from '../../../engine/blueprints/request.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import type { Demands } from '../../../model/session/demands.ts';
import { sessionIdSchema } from '../../../model/session/session.ts';
import { blueprintsOf } from '../../blueprints/blueprints.ts';
import { UsageError, type CliContext } from '../../command.ts';
import { createEngine } from '../../run/engine.ts';
import { executorOption } from '../../options/executorOptions.ts';

/** Options of `queue add`, as they were given. */
export interface AskedRun {
  readonly blueprint?: string | undefined;
  readonly executor?: string | undefined;
  readonly resume?: string | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly demand?: readonly string[] | undefined;
  readonly store?: string | undefined;
}

/** @throws UsageError where no runner could ever take it, too */
export async function requestOf(context: CliContext, asked: AskedRun): Promise<Omit<CreateRun, 'prompt'>> {
  const { blueprint, executor, resume, model } = asked;
  const additional_demands = demandsOf(asked.demand, context.cwd);
  const common = {
    ...(model !== undefined && { model }),
    ...(additional_demands !== undefined && { additional_demands }),
  };
  const project_dir = path.resolve(context.cwd, asked.cwd ?? '.');
  if (blueprint !== undefined) {
    if ((executor ?? resume) !== undefined)
      throw new UsageError('--blueprint already sets the agent.', 'Remove --executor and --resume.');
    return { ...common, project_dir, ...(await ofBlueprint(context, blueprint, project_dir, additional_demands)) };
  }
  const executor_type = executorOption('--executor', executor);
  refuseOtherExecutor(executor_type, additional_demands);
  if (resume === undefined) return { ...common, project_dir, executor_type };
  if (!sessionIdSchema.safeParse(resume).success)
    throw new UsageError(`"${resume}" is not a session ID (--resume).`, 'See "vitrine sessions" for their ids.');
  // Where the session works says who may take it, not where this terminal is.
  const place = asked.cwd === undefined ? {} : { project_dir };
  return { ...common, ...place, executor_type, type: 'resume_session', session_id: resume };
}

/** A resume without a folder gets that of its session, which may still wait for its first run. @throws UsageError */
export async function inItsFolder<T extends Omit<CreateRun, 'prompt'>>(
  context: CliContext,
  store: string | undefined,
  queued: Pick<RemoteQueue, 'runs'>,
  request: T,
): Promise<T> {
  const { session_id: session, project_dir } = request;
  if (session === undefined || project_dir !== undefined) return request;
  const folder = await folderOf(context, store, queued, session);
  return folder === undefined ? request : { ...request, project_dir: folder };
}

async function folderOf(
  context: CliContext,
  store: string | undefined,
  queued: Pick<RemoteQueue, 'runs'>,
  session: string,
): Promise<string | undefined> {
  const engine = createEngine(context, { store });
  try {
    const handle = await engine.open(session);
    const { project_dir } = handle.summary();
    handle.dispose();
    return project_dir;
  } catch (error) {
    if (!EngineFailure.is(error)) throw error;
    const run = (await queued.runs({ session_id: session })).at(0);
    if (run === undefined) throw new UsageError(error.message, error.detail);
    return run.project_dir;
  } finally {
    await engine.dispose();
  }
}

async function ofBlueprint(
  context: CliContext,
  name: string,
  folder: string,
  asked: Demands | undefined,
): Promise<Pick<CreateRun, 'agent_name' | 'executor_type' | 'executor_profile' | 'demands'>> {
  try {
    const agent = findBlueprint(await blueprintsOf(context, folder), name);
    const { demands, executor_profile } = agent;
    const merged = mergeDemands(demands, asked);
    const executor_type = executorOf({ ...agent, demands: merged });
    refuseOtherExecutor(executor_type, merged);
    return {
      agent_name: agent.name,
      executor_type,
      ...(executor_profile !== undefined && { executor_profile }),
      ...(demands !== undefined && { demands }),
    };
  } catch (error) {
    if (CoordinatorError.is(error)) throw new UsageError(error.message, 'Remove one of the demands.');
    throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
  }
}

function refuseOtherExecutor(executor: string, { executor_type: wanted }: Partial<Demands> = {}): void {
  if (wanted === undefined || wanted === executor) return;
  throw new UsageError(
    `The run is for ${executor} but demands the executor_type "${wanted}". No runner can have both.`,
    'Remove one of them.',
  );
}

/** A folder is taken from `cwd`, as every path of a command line. @throws UsageError */
export function demandsOf(given: readonly string[] = [], cwd: string): Demands | undefined {
  if (given.length === 0) return undefined;
  const demands: Demands = { tags: [] };
  for (const each of given) {
    const equals = each.indexOf('=');
    const key = each.slice(0, Math.max(0, equals));
    const value = each.slice(equals + 1);
    if (value === '' || !isDemand(key))
      throw new UsageError(
        `"${each}" is not a valid demand (--demand).`,
        'Use a demand such as tag=gpu or hostname=builder.',
      );
    if (key === 'tag') {
      demands.tags.push(value);
      continue;
    }
    const wanted = key === 'project_dir' ? path.resolve(cwd, value) : value;
    const other = demands[key];
    if (other !== undefined && other !== wanted)
      throw new UsageError(
        `No runner can have both the ${key} "${other}" and "${wanted}" (--demand).`,
        'Remove one of them.',
      );
    demands[key] = wanted;
  }
  return demands;
}

const demandKeys = ['tag', 'hostname', 'project_dir', 'executor_type'] as const;

function isDemand(key: string): key is (typeof demandKeys)[number] {
  return demandKeys.some((known) => known === key);
}
