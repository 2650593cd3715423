import type { AgentOptions } from '../../agents/adapter.ts';
import { fillPlaceholders, inputsOf } from '../../formats/blueprint/placeholders.ts';
import type { Agent } from '../../model/agent/agent.ts';
import type { McpServer } from '../../model/agent/mcpServer.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import type { ResumeRequest, StartRequest } from '../api.ts';
import { failures } from '../failures/failures.ts';
import type { Blueprint } from './load.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Values of an agent file's placeholders, and the settings of its executor. */
export interface BlueprintUse {
  readonly prompt: string;
  /** Absolute path of an existing folder; value of `${workspaceFolder}`. */
  readonly cwd: string;
  /** Settings of the executor; the agent file overrides them. */
  readonly options: (executor: ExecutorType, cwd: string) => AgentOptions;
  /** Values of `${env:NAME}`, or a function that returns those of a folder. */
  readonly environment: Variables | ((cwd: string) => Variables);
  /** Value of `${input:name}`; `undefined` if none was given. */
  readonly input: (name: string, agent: Agent) => Promise<string | undefined>;
}

/** Finds the agent to start by name. @throws EngineFailure if it does not exist or cannot be started */
export function findBlueprint(blueprints: readonly Blueprint[], name: string): Agent {
  const found = blueprints.find((blueprint) => blueprint.name === name);
  if (found === undefined) {
    throw failures.blueprintUnknown(
      name,
      blueprints.filter(({ agent }) => agent?.status === 'active').map((blueprint) => blueprint.name),
    );
  }
  const { agent, file, problems } = found;
  if (agent === null) {
    const [first] = problems.filter(({ severity }) => severity === 'error');
    throw failures.blueprintBroken(name, `${file}:${(first?.from.line ?? 0) + 1}: ${first?.message ?? ''}`);
  }
  if (agent.status === 'inactive') throw failures.blueprintInactive(name, file);
  return agent;
}

export function executorOf({ executor_type, demands }: Agent): ExecutorType {
  return executor_type ?? executorTypeSchema.safeParse(demands?.executor_type).data ?? 'claude-code';
}

/** Start request of an agent file. @throws EngineFailure if a placeholder has no value */
export async function startRequest(agent: Agent, use: BlueprintUse): Promise<StartRequest> {
  const { cwd, prompt } = use;
  const { options, blueprint } = await resumeRequest(agent, use);
  return {
    agent: executorOf(agent),
    ...(agent.executor_profile !== undefined && { profile: agent.executor_profile }),
    prompt,
    cwd,
    options,
    blueprint,
  };
}

/** Resume request of a session with an agent file. @throws EngineFailure if a placeholder has no value */
export async function resumeRequest(
  agent: Agent,
  use: BlueprintUse,
): Promise<ResumeRequest & Required<Pick<ResumeRequest, 'options' | 'blueprint'>>> {
  const { name, model, system_prompt: systemPrompt, limits, mcp_servers: servers } = agent;
  const inputs = new Map<string, string>();
  for (const input of inputsOf(servers)) {
    const value = await use.input(input, agent);
    if (value !== undefined) inputs.set(input, value);
  }
  const filled = fillPlaceholders(servers, {
    env: typeof use.environment === 'function' ? use.environment(use.cwd) : use.environment,
    workspaceFolder: use.cwd,
    inputs: Object.fromEntries(inputs),
  });
  if (filled.missing.length > 0) throw failures.placeholdersMissing(name, filled.missing);
  const plainServers = Object.keys(servers).filter((server) => isFilledInPlain(servers[server]));
  const options: AgentOptions = {
    ...use.options(executorOf(agent), use.cwd),
    ...(model !== undefined && { model }),
    ...(limits.max_turns !== undefined && { maxTurns: limits.max_turns }),
    ...(limits.max_budget_usd !== undefined && { maxBudgetUsd: limits.max_budget_usd }),
    ...(limits.max_ai_credits !== undefined && { maxAiCredits: limits.max_ai_credits }),
    ...(Object.keys(servers).length > 0 && { mcpServers: filled.servers }),
    ...(plainServers.length > 0 && { filledServers: plainServers }),
  };
  const { max_children: children = 0, max_depth: depth = 1 } = limits;
  const blueprint = {
    name,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(children > 0 && { children: { children, depth } }),
    ...(agent.recall === 'always' && { recall: 'always' as const }),
  };
  return { prompt: use.prompt, options, blueprint };
}

/** Whether a placeholder appears outside variables and headers. Agents may show such values. */
function isFilledInPlain(server: McpServer | undefined): boolean {
  const plain = server?.type === 'stdio' ? server.args : [server?.url ?? ''];
  return plain.some((text) => /\$\{(?:env|input):/.test(text));
}
