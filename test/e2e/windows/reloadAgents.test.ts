import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureCodexAcp } from '../../support/agents/acp.ts';
import { codexVariables, configureCodex } from '../../support/agents/codex.ts';
import { ensureCopilot } from '../../support/agents/copilot.ts';
import { copilotVariables } from '../../support/agents/environment.ts';
import type { InstallResult } from '../../support/agents/install.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import { startModelServer } from '../../support/models/anthropic.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { type Block, type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import type { ModelServer, ModelServerOptions } from '../../support/models/server.ts';
import { skip } from '../../support/skip.ts';
import { copyingProgram, newestStdout, statusWord } from '../claudeHost.ts';
import { runAgent } from '../realAgents.ts';
import { keepEvidence, startHost, useWindow } from '../session.ts';

interface AskingAgent {
  readonly label: string;
  readonly install: () => Promise<InstallResult>;
  readonly args: readonly string[];
  readonly serve: (options: ModelServerOptions) => Promise<ModelServer>;
  readonly touches: Block;
  readonly variables: (modelUrl: string) => Record<string, string>;
  readonly configure: (home: string, modelUrl: string) => void;
}

const agents: readonly AskingAgent[] = [
  {
    label: 'Asking Codex',
    install: ensureCodexAcp,
    args: [],
    serve: startOpenaiServer,
    touches: tool('apply_patch', '*** Begin Patch\n*** Add File: made.txt\n+Made.\n*** End Patch\n'),
    variables: () => ({ ...codexVariables(), INITIAL_AGENT_MODE: 'read-only' }),
    configure: (home, modelUrl) => configureCodex(home, modelUrl, '0.169.0'),
  },
  {
    label: 'Asking Copilot',
    install: ensureCopilot,
    args: ['--acp'],
    serve: startModelServer,
    touches: tool('bash', { command: 'touch made.txt && ls', description: 'Make the file' }),
    variables: copilotVariables,
    configure: () => undefined,
  },
];

for (const { label, install, args, serve, touches, variables, configure } of agents) {
  describe(`a run of ${label} outlives its window`, function () {
    keepEvidence();
    const scenarios: Scenarios = { make: [{ blocks: [touches] }, { blocks: [text('Made it after the reload.')] }] };
    const host = useWindow(async (context) => {
      const installed = await install();
      if ('missing' in installed) skip(context, installed.missing);
      const server = await startHost();
      const { root, home } = server.folder;
      const model = await serve({ scenarios });
      configure(home, model.url);
      const command = copyingProgram(installed.program, path.join(root, 'printed'));
      const agent = { id: 'asking', label, command, args, env: variables(model.url) };
      writeMachineSettings(root, { 'vitrine.acp.agents': [agent] });
      return { server, model };
    });

    it('waits for an answer over a reload, and keeps what the program printed, byte for byte', async () => {
      const { server, workbench } = host;
      const made = path.join(server.folder.workspace, 'made.txt');
      const allow = workbench.webview().locator('.ask vscode-button:not(.unready)', { hasText: 'Allow Once' });
      await runAgent(workbench, label, 'Make the file. [[make]]');
      await allow.waitFor();
      await workbench.reload();
      await allow.waitFor();
      await statusWord(workbench, 'Needs your approval');
      assert.equal(existsSync(made), false);
      await allow.click();
      await workbench.webview().getByText('Made it after the reload.').first().waitFor();
      await statusWord(workbench, 'Finished');
      assert.ok(existsSync(made));
      const saved = readFileSync(newestStdout(server.folder.root));
      const folder = path.join(server.folder.root, 'printed');
      const printed = readdirSync(folder).filter((name) => name.endsWith('.stdout'));
      assert.ok(saved.length > 1000);
      assert.ok(printed.some((name) => readFileSync(path.join(folder, name)).equals(saved)));
    });
  });
}
