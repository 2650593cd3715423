import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { packageExtension } from '../../support/package/vsix.ts';
import { isGroupAlive } from '../../support/processes/processGroup.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

/** What anyone who has just installed Vitrine in a stock VS Code can do without an agent. */
describe('the demo of the packaged extension, from the palette to the next turn', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let outside: string[];
  let workbench: Workbench;

  before(async () => {
    const vsix = 'test-results/vitrine.vsix';
    await packageExtension(vsix);
    server = await startHost({
      vsix,
      driver: false,
      settings: { 'vitrine.demo.speed': 3, 'workbench.colorTheme': 'Default Dark Modern' },
    });
    ({ context, outside } = await newProfile({ width: 1280, height: 860 }));
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(() => context.close());

  const page = () => workbench.webview();
  const status = (word: string | RegExp) => page().locator('.status .word', { hasText: word });

  const recording = () => workbench.treeItem('Recording').first();
  let hasPlayed = false;

  async function play(): Promise<void> {
    await workbench.choose('Vitrine: Run Agent…', 'Starts no program');
    await status(/Running|Finished/).waitFor();
    hasPlayed = true;
  }

  /** The recorded session in front, after its end. */
  async function openRecording(): Promise<void> {
    if (hasPlayed) await recording().click();
    else await play();
    await status('Finished').waitFor();
  }

  it('welcomes users without agents and sessions', async () => {
    await workbench.page.locator('.part.sidebar').getByText('Play Demo Session').waitFor();
    await workbench.page.locator('.pane-header', { hasText: 'Vitrine looked in' }).waitFor();
    await picture(workbench, 'welcome');
  });

  it('lists agents, and marks the recording', async () => {
    await workbench.runCommand('Vitrine: Run Agent…');
    await workbench.quickPickRow('Starts no program').waitFor();
    await picture(workbench, 'run-agent');
    await workbench.page.keyboard.press('Escape');
  });

  it('streams the recorded session to its end', async () => {
    await play();
    await recording().waitFor();
    await picture(workbench, 'running');
    await status('Finished').waitFor();
    assert.ok((await page().locator('.row[data-kind]').count()) > 2, 'tool calls are on screen');
  });

  it('shows the source of a claim, and leads to the step', async () => {
    await openRecording();
    await page().locator('.cited', { hasText: 'src/bill.js' }).first().hover();
    const card = page().getByRole('dialog', { name: /^Source / });
    await card.getByText(/^Found in step \d/).waitFor();
    await picture(workbench, 'source');
    await card.getByRole('button', { name: /^Go to step/ }).click();
    await page().locator('.item.marked .rb:focus').waitFor();
  });

  it('shows the cost of the recorded session, and that it is a recording', async () => {
    await openRecording();
    await page().locator('header').getByText('reported').first().waitFor();
    assert.match(await page().locator('header').innerText(), /\$\d+\.\d\d/);
    await page().locator('header .recording').waitFor();
    await workbench.treeItem('Today').waitFor();
    await picture(workbench, 'demo');
  });

  it('brings the panel back after a reload of the window', async () => {
    await openRecording();
    await workbench.reload();
    await status('Finished').waitFor();
    await recording().waitFor();
    assert.equal(await workbench.treeItem('Recording').count(), 1);
  });

  it('opens from the tree', async () => {
    if (!hasPlayed) await openRecording();
    await workbench.closeEditors();
    await workbench.openView('Vitrine');
    await workbench.treeItem('Recording').click();
    await status('Finished').waitFor();
  });

  it('resumes the next recorded turn from the composer', async () => {
    await openRecording();
    const turns = page().getByText('Turn 2', { exact: false });
    assert.equal(await turns.count(), 0);
    await page().locator('#composer textarea, textarea#composer').fill('Continue.');
    await page().getByRole('button', { name: 'Send' }).click();
    await turns.first().waitFor();
    await status('Finished').waitFor();
  });

  it('shows what ran when, and leads from a step to the transcript', async () => {
    await openRecording();
    await page().getByRole('tab', { name: 'Trajectory' }).click();
    const steps = page().locator('.trow[data-kind]');
    await steps.first().waitFor();
    await steps.first().click();
    await page().locator('.pane .detail').waitFor();
    await picture(workbench, 'trajectory');
    await page().getByRole('button', { name: 'Show in transcript' }).click();
    await page().getByRole('tabpanel', { name: 'Transcript' }).waitFor();
    await page().locator('.item.marked .detail').first().waitFor();
  });

  it('lists the files it changed, and opens all changes in one editor', async () => {
    await openRecording();
    await page().getByRole('tab', { name: 'Files' }).click();
    await page().locator('.frow[data-group=changed]').waitFor();
    await picture(workbench, 'files');
    await page().getByRole('button', { name: 'Open all changes' }).click();
    await workbench.page.locator('.multiDiffEditor, .multiDiffEntry').first().waitFor();
    await workbench.page.locator('.multiDiffEditor .line-insert, .multiDiffEntry .line-insert').first().waitFor();
    await picture(workbench, 'changes');
  });

  it('opens the source of a claim in the editor', async () => {
    await openRecording();
    await page().getByRole('tab', { name: 'Sources' }).click();
    await page().locator('.srct .obj', { hasText: 'README.md' }).first().click();
    await picture(workbench, 'sources');
    await page().getByRole('dialog').getByRole('button', { name: 'Open file' }).click();
    await workbench.page.locator('.tab.active', { hasText: 'README.md' }).waitFor();
  });

  it('makes no network requests', () => {
    assert.deepEqual(outside, []);
  });

  it('leaves no process when its server ends', async () => {
    assert.equal(isGroupAlive(server.pid), true);
    await server.stop();
    assert.equal(isGroupAlive(server.pid), false);
  });
});
