import type { BrowserContext } from 'playwright-core';
import type { Workbench } from '../../support/host/workbench.ts';
import { seedSessions, week } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

/** What README shows; each picture is taken only when everything that belongs on it is there. */
describe('pictures for the README', function () {
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
    await workbench.choose('Preferences: Color Theme', name, name);
  }

  it('show a session with a source in dark, light and high contrast, and its trajectory', async () => {
    await workbench.runCommand('Vitrine: Play Demo Session');
    await finished();
    await workbench.runCommand('View: Focus Active Editor Group');
    await workbench.treeItem('Recording').first().waitFor();
    const page = workbench.webview();
    const number = page.locator('.cref').nth(2);
    await number.hover();
    await page.getByRole('dialog').getByText('node --test').first().waitFor();
    await picture(workbench, 'panel-dark');
    await page.getByRole('tab', { name: 'Trajectory' }).click();
    await page.locator('.trow:not(.lane)').nth(7).click();
    await page.locator('.pane').getByText('Duration').waitFor();
    await picture(workbench, 'trajectory');
    await page.getByRole('tab', { name: 'Transcript' }).click();
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
