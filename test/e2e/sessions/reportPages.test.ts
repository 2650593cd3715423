import assert from 'node:assert/strict';
import type { BrowserContext, Frame } from 'playwright-core';
import type { Workbench } from '../../support/host/workbench.ts';
import { findViolations } from '../../support/page/axe.ts';
import { seedSessions, week } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const themes = ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast'] as const;

/** A picture of each page takes a second. */
const pictured: ReadonlySet<string> = new Set(['Dark Modern', 'Light High Contrast']);

interface ReportPage {
  readonly heading: string;
  /** In the palette; absent: in the menu of a session. */
  readonly command?: string;
  /** Rows to choose (several: to check), or a button of the page that the command opens. */
  readonly rows?: readonly [string, ...string[]];
  readonly button?: string;
}

/** How a person gets to each of the reports. */
const pages: readonly ReportPage[] = [
  { heading: 'Vitrine Doctor', command: 'Vitrine: Doctor' },
  { heading: 'Compare Agents', command: 'Vitrine: Doctor', button: 'Compare Agents' },
  { heading: 'Cost Report', command: 'Vitrine: Show Cost Report' },
  { heading: 'Session Capabilities', command: 'Vitrine: Show Session Capabilities' },
  { heading: 'Record Verification', command: 'Vitrine: Verify Session Record' },
  { heading: 'Will This Resume Here?' },
  { heading: 'Why No Follow-up?', command: 'Vitrine: Follow-ups…', rows: ['Why No Follow-up?'] },
  { heading: 'Compare Sessions', command: 'Vitrine: Compare Sessions…', rows: ['Rename Chunk', 'Health endpoint'] },
  { heading: 'While You Were Away', command: 'Vitrine: Show What Happened While You Were Away' },
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
    await workbench.treeItem('Recording').first().waitFor();
    for (const page of pages) await open(page);
  });
  after(() => context.close());

  async function open({ heading, command, rows, button }: ReportPage): Promise<void> {
    await workbench.treeItem('Recording').first().click();
    await workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();
    if (command === undefined) {
      await workbench.chooseInMenu(workbench.treeItem('Explain edge cache'), heading);
    } else if (rows === undefined) await workbench.runCommand(command);
    else await chooseAll(command, rows);
    if (button !== undefined) await workbench.webview().getByRole('button', { name: button }).click();
    await shown(heading);
  }

  /** Frame of the page in front, when it shows its report. */
  async function shown(heading: string): Promise<Frame> {
    const title = workbench.webview().getByRole('heading', { level: 1, name: heading });
    await title.waitFor();
    await workbench.webview().getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    await workbench.webview().locator('.working').waitFor({ state: 'detached' });
    const handle = await title.elementHandle();
    const frame = await handle.ownerFrame();
    assert.ok(frame);
    return frame;
  }

  async function chooseAll(command: string, [first, ...others]: readonly [string, ...string[]]): Promise<void> {
    await workbench.choose(command, first);
    if (others.length === 0) return;
    for (const row of others) await workbench.quickPickRow(row).click();
    await workbench.page.keyboard.press('Enter');
  }

  it('passes axe in four themes', async () => {
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choose('Preferences: Color Theme', theme, theme);
      for (const { heading } of pages) {
        await workbench.editorTab(heading).click();
        const frame = await shown(heading);
        const here = await findViolations(frame, theme === themes[0] ? 'dark' : 'light');
        found.push(...here.map((violation) => `${heading}, ${theme}: ${violation}`));
        if (!pictured.has(theme)) continue;
        const words = `report ${heading} ${theme}`;
        await picture(workbench, words.replaceAll(/\W+/g, '-'));
      }
    }
    assert.deepEqual(found, []);
  });

  it('works by keyboard alone', async () => {
    for (const { heading } of pages) {
      await workbench.editorTab(heading).click();
      const frame = await shown(heading);
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
      assert.equal(reached.size, buttons, heading);
    }
  });
});
