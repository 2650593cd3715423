import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AskingAgent,
  askingCodex,
  askingCopilot,
  askingScript,
  lastSentence,
  runSeconds,
} from '../../support/agents/asking/asking.ts';
import { copiesIn, copyingProgram } from '../../support/agents/asking/copyingProgram.ts';
import { type Settings, writeMachineSettings } from '../../support/host/settings.ts';
import { skip } from '../../support/skip.ts';
import { newestStdout, statusWord } from '../claudeHost.ts';
import { runAgent } from '../realAgents.ts';
import { keepEvidence, startHost, useWindow } from '../session.ts';

interface AgentInWindow {
  readonly agent: AskingAgent;
  /** Of its row in the list of agents. */
  readonly row: string;
  readonly settings: (program: string, variables: Record<string, string>) => Settings;
}

const agents: readonly AgentInWindow[] = [
  {
    agent: askingCodex,
    row: 'Codex',
    settings: (program, variables) => ({
      'vitrine.codex.path': program,
      'vitrine.codex.environment': variables,
      'vitrine.codex.permissionMode': 'read-only',
    }),
  },
  {
    agent: askingCopilot,
    row: 'Asking Copilot',
    settings: (command, env) => ({
      'vitrine.acp.agents': [{ id: 'asking', label: 'Asking Copilot', command, args: ['--acp'], env }],
    }),
  },
];

for (const { agent, row, settings } of agents) {
  describe(`a run of ${agent.label} outlives its window`, function () {
    keepEvidence();
    const host = useWindow(async (context) => {
      const installed = await agent.install();
      if ('missing' in installed) skip(context, installed.missing);
      const server = await startHost();
      const { root, home } = server.folder;
      const model = await agent.serve({ scenarios: askingScript(agent.makes) });
      agent.configure(home, model.url);
      const program = copyingProgram(installed.program, path.join(root, 'printed'));
      writeMachineSettings(root, settings(program, agent.variables(model.url)));
      return { server, model };
    });

    it('waits for an answer over a reload, and keeps what the program printed, byte for byte', async function () {
      this.timeout(this.timeout() + 10 * runSeconds * 1000);
      const { server, workbench } = host;
      const createdFile = path.join(server.folder.workspace, 'made.txt');
      const allow = workbench.webview().locator('.ask vscode-button:not(.unready)', { hasText: 'Allow Once' });
      await runAgent(workbench, row, 'Make the file. [[make]]');
      await allow.waitFor();
      await workbench.reload();
      await allow.waitFor();
      await statusWord(workbench, 'Needs your approval');
      assert.equal(existsSync(createdFile), false);
      await allow.click();
      await workbench.webview().getByText(lastSentence).first().waitFor();
      await statusWord(workbench, 'Finished');
      assert.ok(existsSync(createdFile));
      const saved = readFileSync(newestStdout(server.folder.root));
      assert.ok(saved.length > 1000);
      assert.ok(copiesIn(path.join(server.folder.root, 'printed')).some((copy) => copy.equals(saved)));
    });
  });
}
