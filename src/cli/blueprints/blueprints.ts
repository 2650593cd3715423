import type { AgentOptions } from '../../agents/adapter.ts';
import type { ResumeRequest, StartRequest } from '../../engine/api.ts';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import {
  executorOf,
  findBlueprint,
  resumeRequest,
  startRequest,
  type BlueprintUse,
} from '../../engine/blueprints/request.ts';
import { inputVariable } from '../../engine/blueprints/inputVariable.ts';
import { blueprintsIn, homeOf, filterTrusted } from '../../engine/blueprints/trusted.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { assertTrusted } from './blueprintTrust.ts';
import type { CliContext } from '../command.ts';

/** Agent files of a folder and of the user. */
export function blueprintsOf({ env }: CliContext, cwd: string): Promise<readonly Blueprint[]> {
  return blueprintsIn(cwd, homeOf(env));
}

/** As above, without untrusted agent files of the folder. */
export async function trustedBlueprints(context: CliContext, cwd: string): Promise<readonly Blueprint[]> {
  return filterTrusted(await blueprintsOf(context, cwd), homeOf(context.env));
}

interface BlueprintArguments {
  readonly prompt: string;
  readonly cwd: string;
  /** Options of the command line, which override the agent file. */
  readonly options: AgentOptions;
}

/** @throws EngineFailure */
export async function startByBlueprint(
  context: CliContext,
  name: string,
  args: BlueprintArguments,
): Promise<StartRequest> {
  const agent = findBlueprint(await trustedBlueprints(context, args.cwd), name);
  const request = await startRequest(agent, toBlueprintUse(context, args));
  return { ...request, options: { ...request.options, ...args.options } };
}

/** Executor of an agent file. `trust`: the user trusts its current content. @throws EngineFailure, UsageError */
export async function executorByName(
  context: CliContext,
  name: string,
  { cwd, trust }: { readonly cwd: string; readonly trust: boolean },
): Promise<ExecutorType> {
  const all = await blueprintsOf(context, cwd);
  await assertTrusted(context, name, all, trust);
  return executorOf(findBlueprint(all, name));
}

/** Uses the session's agent file if it still exists. @throws EngineFailure */
export async function resumeByBlueprint(
  context: CliContext,
  engine: Engine,
  session: string,
  args: Omit<BlueprintArguments, 'cwd'>,
): Promise<ResumeRequest> {
  const { prompt, options } = args;
  const handle = await engine.open(session);
  const { agent_name: name, project_dir: cwd = context.cwd } = handle.summary();
  handle.dispose();
  if (name === undefined) return { prompt, options };
  try {
    const agent = findBlueprint(await trustedBlueprints(context, cwd), name);
    const request = await resumeRequest(agent, toBlueprintUse(context, { ...args, cwd }));
    return { ...request, options: { ...request.options, ...options } };
  } catch (error) {
    if (!EngineFailure.is(error, 'blueprint_unknown')) throw error;
    context.stderr.write(`vitrine: ${error.message} The session continues without its instructions and servers.\n`);
    return { prompt, options };
  }
}

/** Never prompts. */
export function inputOf({ env }: CliContext): BlueprintUse['input'] {
  return (name) => Promise.resolve(env[inputVariable(name)]);
}

function toBlueprintUse(context: CliContext, { prompt, cwd }: Omit<BlueprintArguments, 'options'>): BlueprintUse {
  return {
    prompt,
    cwd,
    options: () => ({}),
    environment: context.env,
    input: inputOf(context),
  };
}
