import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { LoadOptions } from '../../support/page/fakeHost.ts';
import { createFullScript, createLongScript, view } from '../../support/page/madeUp.ts';
import { waitForEnd, waitForFrames, PageTests, scrollTo, show } from '../../support/page/open.ts';

interface Place {
  readonly key: string;
  readonly top: number;
}

describe('a reopened page', () => {
  const tests = PageTests.use();

  const longLoad = (count: number): LoadOptions => {
    const { entries, turns } = createLongScript(count);
    return { entries, view: view({ turns }, { entries: count }) };
  };
  const again = async (page: Page, load: LoadOptions): Promise<void> => {
    await page.reload();
    await show(page, load);
  };
  /** The first entry whose beginning is on screen. */
  const place = (page: Page): Promise<Place> =>
    page.evaluate(() => {
      const edge = document.querySelector('.scroll')?.getBoundingClientRect().top ?? 0;
      const tops = [...document.querySelectorAll('.item[data-key^="e:"]')].map((item) => ({
        key: item.getAttribute('data-key') ?? '',
        top: item.getBoundingClientRect().top - edge,
      }));
      return tops.find(({ top }) => top > 40) ?? { key: '', top: 0 };
    });
  const stands = (page: Page, { key, top }: Place): Promise<unknown> =>
    page.waitForFunction(
      (wanted) => {
        const edge = document.querySelector('.scroll')?.getBoundingClientRect().top ?? 0;
        const now = document.querySelector(`[data-key="${wanted.key}"]`)?.getBoundingClientRect().top;
        return now !== undefined && Math.abs(now - edge - wanted.top) <= 2;
      },
      { key, top },
    );
  const settled = async (page: Page): Promise<void> => {
    await page.waitForFunction(() => document.querySelector('.loadl') === null);
    await waitForFrames(page, 10);
  };

  for (const [count, share] of [
    [70, 0.4],
    [70, 0],
    [400, 0.5],
    [400, 0],
  ] as const) {
    it(`returns to the reader's place, at ${100 * share} % of ${count} entries`, async () => {
      const load = longLoad(count);
      const page = await tests.open(load);
      await scrollTo(page, share);
      await settled(page);
      const before = await place(page);
      await again(page, load);
      await stands(page, before);
      await settled(page);
      await stands(page, before);
      await page.close();
    });
  }

  it('stays at the end if the reader was there', async () => {
    const load = longLoad(400);
    const page = await tests.open(load);
    await waitForEnd(page);
    await again(page, load);
    await waitForFrames(page, 10);
    await waitForEnd(page);
    await page.close();
  });

  it('keeps every letter of the draft, even if it closes at once', async () => {
    const { entries, turns } = createFullScript();
    const load = { entries, view: view({ turns }, { entries: entries.length }) };
    const page = await tests.open(load);
    await page.locator('#composer').click();
    await page.keyboard.insertText('half a thought');
    const saved = await page.evaluate(() => sessionStorage.getItem('made-up-state'));
    assert.ok(saved?.includes('half a thought') === true);
    const pasted = 'a long paste. '.repeat(5000);
    await page.keyboard.insertText(pasted);
    await again(page, load);
    const draft = await page.locator('#composer').evaluate((field) => (field as HTMLTextAreaElement).value);
    assert.equal(draft, `half a thought${pasted}`);
    await page.close();
  });
});
