import path from 'node:path';
import type * as z from 'zod';
import type { QueueRunParams } from '../../../client/queue/remoteQueue.ts';
import { mergeDemands } from '../../../coordinator/demands.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { executorOf, findBlueprint } from '../../../engine/blueprints/request.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import type { Demands } from '../../../model/session/demands.ts';
import { executionModeSchema, sessionIdSchema } from '../../../model/session/session.ts';
import { blueprintsOf } from '../../blueprints/blueprints.ts';
import { UsageError, type CliContext } from '../../command.ts';
import { executorOption } from '../../options/executorOptions.ts';

/** Options of `queue add`, as they were given. */
export interface QueueOptions {
  readonly blueprint?: string | undefined;
  readonly executor?: string | undefined;
  readonly resume?: string | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly demand?: readonly string[] | undefined;
  readonly team?: boolean | undefined;
  readonly retry?: boolean | undefined;
  readonly parent?: string | undefined;
  readonly mode?: string | undefined;
}

/**
 * Omits executor and folder if the session or the runner decides them. @throws UsageError also if no runner could ever
 * take the run
 */
export async function requestOf(context: CliContext, options: QueueOptions): Promise<Omit<QueueRunParams, 'prompt'>> {
  const { blueprint, executor, resume, model, parent, mode } = options;
  const additional_demands = demandsOf(options.demand, context.cwd);
  const named = options.cwd === undefined ? undefined : path.resolve(context.cwd, options.cwd);
  const common = {
    ...(model !== undefined && { model }),
    ...(additional_demands !== undefined && { additional_demands }),
    ...(parent !== undefined && { parent_session_id: sessionOption('--parent', parent) }),
    ...(mode !== undefined && { execution_mode: modeOption(mode) }),
    ...(named !== undefined && { project_dir: named }),
    ...(options.team === true && { team: true }),
    ...(options.retry === true && { retry: true }),
  };
  if (options.retry === true && options.team !== true)
    throw new UsageError('--retry applies only to team runs.', 'Add --team, or remove --retry.');
  if (resume !== undefined && parent !== undefined)
    throw new UsageError('A resumed session keeps its parent.', 'Remove --parent or --resume.');
  if (blueprint !== undefined) {
    if ((executor ?? resume) !== undefined)
      throw new UsageError('--blueprint already sets the agent.', 'Remove --executor and --resume.');
    return { ...common, ...(await blueprintRequest(context, blueprint, named, additional_demands)) };
  }
  const executor_type =
    executor === undefined ? additional_demands?.executor_type : executorOption('--executor', executor);
  if (executor_type !== undefined) refuseOtherExecutor(executor_type, additional_demands);
  const choice = executor_type === undefined ? {} : { executor_type };
  if (resume === undefined) return { ...common, ...choice };
  return { ...common, ...choice, type: 'resume_session', session_id: sessionOption('--resume', resume) };
}

function sessionOption(option: string, value: string): string {
  if (sessionIdSchema.safeParse(value).success) return value;
  throw new UsageError(`"${value}" is not a session ID (${option}).`, 'See "vitrine sessions" for session IDs.');
}

function modeOption(value: string): z.infer<typeof executionModeSchema> {
  const mode = executionModeSchema.safeParse(value);
  if (mode.success) return mode.data;
  throw new UsageError(
    `"${value}" is not an execution mode (--mode).`,
    `Use one of: ${executionModeSchema.options.join(', ')}.`,
  );
}

async function blueprintRequest(
  context: CliContext,
  name: string,
  named: string | undefined,
  required: Demands | undefined,
): Promise<Pick<QueueRunParams, 'agent_name' | 'executor_type' | 'executor_profile' | 'demands' | 'project_dir'>> {
  const folder = named ?? context.cwd;
  try {
    const agent = findBlueprint(await blueprintsOf(context, folder), name);
    const { demands, executor_profile } = agent;
    const merged = mergeDemands(demands, required);
    const executor_type = executorOf({ ...agent, demands: merged });
    refuseOtherExecutor(executor_type, merged);
    return {
      agent_name: agent.name,
      executor_type,
      // Its file would not be found in another folder.
      ...(isInside(agent.file, folder) && { project_dir: folder }),
      ...(executor_profile !== undefined && { executor_profile }),
      ...(demands !== undefined && { demands }),
    };
  } catch (error) {
    if (CoordinatorError.is(error)) throw new UsageError(error.message, 'Remove one of the demands.');
    throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
  }
}

function isInside(file: string, folder: string): boolean {
  const relativePath = path.relative(folder, file);
  return !relativePath.startsWith('..') && !path.isAbsolute(relativePath);
}

function refuseOtherExecutor(executor: string, { executor_type: required }: Partial<Demands> = {}): void {
  if (required === undefined || required === executor) return;
  throw new UsageError(
    `The run is for ${executor} but demands the executor_type "${required}". No runner can have both.`,
    'Remove one of them.',
  );
}

/** A folder is taken from `cwd`, as every path of a command line. @throws UsageError */
export function demandsOf(pairs: readonly string[] = [], cwd: string): Demands | undefined {
  if (pairs.length === 0) return undefined;
  const demands: Demands = { tags: [] };
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, equals));
    const value = pair.slice(equals + 1);
    if (value === '' || !isDemand(key))
      throw new UsageError(
        `"${pair}" is not a valid demand (--demand).`,
        'Use a demand such as tag=gpu or hostname=builder.',
      );
    if (key === 'tag') {
      demands.tags.push(value);
      continue;
    }
    const demanded = key === 'project_dir' ? path.resolve(cwd, value) : value;
    const other = demands[key];
    if (other !== undefined && other !== demanded)
      throw new UsageError(
        `No runner can have both the ${key} "${other}" and "${demanded}" (--demand).`,
        'Remove one of them.',
      );
    demands[key] = demanded;
  }
  return demands;
}

const demandKeys = ['tag', 'hostname', 'project_dir', 'executor_type'] as const;

function isDemand(key: string): key is (typeof demandKeys)[number] {
  return demandKeys.some((known) => known === key);
}
