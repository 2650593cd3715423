import assert from 'node:assert/strict';
import { execa } from 'execa';
import type { Locator } from 'playwright-core';
import { ensureClaudeCode } from '../../support/agents/claudeCode.ts';
import { agentEnvironment, claudeVariables } from '../../support/agents/environment.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { startModelServer } from '../../support/models/anthropic.ts';
import { testScenarios } from '../../support/models/scripts/scenarios.ts';
import { send, statusWord } from '../claudeHost.ts';
import { realCodex, realCopilot, startAgentHost, type RealAgent } from '../realAgents.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

interface TerminalAgent extends RealAgent {
  /** Arguments of a run in a terminal, in front of its prompt. */
  readonly args: readonly string[];
  /** The store says that no person was there: the list folds such sessions. */
  readonly programmatic: boolean;
  /** Scenario and words of the answer after the resume. */
  readonly answer: readonly [string, string];
}

const agents: readonly TerminalAgent[] = [
  {
    label: 'Claude Code',
    name: 'claude',
    install: () => ensureClaudeCode('2.1.328'),
    serve: startModelServer,
    scenarios: testScenarios,
    variables: claudeVariables,
    permissionMode: 'acceptEdits',
    args: ['-p'],
    programmatic: true,
    answer: ['third', 'That was the third turn.'],
  },
  {
    ...realCodex,
    args: ['exec', '--skip-git-repo-check'],
    programmatic: true,
    answer: ['afresh', 'Then once more.'],
  },
  {
    ...realCopilot,
    permissionMode: 'bypassPermissions',
    args: ['--allow-all-tools', '-p'],
    programmatic: false,
    answer: ['afresh', 'Then once more.'],
  },
];

for (const agent of agents) {
  describe(`a session of ${agent.label} that was started in a terminal`, function () {
    keepEvidence();

    const host = useWindow(
      async (context) => {
        const started = await startAgentHost(context, agent);
        const { home, workspace } = started.server.folder;
        const installed = await agent.install();
        if ('missing' in installed) throw new Error(installed.missing);
        await execa(installed.program, [...agent.args, 'Remember the tea. [[again]]'], {
          cwd: workspace,
          env: agentEnvironment({ home, modelUrl: started.model.url }, agent.variables),
          extendEnv: false,
          stdin: 'ignore',
        });
        return started;
      },
      { view: 'Vitrine', width: 1280, height: 900 },
    );

    /** Its row; that of a session from scripts is in a closed group until it is resumed. */
    async function sessionRow(): Promise<Locator> {
      const { workbench } = host;
      const group = workbench.treeItem('1 session from scripts');
      const row = workbench.treeItem('Remember the tea').first();
      await row.or(group).first().waitFor();
      if ((await row.count()) === 0) await group.click();
      await row.waitFor();
      return row;
    }

    it('is resumed from its panel, remembers the conversation, and stays one session', async () => {
      const { workbench, model } = host;
      const [scenario, words] = agent.answer;
      await (await sessionRow()).click();
      const page = workbench.webview();
      await page.getByText('Remember the tea').first().waitFor();
      await send(workbench, `What did I say? [[${scenario}]]`);
      await page.getByText(words).first().waitFor();
      await statusWord(workbench, 'Finished');
      const { request } = await model.waitFor((asked) => asked.scenario === scenario);
      assert.match(turnsOf(request).join('\n'), /Remember the tea[^]*What did I say\?/);
      assert.equal(await workbench.treeItem('Remember the tea').count(), 1);
      await workbench.treeItem('session from scripts').waitFor({ state: 'detached' });
      await picture(workbench, `observed-resumed-${agent.name}`);
    });

    if (agent.name !== 'copilot') {
      it('is forked into a separate session, which remembers the conversation', async () => {
        const { workbench, model } = host;
        await workbench.chooseInMenu(await sessionRow(), 'Fork Session…');
        await workbench.page.getByText('First message of the new session').waitFor();
        await workbench.quickInput().fill('And on another way? [[again]]');
        await workbench.quickInput().press('Enter');
        await workbench.webview().getByText('And on another way?').first().waitFor();
        await statusWord(workbench, 'Finished');
        const { request } = await model.waitFor((asked) => turnsOf(asked.request).join().includes('another way'));
        assert.match(turnsOf(request).join('\n'), /Remember the tea[^]*another way/);
        await workbench.treeItem('Remember the tea').nth(1).waitFor();
        assert.equal(await workbench.treeItem('Remember the tea').count(), 2);
        await picture(workbench, `observed-forked-${agent.name}`);
      });
    }
  });
}
