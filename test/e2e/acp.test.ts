import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { claudeAcpVersion, ensureClaudeAcp } from '../support/agents/acp.ts';
import { claudeVariables } from '../support/agents/environment.ts';
import type { Server } from '../support/host/server.ts';
import { writeMachineSettings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { type ModelServer, startModelServer } from '../support/models/anthropic.ts';
import { turnsOf } from '../support/models/conversation.ts';
import { type Scenarios, text, tool } from '../support/models/scenario.ts';
import { skip } from '../support/skip.ts';
import { newestStdout, send, statusWord } from './claudeHost.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from './session.ts';

/** As the settings call it; the preset of the same id says "Claude Agent". */
const label = 'Claude by the open protocol';

function scenarios(workspace: string): Scenarios {
  const write = (name: string) => tool('Write', { file_path: `${workspace}/${name}`, content: `# ${name}\n` });
  return {
    change: [{ blocks: [text('I write a note.'), write('NOTES.md')] }, { blocks: [text('The note is written.')] }],
    denied: [
      { blocks: [tool('Bash', { command: 'touch denied.txt && ls', description: 'Make the file' })] },
      { blocks: [text('Not allowed, then.')] },
    ],
    again: [{ blocks: [text('You asked for notes and for a file.')] }],
  };
}

describe('An agent of the Agent Client Protocol, from the palette to the turn after a reload', function () {
  this.timeout(120_000);
  keepEvidence();
  let server: Server;
  let model: ModelServer;
  let context: BrowserContext;
  let workbench: Workbench;

  before(async function () {
    this.timeout(300_000);
    const installed = await ensureClaudeAcp();
    if ('missing' in installed) skip(this, installed.missing);
    server = await startHost();
    const { root, workspace } = server.folder;
    model = await startModelServer({ scenarios: scenarios(workspace) });
    const agent = { id: 'claude-agent-acp', label, command: installed.program, env: claudeVariables(model.url) };
    // Read when a window opens.
    writeMachineSettings(root, { 'vitrine.acp.agents': [agent] });
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    // Undefined where the suite was skipped.
    await (context as BrowserContext | undefined)?.close();
    await (model as ModelServer | undefined)?.stop();
  });

  const page = () => workbench.webview();
  const at = (name: string): string => path.join(server.folder.workspace, name);
  const press = (name: string) => page().locator('.ask vscode-button:not(.unready)', { hasText: name });
  const decided = (words: string) => page().locator('.row[data-kind=request] .rb', { hasText: words });
  const told = async (scenario: string): Promise<string> => {
    const { request } = await model.waitFor((asked) => asked.scenario === scenario);
    return turnsOf(request).join('\n');
  };

  /** What the agent said last of the cost of its conversation, in US dollars. */
  function ownUsd(): number {
    const amounts = [
      ...readFileSync(newestStdout(server.folder.root), 'utf8').matchAll(/"cost":\{"amount":([\d.e-]+)/g),
    ];
    return Number(amounts.at(-1)?.[1]);
  }

  async function assertFigures(): Promise<void> {
    const session = page().locator('header [data-of=session]');
    await page().locator(`header [data-of=session][data-usd="${ownUsd()}"]`).waitFor();
    assert.equal(await session.getAttribute('data-provenance'), 'reported');
  }

  it('asks before it writes, is named as the settings name it, and writes when it is allowed', async () => {
    await workbench.openView('Vitrine');
    await workbench.runCommand('Vitrine: Run Agent…');
    await workbench.quickPickRow(label).filter({ hasText: 'ACP' }).click();
    await workbench.page.getByPlaceholder('What should it do?').waitFor();
    await workbench.quickInput().fill('Write notes. [[change]]');
    await workbench.page.keyboard.press('Enter');
    await page().locator('.ask', { hasText: 'NOTES.md' }).waitFor({ timeout: 60_000 });
    await statusWord(workbench, 'Needs your approval');
    await workbench.statusBarItem('1 needs you').waitFor();
    await page()
      .locator('header .agent', { hasText: `${label} ${claudeAcpVersion}` })
      .waitFor();
    await picture(workbench, 'acp-request');
    assert.equal(existsSync(at('NOTES.md')), false);
    await press('Allow Once').click();
    await decided('Allowed once by you').waitFor();
    await page().getByText('The note is written.').first().waitFor();
    await statusWord(workbench, 'Finished');
    assert.equal(readFileSync(at('NOTES.md'), 'utf8'), '# NOTES.md\n');
    await assertFigures();
  });

  it('goes on when more is typed, and leaves alone what it was refused', async () => {
    await send(workbench, 'Make the file. [[denied]]');
    await page().locator('.ask pre', { hasText: 'touch denied.txt && ls' }).waitFor({ timeout: 60_000 });
    await picture(workbench, 'acp-command');
    await page()
      .getByRole('textbox', { name: /this agent cannot be told/ })
      .fill('Not in this folder.');
    await press('Deny').click();
    await decided('Denied by you: “Not in this folder.”').waitFor();
    await statusWord(workbench, 'Finished');
    await page().getByText('The agent was told that it may not, but not why').first().waitFor();
    assert.equal(existsSync(at('denied.txt')), false);
    assert.match(await told('denied'), /Write notes[^]*The note is written\.[^]*Make the file\./);
    await assertFigures();
  });

  it('goes on after a reload, from the tree, and the agent remembers', async () => {
    await workbench.reload();
    await workbench.editorTab('Write notes.').click({ button: 'middle' });
    const item = workbench.treeItem('Write notes.');
    await item.hover();
    await workbench
      .hover()
      .filter({ hasText: `Agent: ${label} ${claudeAcpVersion}` })
      .first()
      .waitFor();
    await item.click();
    await page()
      .locator('header .agent', { hasText: `${label} ${claudeAcpVersion}` })
      .waitFor();
    await statusWord(workbench, 'Finished');
    await send(workbench, 'What did I ask for? [[again]]');
    await page().getByText('You asked for notes and for a file.').first().waitFor({ timeout: 60_000 });
    await statusWord(workbench, 'Finished');
    assert.match(await told('again'), /Write notes[^]*Make the file\.[^]*What did I ask for\?/);
    await assertFigures();
  });

  it('is in Doctor, with those that were not found', async () => {
    await workbench.runCommand('Vitrine: Doctor');
    const line = (words: string) => workbench.page.locator('.editor-instance .view-line', { hasText: words });
    await line('# Vitrine Doctor').waitFor();
    await picture(workbench, 'acp-doctor');
    await workbench.page.keyboard.press('Control+F');
    await workbench.page.locator('.find-widget textarea').first().fill(`## ${label} (ACP)`);
    await line(`## ${label} (ACP)`).waitFor();
  });
});
