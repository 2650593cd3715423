import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { createFullScript, createLongScript, view } from '../../support/page/madeUp.ts';
import { waitForFrames, PageTests } from '../../support/page/open.ts';

describe('find in a session', () => {
  const tests = PageTests.use();

  const open = async (width = 852): Promise<Page> => {
    const { entries, turns } = createFullScript();
    const page = await tests.open({ entries, view: view({ turns }, { entries: entries.length }) }, { width });
    await page.keyboard.press('Control+f');
    return page;
  };
  const count = (page: Page, words: string) => page.locator('.hits-n', { hasText: words }).waitFor();
  const type = async (page: Page, text: string): Promise<void> => {
    await page.locator('#find').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  };

  it('accepts words, quotes and operators, and reports what it did not understand', async () => {
    const page = await open();
    await type(page, 'tool:bash error');
    await count(page, '1 entry');
    const failed = await page.locator('.hits-n').textContent();
    await type(page, 'tool:bash');
    await page.waitForFunction((before) => document.querySelector('.hits-n')?.textContent !== before, failed);
    await type(page, 'kind:nonsense');
    await page.locator('.find-p', { hasText: 'kind:nonsense: unknown kind; use one of user, assistant' }).waitFor();
    await type(page, 'tol:bash');
    await page.locator('.find-p', { hasText: 'unknown operator; searched as text' }).waitFor();
    await count(page, 'No results');
    await type(page, 'state:denied');
    await count(page, '1 entry');
    await page.keyboard.press('Enter');
    await count(page, '1 of 1');
    await page.locator('.item.marked').waitFor();
    await page.getByRole('button', { name: 'Search syntax' }).click();
    await page.locator('.find-h', { hasText: 'file:retry.ts' }).waitFor();
    await page.screenshot({ path: 'test-results/find-help.png' });
    await page.close();
  });

  it('marks each word, also across colored parts of code', async () => {
    const page = await open();
    await type(page, 'retry "delay"');
    await page.waitForFunction(() => {
      const marked = [...(CSS.highlights.get('find') ?? [])].map(String).map((text) => text.toLowerCase());
      return marked.includes('retry') && marked.includes('delay');
    });
    await page.close();
  });

  it('searches the whole session, one answer at a time', async () => {
    const { entries, turns } = createLongScript(400);
    const page = await tests.open({ entries, view: view({ turns }, { entries: entries.length }) });
    await page.evaluate(() => {
      window.host.mostFound = 30;
    });
    await page.keyboard.press('Control+f');
    await type(page, 'kind:tool');
    const wanted = entries.filter(({ type: { kind } }) => kind === 'tool_use').length;
    await count(page, `${wanted} entries`);
    const asked = await page.evaluate(() => window.host.received.filter((message) => message.type === 'find'));
    const last = asked.filter((message) => message.query === 'kind:tool');
    assert.equal(last.length, Math.ceil(wanted / 30));
    await page.keyboard.press('Shift+Enter');
    await count(page, `${wanted} of ${wanted}`);
    await page.close();
  });

  for (const width of [852, 360]) {
    it(`passes axe in four themes, ${width} px wide`, async () => {
      const page = await open(width);
      await type(page, 'kind:nonsense retry');
      await page.getByRole('button', { name: 'Search syntax' }).click();
      await page.locator('.find-h').waitFor();
      await page.locator('.find-p').waitFor();
      await waitForFrames(page, 3);
      const picture = (theme: string) => page.screenshot({ path: `test-results/find-${theme}-${width}.png` });
      assert.deepEqual(await findViolationsInThemes(page, picture), []);
      const wide = await page.locator('.find').evaluate((find) => find.scrollWidth - find.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      await page.close();
    });
  }
});
