import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { cleanEnvironment, newRunFolder } from '../../support/host/runFolder.ts';
import { startSample } from '../../support/host/sample.ts';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { keepEvidence, newProfile, openWindow, picture } from '../session.ts';

describe('npm start', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    const folder = newRunFolder('start');
    server = await startSample(folder, cleanEnvironment(folder), 0);
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    await context.close();
    await server.stop();
    server.folder.remove();
  });

  it('shows the Sessions view and the walkthrough in a trusted window', async () => {
    await workbench.editorTab('Welcome').waitFor();
    const { page } = workbench;
    await page
      .locator('.gettingStartedContainer')
      .getByRole('heading', { name: 'See what a coding agent does' })
      .last()
      .waitFor();
    await page.locator('.part.sidebar .pane-header').filter({ hasText: 'Sessions' }).waitFor();
    assert.equal(await workbench.statusBarItem('Restricted Mode').count(), 0);
    assert.equal(await workbench.dialog().count(), 0);
    await picture(workbench, 'start');
  });

  /** The demo in front, after a click in the walkthrough. */
  async function openDemo(): Promise<void> {
    const { page } = workbench;
    if ((await workbench.editorTab('A table of four').count()) === 0)
      await page.locator('.gettingStartedContainer').getByRole('button', { name: 'Play Demo Session' }).click();
    await workbench.treeItem('A table of four pays too much').waitFor();
    await workbench.editorTab('A table of four').waitFor();
  }

  it('plays the demo at the first click', async () => {
    await openDemo();
    await workbench.webview().getByText('It runs no commands and changes no files.').last().waitFor();
  });

  it('keeps the layout after a reload', async () => {
    await openDemo();
    await workbench.openView('Explorer');
    await workbench.editorTab('Welcome').click({ button: 'middle' });
    await workbench.editorTab('Welcome').waitFor({ state: 'detached' });
    await workbench.reload();
    await workbench.editorTab('A table of four').waitFor();
    await workbench.assertOffersCommand('Vitrine: Run Agent…');
    assert.equal(await workbench.editorTab('Welcome').count(), 0);
  });

  it('shows neither in a window of another folder', async () => {
    const own = await newProfile();
    const other = await openWindow(server, own.context, server.folder.home);
    await other.openView('Vitrine');
    await other.assertOffersCommand('Vitrine: Run Agent…');
    assert.equal(await other.editorTab('Welcome').count(), 0);
    await own.context.close();
  });
});
