import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { claudeVariables } from '../support/agents/environment.ts';
import { type OwnFigures, ownFigures } from '../support/agents/figures.ts';
import { allowTools, processesOf } from '../support/agents/place.ts';
import type { Server } from '../support/host/server.ts';
import { writeSettings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { type ModelServer, startModelServer } from '../support/models/anthropic.ts';
import { turnsOf } from '../support/models/conversation.ts';
import { testScenarios } from '../support/models/scenarios.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from './session.ts';

/** What the agent says of its newest run, in the verbatim output that Vitrine keeps. */
function newestFigures(root: string): OwnFigures {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.stdout'))
    .map((name) => path.join(root, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  return ownFigures(files.at(-1)!);
}

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
    const installed = await ensureClaudeCode('2.1.328');
    if ('missing' in installed) skip(this, installed.missing);
    server = await startHost();
    model = await startModelServer({ scenarios: testScenarios(server.folder.workspace) });
    allowTools(server.folder.home);
    // Read when a window opens.
    writeSettings(server.folder.root, {
      'vitrine.claude.path': installed.program,
      'vitrine.claude.environment': claudeVariables(model.url),
      'vitrine.claude.permissionMode': 'acceptEdits',
    });
    ({ context, outside } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    // Undefined where the suite was skipped.
    await (context as BrowserContext | undefined)?.close();
    await (model as ModelServer | undefined)?.stop();
  });

  const page = () => workbench.webview();
  const finished = () => page().locator('.status .word', { hasText: 'Finished' }).waitFor({ timeout: 60_000 });
  const shownUsd = async (of: 'run' | 'session'): Promise<number> =>
    Number(await page().locator(`header [data-of=${of}]`).getAttribute('data-usd'));

  it('runs from the palette and changes files of the workspace', async () => {
    await workbench.runCommand('Vitrine: Run Agent…');
    await workbench.quickPickRow('Claude Code').click();
    await workbench.quickInput().fill('Put matcha on the menu. [[change]]');
    await workbench.page.keyboard.press('Enter');
    await finished();
    assert.match(readFileSync(path.join(server.folder.workspace, 'src/menu.js'), 'utf8'), /Matcha/);
    assert.match(readFileSync(path.join(server.folder.workspace, 'NOTES.md'), 'utf8'), /Matcha is new/);
  });

  it('shows what it said and did', async () => {
    const text = page().locator('[role=main]');
    for (const shown of [
      'Put matcha on the menu.',
      'Matcha is on the menu for 5.20 EUR',
      'src/menu.js',
      'node --test',
    ]) {
      await text.getByText(shown).first().waitFor();
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
    await finished();
    await page().getByRole('textbox', { name: 'Message to the agent' }).fill('What did I ask for? [[again]]');
    await page().getByRole('button', { name: 'Send' }).click();
    await page().getByText('You asked me to add matcha; I did.').first().waitFor();
    await finished();
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
    await page().getByRole('textbox', { name: 'Message to the agent' }).fill('Sleep. [[sleep]]');
    await page().getByRole('button', { name: 'Send' }).click();
    await until('the command', () => existsSync(path.join(server.folder.workspace, 'started.txt')));
    assert.notDeepEqual(agents(), []);
    await workbench.runCommand('Vitrine: Stop');
    await page().locator('.status .word', { hasText: 'Stopped' }).waitFor({ timeout: 30_000 });
    assert.deepEqual(agents(), []);
  });

  it('asks nothing of the network', () => {
    assert.deepEqual(outside, []);
  });
});
