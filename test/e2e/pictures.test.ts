import type { BrowserContext } from 'playwright-core';
import type { Workbench } from '../support/host/workbench.ts';
import { seedSessions, week } from './seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from './session.ts';

/** What README shows; each picture is taken only when everything that belongs on it is there. */
describe('the pictures', function () {
  this.timeout(120_000);
  keepEvidence();
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    const settings = { 'vitrine.demo.speed': 0, 'workbench.colorTheme': 'Default Dark Modern' };
    const server = await startHost({ settings });
    await seedSessions(server.folder, week);
    ({ context } = await newProfile({ width: 1280, height: 860, scale: 2 }));
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
    await workbench.treeItem('Explain edge cache').waitFor();
  });
  after(() => context.close());

  const finished = () => workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();

  async function chooseTheme(name: string): Promise<void> {
    await workbench.runCommand('Preferences: Color Theme');
    await workbench.quickInput().fill(name);
    await workbench.quickPickRow(name).click();
  }

  it('show the commands in the palette', async () => {
    await workbench.page.keyboard.press('F1');
    await workbench.quickInput().fill('>Vitrine: Run');
    await workbench.quickPickRow('Vitrine: Run Agent…').waitFor();
    await picture(workbench, 'palette');
    await workbench.page.keyboard.press('Escape');
  });

  it('show a session and the tree in dark, light and high contrast', async () => {
    await workbench.runCommand('Vitrine: Play Demo Session');
    await finished();
    await workbench.runCommand('View: Focus Active Editor Group');
    await workbench.treeItem('Recording').waitFor();
    await picture(workbench, 'panel-dark');
    for (const [theme, name] of [
      ['Light Modern', 'panel-light'],
      ['Dark High Contrast', 'panel-hc'],
    ] as const) {
      await chooseTheme(theme);
      await finished();
      await picture(workbench, name);
    }
  });
});
