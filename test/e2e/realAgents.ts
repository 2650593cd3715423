import type { Server } from '../support/host/server.ts';
import { writeMachineSettings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import type { InstallResult } from '../support/agents/install.ts';
import type { Scenarios } from '../support/models/scripts/scenario.ts';
import type { ModelServer, ModelServerOptions } from '../support/models/server.ts';
import { startModelServer } from '../support/models/anthropic.ts';
import { startOpenaiServer } from '../support/models/openai.ts';
import { codexScenarios } from '../support/models/scripts/codexScenarios.ts';
import { copilotScenarios } from '../support/models/scripts/copilotScenarios.ts';
import { codexVariables, configureCodex, ensureCodex } from '../support/agents/codex.ts';
import { ensureCopilot } from '../support/agents/copilot.ts';
import { copilotVariables } from '../support/agents/environment.ts';
import { skip } from '../support/skip.ts';
import { startHost } from './session.ts';

/** A real agent in the real host. */
export interface RealAgent {
  /** As the palette lists it. */
  readonly label: string;
  /** Of its settings: `vitrine.<name>.path`. */
  readonly name: string;
  readonly install: () => Promise<InstallResult>;
  readonly serve: (options: ModelServerOptions) => Promise<ModelServer>;
  readonly scenarios: (workspace: string) => Scenarios;
  readonly variables: (modelUrl: string) => Record<string, string>;
  readonly configure?: (home: string, modelUrl: string) => void;
  readonly permissionMode: string;
}

const codexVersion = '0.169.0';

export const realCodex: RealAgent = {
  label: 'Codex',
  name: 'codex',
  install: () => ensureCodex(codexVersion),
  serve: startOpenaiServer,
  scenarios: () => codexScenarios(codexVersion),
  variables: codexVariables,
  configure: (home, modelUrl) => configureCodex(home, modelUrl, codexVersion),
  permissionMode: 'danger-full-access',
};

export const realCopilot: RealAgent = {
  label: 'Copilot CLI',
  name: 'copilot',
  install: ensureCopilot,
  serve: startModelServer,
  scenarios: copilotScenarios,
  variables: copilotVariables,
  permissionMode: 'acceptEdits',
};

/** A VS Code in which that agent is set up, asked by a scripted model. Skips the suite where it cannot be had. */
export async function startAgentHost(
  context: Mocha.Context,
  agent: RealAgent,
): Promise<{ server: Server; model: ModelServer }> {
  const { server, models, missing } = await startHostOfAgents([agent]);
  const model = models.get(agent.name);
  return model === undefined ? skip(context, missing.get(agent.name) ?? '') : { server, model };
}

/** A VS Code in which these agents are set up, with the scripted model of each by its name; `missing`: why there is none. */
export async function startHostOfAgents(
  agents: readonly RealAgent[],
): Promise<{ server: Server; models: Map<string, ModelServer>; missing: Map<string, string> }> {
  const modes = agents.map(({ name, permissionMode }) => [`vitrine.${name}.permissionMode`, permissionMode] as const);
  const server = await startHost({ settings: Object.fromEntries(modes) });
  const { home, root, workspace } = server.folder;
  const models = new Map<string, ModelServer>();
  const missing = new Map<string, string>();
  const settings: Record<string, unknown> = {};
  for (const agent of agents) {
    const installed = await agent.install();
    if ('missing' in installed) {
      missing.set(agent.name, installed.missing);
      continue;
    }
    const model = await agent.serve({ scenarios: agent.scenarios(workspace) });
    models.set(agent.name, model);
    agent.configure?.(home, model.url);
    settings[`vitrine.${agent.name}.path`] = installed.program;
    settings[`vitrine.${agent.name}.environment`] = agent.variables(model.url);
  }
  // Read when a window opens.
  writeMachineSettings(root, settings);
  return { server, models, missing };
}

/** Run Agent… → `label` → `prompt`, as a person does it. */
export async function runAgent(workbench: Workbench, label: string, prompt: string): Promise<void> {
  await workbench.choose('Vitrine: Run Agent…', label);
  await workbench.page.getByPlaceholder('Prompt').waitFor();
  await workbench.quickInput().fill(prompt);
  await workbench.quickInput().press('Enter');
}
