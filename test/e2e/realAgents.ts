import type { Server } from '../support/host/server.ts';
import { writeMachineSettings, type Settings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import type { InstallResult } from '../support/agents/install.ts';
import type { Scenarios } from '../support/models/scripts/scenario.ts';
import type { ModelServer, ModelServerOptions } from '../support/models/server.ts';
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

/** A VS Code in which that agent is set up, asked by a scripted model. Skips the suite where it cannot be had. */
export async function startAgentHost(
  context: Mocha.Context,
  agent: RealAgent,
): Promise<{ server: Server; model: ModelServer }> {
  const installed = await agent.install();
  if ('missing' in installed) skip(context, installed.missing);
  const setting = (key: string, value: unknown): Settings => ({ [`vitrine.${agent.name}.${key}`]: value });
  const server = await startHost({ settings: setting('permissionMode', agent.permissionMode) });
  const { home, root, workspace } = server.folder;
  const model = await agent.serve({ scenarios: agent.scenarios(workspace) });
  agent.configure?.(home, model.url);
  // Read when a window opens.
  writeMachineSettings(root, {
    ...setting('path', installed.program),
    ...setting('environment', agent.variables(model.url)),
  });
  return { server, model };
}

/** Run Agent… → `label` → `prompt`, as a person does it. */
export async function runAgent(workbench: Workbench, label: string, prompt: string): Promise<void> {
  await workbench.choose('Vitrine: Run Agent…', label);
  await workbench.page.getByPlaceholder('Prompt').waitFor();
  await workbench.quickInput().fill(prompt);
  await workbench.page.keyboard.press('Enter');
}
