import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Report } from '../../../src/model/pages/report.ts';
import { findViolations, findViolationsInThemes } from '../../support/page/axe.ts';
import { waitForFrames, PageTests, sendWhole } from '../../support/page/open.ts';
import { madeReport, reportMessage } from '../../support/page/report.ts';
import { payloads } from '../../support/hostile/payloads.ts';

describe('a report page', () => {
  const tests = PageTests.use();

  const open = async (report = madeReport): Promise<Page> => {
    const page = await tests.openReport(reportMessage(report));
    await page.locator('h1').waitFor();
    return page;
  };
  const sent = (page: Page): Promise<unknown[]> => page.evaluate(() => window.host.received.slice(1));
  const column = (page: Page, at: number): Promise<string[]> =>
    page.locator(`tbody tr > :nth-child(${at})`).evaluateAll((all) => all.map((element) => element.textContent.trim()));

  it('asks the host for the actions of its buttons, and for nothing else', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'How to Install' }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    assert.deepEqual(await sent(page), [{ type: 'act', id: '1.3' }, { type: 'refresh' }, { type: 'copyMarkdown' }]);
    await page.close();
  });

  it('sorts a table by a column heading, and tells screen readers', async () => {
    const page = await open();
    const head = page.getByRole('columnheader', { name: 'Cost' });
    assert.deepEqual(await column(page, 1), ['Codex', 'Claude Code', 'Cursor']);
    await head.getByRole('button').click();
    assert.deepEqual(await column(page, 1), ['Claude Code', 'Codex', 'Cursor']);
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    await head.getByRole('button').click();
    assert.deepEqual(await column(page, 1), ['Codex', 'Claude Code', 'Cursor']);
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), null);
    await page.close();
  });

  it('works by keyboard alone, and keeps the focus when a table is sorted', async () => {
    const page = await open();
    const names: string[] = [];
    for (let at = 0; at < 14; at++) {
      await page.keyboard.press('Tab');
      names.push(await page.evaluate(() => document.activeElement?.textContent.trim().split('\n')[0] ?? ''));
    }
    for (const name of ['Refresh', 'Copy as Markdown', 'Open Log', 'Agent', 'Cost', 'How to Install', 'Codex'])
      assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
    const sorter = page.getByRole('columnheader', { name: 'Agent', exact: true }).getByRole('button');
    await sorter.focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await column(page, 1), ['Claude Code', 'Codex', 'Cursor']);
    assert.equal(await sorter.evaluate((element) => element === document.activeElement), true);
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Found beside Node.').waitFor();
    await page.close();
  });

  it('keeps order and open sections when it is hidden and shown again', async () => {
    const page = await open();
    await page.getByRole('columnheader', { name: 'Agent', exact: true }).getByRole('button').click();
    await page.locator('summary').click();
    await page.getByText('Found beside Node.').waitFor();
    await page.waitForFunction(() => Object.values(sessionStorage).some((value) => String(value).includes('Codex')));
    await page.reload();
    await sendWhole(page, reportMessage(), 1);
    await page.getByText('Found beside Node.').waitFor();
    assert.deepEqual(await column(page, 1), ['Claude Code', 'Codex', 'Cursor']);
    await page.close();
  });

  it('shows progress over its earlier content, and can cancel', async () => {
    const page = await open();
    const base = { key: { kind: 'doctor', argument: '' }, title: 'Vitrine Doctor', l10n: {}, locale: 'en' };
    await sendWhole(page, { ...base, type: 'working', text: 'Reading entries…', share: 0.4, report: madeReport }, 2);
    await page.getByRole('status').getByText('Reading entries…').waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('max'), '1');
    assert.equal(await page.getByRole('button', { name: 'Open Log' }).isDisabled(), true);
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await sendWhole(page, { ...base, type: 'cancelled' }, 3);
    await page.getByText('Cancelled.').waitFor();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await sendWhole(page, { ...base, type: 'failed', message: 'No such session' }, 4);
    await page.getByRole('alert').getByText('Could not create this page: No such session').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(await sent(page), [{ type: 'cancel' }, { type: 'refresh' }]);
    await page.close();
  });

  it('keeps hostile text plain: nothing runs, loads or hides', async () => {
    const page = await open();
    for (const [at, { text }] of payloads.filter((payload) => payload.text.length < 4000).entries()) {
      const hostile: Report = {
        title: text,
        text: [text],
        facts: [{ name: text, value: { text, code: true } }],
        actions: [{ id: '1', label: text, icon: 'gear' }],
        sections: [
          {
            title: text,
            collapsed: true,
            tables: [{ label: text, columns: [{ label: text }], rows: [[{ text, tone: 'error' }]], note: text }],
          },
        ],
      };
      await sendWhole(page, reportMessage(hostile), at + 2);
      await waitForFrames(page);
      const foreign = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .map((element) => element.localName)
          .filter((name) => ['img', 'svg', 'iframe', 'script', 'style', 'a', 'form', 'object', 'link'].includes(name)),
      );
      assert.deepEqual(foreign, []);
    }
    await page.close();
  });

  for (const width of [852, 320]) {
    it(`passes axe in four themes, ${width} px wide`, async () => {
      const page = await tests.openReport(reportMessage(), { width });
      await page.locator('summary').click();
      await page.getByText('Found beside Node.').waitFor();
      const picture = (theme: string) => page.screenshot({ path: `test-results/report-${theme}-${width}.png` });
      assert.deepEqual(await findViolationsInThemes(page, picture), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await page.close();
    });
  }
});
