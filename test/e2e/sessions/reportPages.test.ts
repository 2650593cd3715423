import assert from 'node:assert/strict';
import type { BrowserContext, Frame } from 'playwright-core';
import type { Workbench } from '../../support/host/workbench.ts';
import { violations } from '../../support/page/axe.ts';
import { seedSessions, week } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const themes = ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast'] as const;

/** Each report, by its heading, and how a person gets there: by the palette, or by the menu of a session. */
const pages: readonly (readonly [heading: string, command: string, menu?: string])[] = [
  ['Vitrine Doctor', 'Vitrine: Doctor'],
  ['Cost Report', 'Vitrine: Show Cost Report'],
  ['Session Capabilities', 'Vitrine: Show Session Capabilities'],
  ['Record Verification', 'Vitrine: Verify Session Record'],
  ['Will This Resume Here?', ''],
  ['Why No Follow-up?', 'Vitrine: Follow-ups…', 'Why No Follow-up?'],
  ['While You Were Away', 'Vitrine: Show What Happened While You Were Away'],
];

describe('each report page in the workbench', function () {
  this.timeout(400_000);
  keepEvidence();
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    const server = await startHost({ settings: { 'vitrine.demo.speed': 0 } });
    await seedSessions(server.folder, week);
    ({ context } = await newProfile({ width: 1280, height: 860 }));
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
    await workbench.runCommand('Vitrine: Play Demo Session');
    await workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();
    await workbench.treeItem('Recording').waitFor();
  });
  after(() => context.close());

  async function open([heading, command, menu]: (typeof pages)[number]): Promise<Frame> {
    await workbench.closeEditors();
    await workbench.treeItem('Recording').click();
    await workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();
    if (command === '') {
      await workbench.treeItem('Explain edge cache').click({ button: 'right' });
      // A menu that has just opened swallows clicks, but not keys.
      await workbench.page.locator('.monaco-menu').getByText(heading, { exact: true }).hover();
      await workbench.page.keyboard.press('Enter');
    } else await workbench.runCommand(command);
    if (menu !== undefined) await workbench.quickPickRow(menu).click();
    const title = workbench.webview().getByRole('heading', { level: 1, name: heading });
    await title.waitFor();
    await workbench.webview().getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    await workbench.webview().locator('.working').waitFor({ state: 'detached' });
    const handle = await title.elementHandle();
    const frame = await handle.ownerFrame();
    assert.ok(frame);
    return frame;
  }

  it('leaves nothing for axe to object to, in four themes', async () => {
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.runCommand('Preferences: Color Theme');
      await workbench.quickInput().fill(theme);
      await workbench.quickPickRow(theme).click();
      for (const page of pages) {
        const frame = await open(page);
        found.push(
          ...(await violations(frame, theme === themes[0] ? 'dark' : 'light')).map(
            (each) => `${page[0]}, ${theme}: ${each}`,
          ),
        );
        await picture(workbench, `report-${page[0].replace(/\W+/g, '-').toLowerCase()}-${theme.replaceAll(' ', '-')}`);
      }
    }
    assert.deepEqual(found, []);
  });

  it('is worked by keyboard alone', async () => {
    for (const page of pages) {
      const frame = await open(page);
      const buttons = await frame.locator('button:visible:not([disabled])').count();
      const reached = new Set<string>();
      await frame.locator('h1').click();
      for (let at = 0; at < buttons + 20 && reached.size < buttons; at += 1) {
        await workbench.page.keyboard.press('Tab');
        const place = await frame.evaluate(() => {
          const focused = document.activeElement;
          return focused instanceof HTMLButtonElement
            ? String([...document.querySelectorAll('button')].indexOf(focused))
            : '';
        });
        if (place !== '') reached.add(place);
      }
      assert.equal(reached.size, buttons, page[0]);
    }
  });
});
