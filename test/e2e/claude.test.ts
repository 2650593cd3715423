import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { processesOf } from '../support/agents/place.ts';
import type { Server } from '../support/host/server.ts';
import type { Workbench } from '../support/host/workbench.ts';
import type { ModelServer } from '../support/models/anthropic.ts';
import { turnsOf } from '../support/models/conversation.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { newestFigures, runClaude, send, startClaudeHost, statusWord } from './claudeHost.ts';
import { keepEvidence, newProfile, openWindow, picture } from './session.ts';

describe('Claude Code, from the palette to the next turn', function () {
  this.timeout(120_000);
  keepEvidence();
  let server: Server;
  let model: ModelServer;
  let context: BrowserContext;
  let outside: string[];
  let workbench: Workbench;

  before(async function () {
    this.timeout(300_000);
    ({ server, model } = await startClaudeHost(this));
    ({ context, outside } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    // Undefined where the suite was skipped.
    await (context as BrowserContext | undefined)?.close();
    await (model as ModelServer | undefined)?.stop();
  });

  const page = () => workbench.webview();
  const shownUsd = async (of: 'run' | 'session'): Promise<number> =>
    Number(await page().locator(`header [data-of=${of}]`).getAttribute('data-usd'));

  it('runs from the palette and changes files of the workspace', async () => {
    await runClaude(workbench, 'Put matcha on the menu. [[change]]');
    await statusWord(workbench, 'Finished');
    assert.match(readFileSync(path.join(server.folder.workspace, 'src/menu.js'), 'utf8'), /Matcha/);
    assert.match(readFileSync(path.join(server.folder.workspace, 'NOTES.md'), 'utf8'), /Matcha is new/);
  });

  it('shows what it said and did', async () => {
    for (const shown of ['Put matcha on the menu.', 'Matcha is on the menu for 5.20 EUR', 'NOTES.md', 'node --test']) {
      await page().getByRole('tabpanel', { name: 'Transcript' }).getByText(shown).first().waitFor();
    }
    await picture(workbench, 'claude');
  });

  it('shows the cost that the agent reports, to the last digit', async () => {
    const own = newestFigures(server.folder.root);
    assert.equal(await shownUsd('run'), own.usd);
    assert.equal(await shownUsd('session'), own.usd);
    await page().locator('header').getByText('reported').first().waitFor();
  });

  it('goes on after a reload, from the tree, and the agent remembers', async () => {
    await workbench.reload();
    await workbench.runCommand('View: Close All Editors');
    await workbench.openView('Vitrine');
    await workbench.treeItem('Put matcha on the menu.').click();
    await statusWord(workbench, 'Finished');
    await send(workbench, 'What did I ask for? [[again]]');
    await page().getByText('You asked me to add matcha; I did.').first().waitFor();
    await statusWord(workbench, 'Finished');
    const { request } = await model.waitFor(({ scenario }) => scenario === 'again');
    assert.match(turnsOf(request).join('\n'), /Put matcha on the menu[^]*Done\.[^]*What did I ask for\?/);
  });

  it('then shows the cost of the run and of the session', async () => {
    const own = newestFigures(server.folder.root);
    assert.equal(await shownUsd('session'), own.usd);
    assert.equal(await shownUsd('run'), own.runUsd);
  });

  it('leaves no process of the agent when a run is stopped in a tool', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const agents = () => processesOf(server.folder.home).filter((line) => /claude|sleep 600/.test(line));
    await send(workbench, 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(path.join(server.folder.workspace, 'started.txt')));
    assert.notDeepEqual(agents(), []);
    await workbench.runCommand('Vitrine: Stop');
    await statusWord(workbench, 'Stopped');
    assert.deepEqual(agents(), []);
  });

  it('asks nothing of the network', () => {
    assert.deepEqual(outside, []);
  });
});
