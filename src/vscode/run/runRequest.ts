import path from 'node:path';
import { executorTypes } from '../../model/session/executorTypes.ts';
import type { RecallResult } from '../../engine/recall/types.ts';
import { isObject } from '../../model/text/json.ts';
import { choiceOf, isAgentName } from './runChoice.ts';
import type { RunChoice } from '../../agents/withChoice.ts';
import type { AgentName, RaceCommands } from './runMemory.ts';

/** Maximum number of agents side by side, for readable columns. */
export const maxAgents = 4;

/** A run to be started. */
export interface RunRequest extends AgentName {
  readonly prompt: string;
  /** Absolute path; recordings need none. */
  readonly cwd?: string;
  /** Overrides the settings. */
  readonly choice?: RunChoice;
  readonly title?: string;
  /** Context from earlier sessions that the user selected. */
  readonly recall?: RecallResult;
}

/** Expected argument, for the error message. */
export const requestShape =
  '{agent, prompt, profile?, cwd?, model?, permissionMode?, maxTurns?, maxBudgetUsd?, maxAiCredits?}';

/** Parses the argument of a command; `undefined` if it is incomplete. */
export function runRequestOf(argument: unknown): RunRequest | undefined {
  if (!isObject(argument)) return undefined;
  const { prompt, cwd, profile } = argument;
  const agent = executorTypes.find((type) => type === argument['agent']);
  const choice = choiceOf(argument);
  if (agent === undefined || choice === undefined || typeof prompt !== 'string') return undefined;
  if (cwd !== undefined && (typeof cwd !== 'string' || !path.isAbsolute(cwd))) return undefined;
  if (profile !== undefined && !isAgentName(profile)) return undefined;
  return {
    agent,
    prompt,
    ...(cwd === undefined ? {} : { cwd }),
    ...(profile === undefined ? {} : { profile }),
    ...(Object.keys(choice).length === 0 ? {} : { choice }),
  };
}

/** Expected argument for several agents, for the error message. */
export const raceRequestShape = '{agents: [{agent, profile?, model?, permissionMode?}], prompt, cwd?, check?, setup?}';

/** Parses an argument for several agents; `undefined` if it is incomplete. The user sees the commands before they run. */
export function raceRequestOf(
  argument: Readonly<Record<string, unknown>>,
): { readonly requests: readonly RunRequest[]; readonly commands: Partial<RaceCommands> } | undefined {
  const { agents, prompt, cwd, check, setup } = argument;
  if (!Array.isArray(agents) || agents.length < 2 || agents.length > maxAgents) return undefined;
  const requests = agents.map((agent: unknown) =>
    isObject(agent) ? runRequestOf({ ...agent, prompt, ...(cwd !== undefined && { cwd }) }) : undefined,
  );
  if (requests.includes(undefined)) return undefined;
  return {
    requests: requests.filter((request) => request !== undefined),
    commands: { ...(typeof check === 'string' && { check }), ...(typeof setup === 'string' && { setup }) },
  };
}
