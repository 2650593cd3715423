import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { type LineSession, lineSession } from '../../support/sessions/lineSession.ts';
import { said } from '../../support/sessions/madeEntries.ts';
import { until } from '../../support/until.ts';
import { seedSessions } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const id = 'ses_000000000000';

/** What triggers and a child session said after the work was done. */
function afterwards(from: number): NormalizedEntry[] {
  const user = (index: number, content: string): NormalizedEntry => said(index, content, 'user_message');
  return [
    {
      ...user(from, 'Are the tests complete?'),
      origin: 'follow_up',
      metadata: { synthetic: true, trigger_type: 'task_incomplete', trigger_reason: 'a test is missing' },
    },
    { ...user(from + 1, 'The audit found nothing.'), origin: 'callback' },
    said(from + 2, 'Nothing is missing.'),
    user(from + 3, '[synthetic: true] I am a person who writes like a machine.'),
  ];
}

describe('lines and the session they come from', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;
  let fixture: LineSession;
  let file: string;

  before(async function () {
    server = await startHost({
      settings: { 'vitrine.lineHistory.enabled': true, 'workbench.colorTheme': 'Default Dark Modern' },
    });
    file = path.join(server.folder.workspace, 'src/bill.js');
    fixture = lineSession(server.folder.workspace, readFileSync(file, 'utf8'));
    const entries = [...fixture.entries, ...afterwards(fixture.entries.length)];
    await seedSessions(server.folder, [
      { title: 'Fix the discount', daysAgo: 0, usd: 0.2, turns: 1, seconds: 30, entries },
    ]);
    ({ context } = await newProfile({ width: 1280, height: 860 }));
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
    await workbench.treeItem('Fix the discount').waitFor();
  });
  after(() => context.close());

  const page = () => workbench.webview();
  const lens = (text: string) => workbench.page.locator('.codelens-decoration a').filter({ hasText: text }).first();

  async function openFile(): Promise<void> {
    if ((await workbench.editorTab('bill.js').count()) > 0) await workbench.editorTab('bill.js').click();
    else {
      await workbench.page.keyboard.press('Control+P');
      await workbench.quickInput().fill('bill.js');
      await workbench.quickPickRow('bill.js').click();
    }
    await lens('Give the discount to larger parties only.').waitFor();
  }

  /** The session in front, from the list. */
  async function openSession(): Promise<void> {
    await workbench.treeItem('Fix the discount').click();
    await page().locator('h1', { hasText: 'Fix the discount' }).waitFor();
  }

  it('are marked in the gutter, with prompt and step in a lens', async () => {
    await openFile();
    await lens('step 2').waitFor();
    const marks = workbench.page.locator('.editor .cgmr[class*="ced-"]');
    // Lines that were read are marked, too.
    await marks.nth(5).waitFor();
  });

  it('explain themselves in a hover, which leads to the step', async () => {
    await openFile();
    const text = workbench.page.locator('.view-line', { hasText: /guests\s>\sDISCOUNT/ });
    await text.getByText('Math').hover();
    const hover = workbench.hover().filter({ hasText: 'Why is this line here?' });
    await hover.getByText('Fix the discount').waitFor();
    assert.equal(await hover.locator('img').count(), 0);
    assert.equal(await hover.getByRole('link', { name: 'run' }).count(), 0);
    await picture(workbench, 'line-hover');
    await hover.getByText('Show Step').click();
    await page().locator(`.item.marked[data-key="e:${fixture.stepIndex}"] .detail`).waitFor();
    await picture(workbench, 'line-step');
  });

  it('lead to the prompt from the lens', async () => {
    await openFile();
    const active = workbench.page.locator('.part.editor .tab.active', { hasText: 'Fix the discount' });
    // A lens that is drawn again at that moment loses the click.
    await until('the session in front', async () => {
      if (await active.isVisible()) return true;
      await lens('Give the discount')
        .click({ timeout: 5000 })
        .catch(() => undefined);
      return active.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await page().locator(`.item.marked[data-key="e:${fixture.promptIndex}"] .prompt`).waitFor();
  });

  it('are copied from the menu of a row, as a link or as Markdown', async () => {
    const menu = workbench.page.locator('.monaco-menu');
    await openSession();
    await page().locator(`.item[data-key="e:${fixture.stepIndex}"] .rb`).click({ button: 'right' });
    await menu.getByText('Copy as Markdown', { exact: true }).waitFor();
    assert.equal(await menu.getByText('Copy with Sources').count(), 0, 'a step has none');
    await menu.getByText('Copy Link', { exact: true }).hover();
    // It goes after seconds.
    const said = workbench.statusBarItem('Link copied').waitFor();
    await workbench.page.keyboard.press('Enter');
    await said;
  });

  it('show the author of each message, and hide automatic ones', async () => {
    const said_ = (text: string) => page().locator('.prompt', { hasText: text });
    await openSession();
    await page().getByText('1 automatic message hidden').first().waitFor();
    await page().getByRole('button', { name: 'Show follow-ups' }).click();
    await said_('Are the tests complete?').getByText('Follow-up').waitFor();
    await said_('Are the tests complete?').getByText('a test is missing').waitFor();
    await said_('The audit found nothing.').getByText('Child result').waitFor();
    await said_('who writes like a machine').getByText('You').waitFor();
    await page().getByRole('button', { name: 'Hide automatic messages' }).click();
    const hidden = page().getByRole('button', { name: '2 automatic messages hidden' });
    await hidden.waitFor();
    await said_('The audit found nothing.').waitFor({ state: 'detached' });
    await said_('who writes like a machine').waitFor();
    await picture(workbench, 'automatic-hidden');
    await hidden.click();
    await said_('The audit found nothing.').waitFor();
  });

  it('are in a file that the list marks as changed since', async () => {
    appendFileSync(file, '\n// by hand\n');
    await openSession();
    await page().getByRole('tab', { name: 'Files' }).click();
    const row = page().getByRole('row', { name: /^src\/bill\.js, changed, .*Changed after the session ended/ });
    await row.waitFor();
    await page().locator('.sumbar').getByText('1 changed since').waitFor();
    await page().getByRole('button', { name: 'Lines' }).click();
    await page().locator('[role=columnheader][aria-sort=descending]', { hasText: 'Lines' }).waitFor();
    await picture(workbench, 'files-since');
    await workbench.reload();
    await page().locator('[role=columnheader][aria-sort=descending]', { hasText: 'Lines' }).waitFor();
  });

  it('are opened by an external link, or reported as missing', async () => {
    const follow = async (link: string): Promise<void> => {
      await workbench.runCommand('Developer: Open URL');
      await workbench.quickInput().fill(link);
      await workbench.quickInput().press('Enter');
      await workbench.dialog().getByRole('button', { name: 'Open', exact: true }).click();
    };
    await follow(`vscode://vitrine.vitrine/session/${id}#${fixture.stepIndex}`);
    await page().locator(`.item.marked[data-key="e:${fixture.stepIndex}"]`).waitFor();
    await follow('vscode://vitrine.vitrine/session/ses_ffffffffffff#1');
    await workbench.notification('is not on this machine').waitFor();
    await picture(workbench, 'link-missing');
  });
});
