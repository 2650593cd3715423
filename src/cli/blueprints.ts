import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { AgentOptions } from '../agents/adapter.ts';
import type { ResumeRequest, StartRequest } from '../engine/api.ts';
import { blueprintsFolder, loadBlueprints, type Blueprint } from '../engine/blueprints/load.ts';
import {
  executorOf,
  findBlueprint,
  resumeRequest,
  startRequest,
  type BlueprintUse,
} from '../engine/blueprints/request.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineFailure } from '../engine/failures.ts';
import type { ExecutorType } from '../model/session.ts';
import { assertTrusted, onlyTrusted } from './blueprintTrust.ts';
import type { CliContext } from './command.ts';

/** Those of a folder and of the user's home. */
export async function blueprintsOf({ env }: CliContext, cwd: string): Promise<readonly Blueprint[]> {
  const home = env['HOME'] ?? env['USERPROFILE'];
  const here = { folder: path.join(cwd, blueprintsFolder), level: 'workspace' } as const;
  if (home === undefined) return loadBlueprints([here]);
  const own = { folder: path.join(home, blueprintsFolder), level: 'user' } as const;
  // In the home folder both are one, and what is there is the user's.
  return loadBlueprints((await isSame(here.folder, own.folder)) ? [own] : [here, own]);
}

async function isSame(a: string, b: string): Promise<boolean> {
  const places = await Promise.all([a, b].map((folder) => realpath(folder).catch(() => path.resolve(folder))));
  return places[0] === places[1];
}

/** The same, without those of the folder that need trust and do not have it. */
export async function trustedBlueprints(context: CliContext, cwd: string): Promise<readonly Blueprint[]> {
  return onlyTrusted(context, await blueprintsOf(context, cwd));
}

interface Asked {
  readonly prompt: string;
  readonly cwd: string;
  /** Of the command line: these go before what the blueprint says. */
  readonly options: AgentOptions;
}

/** @throws EngineFailure */
export async function startByBlueprint(context: CliContext, name: string, asked: Asked): Promise<StartRequest> {
  const agent = findBlueprint(await trustedBlueprints(context, asked.cwd), name);
  const request = await startRequest(agent, useOf(context, asked));
  return { ...request, options: { ...request.options, ...asked.options } };
}

/** Which kind of agent it is; `trust`: the user trusts it as it is. @throws EngineFailure, UsageError */
export async function executorByName(
  context: CliContext,
  name: string,
  { cwd, trust }: { readonly cwd: string; readonly trust: boolean },
): Promise<ExecutorType> {
  const all = await blueprintsOf(context, cwd);
  await assertTrusted(context, name, all, trust);
  return executorOf(findBlueprint(all, name));
}

/** With the blueprint that the session was started by, where it can still be found. @throws EngineFailure */
export async function resumeByBlueprint(
  context: CliContext,
  engine: Engine,
  session: string,
  asked: Omit<Asked, 'cwd'>,
): Promise<ResumeRequest> {
  const { prompt, options } = asked;
  const handle = await engine.open(session);
  const { agent_name: name, project_dir: cwd = context.cwd } = handle.summary();
  handle.dispose();
  if (name === undefined) return { prompt, options };
  try {
    const agent = findBlueprint(await trustedBlueprints(context, cwd), name);
    const request = await resumeRequest(agent, useOf(context, { ...asked, cwd }));
    return { ...request, options: { ...request.options, ...options } };
  } catch (error) {
    if (!EngineFailure.is(error, 'blueprint_unknown')) throw error;
    context.stderr.write(`vitrine: ${error.message} The session goes on without its instructions and servers.\n`);
    return { prompt, options };
  }
}

/** Nobody is asked here: an input is the variable VITRINE_INPUT_ with its name in upper case. */
export function inputOf({ env }: CliContext): BlueprintUse['input'] {
  return (name) => Promise.resolve(env[`VITRINE_INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`]);
}

function useOf(context: CliContext, { prompt, cwd }: Omit<Asked, 'options'>): BlueprintUse {
  return {
    prompt,
    cwd,
    options: () => ({}),
    environment: context.env,
    input: inputOf(context),
  };
}
