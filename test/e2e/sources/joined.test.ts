import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { codexVariables, configureCodex, ensureCodex } from '../../support/agents/codex.ts';
import { CodexClient, codexSocket, startCodexServer } from '../../support/agents/codexClient.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { text, tool } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';
import { send, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

const outside = (line: string) =>
  tool('exec_command', { cmd: line, yield_time_ms: 30_000, sandbox_permissions: 'require_escalated' });
const scenarios = {
  ask: [{ blocks: [text('I will ask.'), outside('touch asked.txt')] }, { blocks: [text('Asked.')] }],
  wait: [{ blocks: [outside('touch waiting.txt; sleep 600')] }, { blocks: [text('Waited.')] }],
  plain: [{ blocks: [text('Hello from here.')] }],
};

describe('a session of Codex in a terminal that Vitrine joins', function () {
  keepEvidence();
  let codex: ChildProcess;
  let terminal: CodexClient;
  let thread = '';

  const host = useWindow(
    async (context) => {
      const installed = await ensureCodex('0.169.0');
      if ('missing' in installed) skip(context, installed.missing);
      const server = await startHost();
      const { home, workspace } = server.folder;
      const model = await startOpenaiServer({ scenarios });
      configureCodex(home, model.url, '0.169.0');
      const env = { ...process.env, HOME: home, ...codexVariables() };
      codex = startCodexServer(installed.program, { cwd: workspace, env });
      terminal = await CodexClient.connect(codexSocket(home));
      thread = await terminal.startThread(workspace);
      await terminal.prompt(thread, 'Touch a file. [[ask]]');
      await terminal.waitFor('item/commandExecution/requestApproval');
      return { server, model };
    },
    { view: 'Vitrine' },
  );
  after(() => {
    terminal.close();
    codex.kill('SIGKILL');
  });

  it('is answered in the panel, gets messages and is stopped', async () => {
    await host.workbench.statusBarItem('1 needs you').waitFor();
    await host.workbench.treeItem('Codex').click();
    const page = host.workbench.webview();
    await page.getByText('Joined', { exact: true }).waitFor();
    await page.getByText('This Codex session is running in another program. You can answer').waitFor();
    const allow = page.getByRole('button', { name: 'Allow Once' });
    await allow.waitFor();
    await picture(host.workbench, 'joined-panel');
    await allow.click();
    await page.getByText('Asked.', { exact: true }).waitFor();
    await statusWord(host.workbench, 'Idle');
    await terminal.waitFor('turn/completed');
    assert.ok(existsSync(path.join(host.server.folder.workspace, 'asked.txt')));

    await send(host.workbench, 'And now? [[plain]]');
    await page.getByText('Hello from here.', { exact: true }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Message to the agent' }).inputValue(), '');
    await terminal.waitFor('turn/completed', 2);

    await terminal.prompt(thread, 'Wait. [[wait]]');
    await allow.click();
    await page.getByRole('button', { name: /^Allowed once by you, / }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await statusWord(host.workbench, 'Idle');
    await page.getByRole('button', { name: /The turn was interrupted/ }).waitFor();
  });
});
