import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { claudeVariables } from '../support/agents/environment.ts';
import { type OwnFigures, ownFigures } from '../support/agents/figures.ts';
import { allowTools, processesOf } from '../support/agents/place.ts';
import type { Server } from '../support/host/server.ts';
import { writeMachineSettings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { type ModelServer, startModelServer } from '../support/models/anthropic.ts';
import { turnsOf } from '../support/models/conversation.ts';
import { testScenarios } from '../support/models/scenarios.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from './session.ts';

/** What the agent says of its newest run, in the verbatim output that Vitrine keeps in its global storage. */
function newestFigures(root: string): OwnFigures {
  const storage = path.join(root, 'user-data/User/globalStorage');
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.stdout'))
    .map((name) => path.join(storage, name))
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
    server = await startHost({ settings: { 'vitrine.claude.permissionMode': 'acceptEdits' } });
    model = await startModelServer({ scenarios: testScenarios(server.folder.workspace) });
    allowTools(server.folder.home);
    // Read when a window opens.
    writeMachineSettings(server.folder.root, {
      'vitrine.claude.path': installed.program,
      'vitrine.claude.environment': claudeVariables(model.url),
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

  /** The toolkit's field holds its text area in a shadow root; the plain one, before the toolkit is there, is one. */
  const send = async (text: string): Promise<void> => {
    const field = page().locator('textarea#composer, #composer textarea');
    await field.fill(text);
    await field.press('Control+Enter');
  };

  it('runs from the palette and changes files of the workspace', async () => {
    await workbench.runCommand('Vitrine: Run Agent…');
    await workbench.quickPickRow('Claude Code').click();
    await workbench.page.getByPlaceholder('What should it do?').waitFor();
    await workbench.quickInput().fill('Put matcha on the menu. [[change]]');
    await workbench.page.keyboard.press('Enter');
    await finished();
    assert.match(readFileSync(path.join(server.folder.workspace, 'src/menu.js'), 'utf8'), /Matcha/);
    assert.match(readFileSync(path.join(server.folder.workspace, 'NOTES.md'), 'utf8'), /Matcha is new/);
  });

  it('shows what it said and did', async () => {
    for (const shown of ['Put matcha on the menu.', 'for 5.20 EUR, and the tests pass.', 'NOTES.md', 'node --test']) {
      await page().getByRole('region', { name: 'Transcript' }).getByText(shown).first().waitFor();
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
    await send('What did I ask for? [[again]]');
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
    await send('Sleep. [[sleep]]');
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
