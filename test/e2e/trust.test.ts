import type { BrowserContext } from 'playwright-core';
import type { Workbench } from '../support/host/workbench.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from './session.ts';

describe('Restricted Mode', function () {
  this.timeout(90_000);
  keepEvidence();
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    const settings = { 'security.workspace.trust.startupPrompt': 'never', 'vitrine.demo.speed': 0 };
    const server = await startHost({ trust: true, settings });
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(() => context.close());

  it('says why nothing is started, and where to change that', async () => {
    await workbench.openView('Vitrine');
    await workbench.page.locator('.part.sidebar').getByText('Manage Workspace Trust').waitFor();
    await picture(workbench, 'restricted');
  });

  it('starts no agent, whichever way it is asked to', async () => {
    const ways = ['Run on Several Agents…', 'Run Agent on This File…', 'Run Agent on Selection…'];
    await workbench.page.keyboard.press('Control+P');
    await workbench.quickInput().fill('package.json');
    await workbench.quickPickRow('package.json').waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.editorTab('package.json').waitFor();
    for (const way of ways) {
      await workbench.runCommand(`Vitrine: ${way}`);
      await workbench.notification('Vitrine starts no agent in Restricted Mode').waitFor();
      await workbench.runCommand('Notifications: Clear All Notifications');
      await workbench.notification('Vitrine starts no agent in Restricted Mode').waitFor({ state: 'detached' });
    }
  });

  it('plays the recording, which starts no program', async () => {
    await workbench.runCommand('Vitrine: Play Demo Session');
    await workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();
  });
});
