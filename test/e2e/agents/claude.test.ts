import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processesOf } from '../../support/agents/place.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { newestFigures, runClaude, say, send, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

describe('Claude Code, from the palette to the next turn', function () {
  keepEvidence();

  const host = useWindow(startClaudeHost);

  const page = () => host.workbench.webview();
  const showsUsd = (of: 'run' | 'session', usd: number | undefined): Promise<void> =>
    page().locator(`header [data-of=${of}][data-usd="${usd}"]`).waitFor();

  const hasAsked = (scenario: string): boolean => host.model.asked.some((asked) => asked.scenario === scenario);

  /** A session in front whose first run put matcha on the menu. */
  async function openChanged(): Promise<void> {
    if (!hasAsked('change')) await runClaude(host.workbench, 'Put matcha on the menu. [[change]]');
    await statusWord(host.workbench, 'Finished');
  }

  /** Sends the second message of that session. */
  async function askAgain(): Promise<void> {
    await send(host.workbench, 'What did I ask for? [[again]]');
    await page().getByText('You asked me to add matcha; I did.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
  }

  it('runs from the palette and changes workspace files', async () => {
    await openChanged();
    assert.match(readFileSync(path.join(host.server.folder.workspace, 'src/menu.js'), 'utf8'), /Matcha/);
    assert.match(readFileSync(path.join(host.server.folder.workspace, 'NOTES.md'), 'utf8'), /Matcha is new/);
  });

  it('shows messages and tool calls', async () => {
    await openChanged();
    for (const shown of ['Put matcha on the menu.', 'Matcha is on the menu for 5.20 EUR', 'NOTES.md', 'node --test']) {
      await page().getByRole('tabpanel', { name: 'Transcript' }).getByText(shown).first().waitFor();
    }
    await picture(host.workbench, 'claude');
  });

  it('shows the cost that the agent reports, to the last digit', async () => {
    await openChanged();
    const own = newestFigures(host.server.folder.root);
    await showsUsd('run', own.usd);
    await showsUsd('session', own.usd);
    await page().locator('header').getByText('reported').first().waitFor();
  });

  it('continues after a reload, from the tree, and remembers the conversation', async () => {
    await openChanged();
    await host.workbench.reload();
    await host.workbench.closeEditors();
    await host.workbench.openView('Vitrine');
    await host.workbench.treeItem('Put matcha on the menu.').click();
    await statusWord(host.workbench, 'Finished');
    await askAgain();
    const { request } = await host.model.waitFor(({ scenario }) => scenario === 'again');
    assert.match(turnsOf(request).join('\n'), /Put matcha on the menu[^]*Done\.[^]*What did I ask for\?/);
  });

  it('then shows the cost of the run and of the session', async () => {
    await openChanged();
    if (!hasAsked('again')) await askAgain();
    const own = newestFigures(host.server.folder.root);
    await showsUsd('session', own.usd);
    await showsUsd('run', own.runUsd);
  });

  it('leaves no process when a run is stopped during a tool call', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const agents = () => processesOf(host.server.folder.home).filter((line) => /claude|sleep 600/.test(line));
    await say(host.workbench, 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(path.join(host.server.folder.workspace, 'started.txt')));
    assert.notDeepEqual(agents(), []);
    await host.workbench.runCommand('Vitrine: Stop');
    await statusWord(host.workbench, 'Stopped');
    await until('the end of all its processes', () => agents().length === 0);
  });

  it('makes no network requests', () => {
    assert.deepEqual(host.outside, []);
  });
});
