import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { claudeAcpVersion, ensureClaudeAcp } from '../../support/agents/acp.ts';
import { claudeVariables } from '../../support/agents/environment.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import { startModelServer } from '../../support/models/anthropic.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';
import { newestStdout, send, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

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
  keepEvidence();

  const host = useWindow(
    async (context) => {
      const installed = await ensureClaudeAcp();
      if ('missing' in installed) skip(context, installed.missing);
      const server = await startHost();
      const { root, workspace } = server.folder;
      const model = await startModelServer({ scenarios: scenarios(workspace) });
      const agent = { id: 'claude-agent-acp', label, command: installed.program, env: claudeVariables(model.url) };
      // Read when a window opens.
      writeMachineSettings(root, { 'vitrine.acp.agents': [agent] });
      return { server, model };
    },
    { view: 'Vitrine' },
  );

  const page = () => host.workbench.webview();
  const at = (name: string): string => path.join(host.server.folder.workspace, name);
  const press = (name: string) => page().locator('.ask vscode-button:not(.unready)', { hasText: name });
  const decided = (words: string) => page().locator('.row[data-kind=request] .rb', { hasText: words });
  const reported = async (scenario: string): Promise<string> => {
    const { request } = await host.model.waitFor((asked) => asked.scenario === scenario);
    return turnsOf(request).join('\n');
  };

  /** What the agent said last of the cost of its conversation, in US dollars, without the noise of binary fractions. */
  function ownUsd(): number {
    const amounts = [
      ...readFileSync(newestStdout(host.server.folder.root), 'utf8').matchAll(/"cost":\{"amount":([\d.e-]+)/g),
    ];
    return Number(Number(amounts.at(-1)?.[1]).toPrecision(12));
  }

  async function assertFigures(): Promise<void> {
    const session = page().locator('header [data-of=session]');
    await page().locator(`header [data-of=session][data-usd="${ownUsd()}"]`).waitFor();
    assert.equal(await session.getAttribute('data-provenance'), 'reported');
  }

  const hasAsked = (scenario: string): boolean => host.model.asked.some((asked) => asked.scenario === scenario);

  async function askForNotes(): Promise<void> {
    const row = host.workbench.quickPickRow(label).filter({ hasText: 'ACP' });
    await host.workbench.choose('Vitrine: Run Agent…', row);
    await host.workbench.page.getByPlaceholder('Prompt').waitFor();
    await host.workbench.quickInput().fill('Write notes. [[change]]');
    await host.workbench.quickInput().press('Enter');
    await page().locator('.ask', { hasText: 'NOTES.md' }).waitFor();
  }

  async function allowNotes(): Promise<void> {
    await press('Allow Once').click();
    await decided('Allowed once by you').waitFor();
    await page().getByText('The note is written.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
  }

  /** A session in front whose first turn wrote the notes. */
  async function openNotes(): Promise<void> {
    if (hasAsked('change')) return;
    await askForNotes();
    await allowNotes();
  }

  async function askForFile(): Promise<void> {
    await openNotes();
    await send(host.workbench, 'Make the file. [[denied]]');
    await page().locator('.ask pre', { hasText: 'touch denied.txt && ls' }).waitFor();
  }

  async function denyFile(): Promise<void> {
    await page()
      .getByRole('textbox', { name: /not sent to this agent/ })
      .fill('Not in this folder.');
    await press('Deny').click();
    await decided('Denied by you: “Not in this folder.”').waitFor();
    await statusWord(host.workbench, 'Finished');
  }

  it('asks before it writes, has its name from the settings, and writes after approval', async () => {
    await askForNotes();
    await statusWord(host.workbench, 'Needs your approval');
    await host.workbench.statusBarItem('1 needs you').waitFor();
    await page()
      .locator('header .agent', { hasText: `${label} ${claudeAcpVersion}` })
      .waitFor();
    await picture(host.workbench, 'acp-request');
    assert.equal(existsSync(at('NOTES.md')), false);
    await allowNotes();
    assert.equal(readFileSync(at('NOTES.md'), 'utf8'), '# NOTES.md\n');
    await assertFigures();
  });

  it('continues with the next message, and respects a denial', async () => {
    await askForFile();
    await picture(host.workbench, 'acp-command');
    await denyFile();
    await page().getByText('The agent was told that the request was denied, but not why').first().waitFor();
    assert.equal(existsSync(at('denied.txt')), false);
    assert.match(await reported('denied'), /Write notes[^]*The note is written\.[^]*Make the file\./);
    await assertFigures();
  });

  it('continues after a reload, from the tree, and remembers the conversation', async () => {
    if (!hasAsked('denied')) {
      await askForFile();
      await denyFile();
    }
    await host.workbench.reload();
    await host.workbench.editorTab('Write notes.').click({ button: 'middle' });
    const item = host.workbench.treeItem('Write notes.');
    await host.workbench.hoverUntil(item, `Agent: ${label} ${claudeAcpVersion}`);
    await item.click();
    await page()
      .locator('header .agent', { hasText: `${label} ${claudeAcpVersion}` })
      .waitFor();
    await statusWord(host.workbench, 'Finished');
    await send(host.workbench, 'What did I ask for? [[again]]');
    await page().getByText('You asked for notes and for a file.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    assert.match(await reported('again'), /Write notes[^]*Make the file\.[^]*What did I ask for\?/);
    await assertFigures();
  });

  it('is listed in Doctor, with missing agents', async () => {
    await host.workbench.runCommand('Vitrine: Doctor');
    const doctor = host.workbench.webview();
    await doctor.getByRole('heading', { name: 'Vitrine Doctor' }).waitFor();
    await picture(host.workbench, 'acp-doctor');
    await doctor.getByRole('row', { name: `${label} (ACP)` }).waitFor();
  });
});
