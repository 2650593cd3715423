import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Script, view } from '../../support/page/madeUp.ts';
import { waitForFrames, PageTests } from '../../support/page/open.ts';
import { until } from '../../support/until.ts';

/** Several pages of entries, each many lines tall when it is open. */
function tall(): Script {
  const script = new Script();
  script.turn('Look at everything.');
  for (let n = 1; n < 420; n++) {
    if (n % 7 === 0) script.addMessage(`Message ${n}. ${'It goes on for some lines. '.repeat(20)}`);
    const stdout = Array.from({ length: 4 + ((n * 7) % 20) }, (_, line) => `${n}: line ${line}`).join('\n');
    script.tool('Bash', { kind: 'command_run', command: `command ${n}`, exitCode: 0, stdout });
  }
  return script;
}

describe('a session of tall rows', () => {
  const tests = PageTests.use();

  const open = async (height = 880): Promise<Page> => {
    const { entries, turns } = tall();
    const page = await tests.open({ entries, view: view({ turns }, { entries: entries.length }) }, { height });
    await waitForFrames(page, 5);
    return page;
  };
  /** Opens what is closed of the rows that are drawn; their keys. */
  const openDrawn = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      const closed = [...document.querySelectorAll<HTMLElement>('.scroll .rb[aria-expanded=false]')];
      for (const row of closed) row.click();
      for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return closed.flatMap((row) => row.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? []);
    });
  /** Scrolls up by most of a screen; false at the beginning. */
  const up = (page: Page): Promise<boolean> =>
    page.evaluate(async () => {
      const scroller = document.querySelector('.scroll');
      if (scroller === null || scroller.scrollTop === 0) return false;
      scroller.scrollTop = Math.max(0, scroller.scrollTop - scroller.clientHeight * 0.9);
      const box = scroller.getBoundingClientRect();
      const isUnread = (): boolean =>
        [...document.querySelectorAll('.scroll .unread')].some((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return bottom > box.top && top < box.bottom;
        });
      for (let n = 0; n < 2 || (n < 600 && isUnread()); n++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return true;
    });

  for (const height of [1200, 4000]) {
    it(`can be read from the end to the beginning, opening each row, ${height} px`, async () => {
      const page = await open(height);
      const opened = new Set<string>();
      let screens = 0;
      do {
        for (const key of await openDrawn(page)) opened.add(key);
        screens += 1;
      } while (await up(page));
      for (const key of await openDrawn(page)) opened.add(key);
      assert.ok(opened.size >= 419, `${opened.size} rows in ${screens} screens`);
      await page.close();
    }).timeout(120_000);
  }

  /** The first whole row of an entry on screen, and how far from the top it is. */
  const firstRow = (page: Page): Promise<{ key: string; at: number } | undefined> =>
    page.evaluate(() => {
      const box = document.querySelector('.scroll')?.getBoundingClientRect();
      for (const row of document.querySelectorAll<HTMLElement>('.scroll [data-key^="e:"]')) {
        const { top } = row.getBoundingClientRect();
        if (box !== undefined && top >= box.top + 30 && top < box.bottom) {
          return { key: row.dataset['key'] ?? '', at: Math.round(top - box.top) };
        }
      }
      return undefined;
    });

  it('does not move while earlier content arrives late', async () => {
    const page = await open();
    await page.locator('.scroll').hover();
    await page.evaluate(() => (window.host.holdPages = true));
    const last = page.locator('.unread').last();
    // Until what is not there yet comes into sight.
    while (((await last.count()) === 0 ? -1 : ((await last.boundingBox())?.y ?? -1) + 2800) < 250) {
      await page.mouse.wheel(0, -120);
      await waitForFrames(page, 2);
    }
    const before = await firstRow(page);
    assert.ok(before !== undefined);
    await page.evaluate(() => window.host.releasePages());
    await page.waitForFunction(() => window.host.received.filter(({ type }) => type === 'getPage').length > 1);
    await waitForFrames(page, 20);
    assert.ok((Number((await firstRow(page))?.key.slice(2)) || 0) < Number(before.key.slice(2)));
    const place = await page.evaluate((key) => {
      const top = document.querySelector('.scroll')?.getBoundingClientRect().top ?? NaN;
      return (document.querySelector(`[data-key="${key}"]`)?.getBoundingClientRect().top ?? NaN) - top;
    }, before.key);
    assert.ok(Math.abs(place - before.at) <= 2, `${before.key}: ${before.at} → ${place}`);
    await page.close();
  });

  it('stays near the scroll position if content arrives later', async () => {
    const page = await open();
    await page.locator('.scroll').hover();
    await page.evaluate(() => (window.host.holdPages = true));
    await page.mouse.wheel(0, -4000);
    await until('the rows to be out of sight', async () => (await firstRow(page)) === undefined);
    await page.evaluate(() => window.host.releasePages());
    await page.waitForFunction(() => document.querySelector('.scroll [data-key^="e:"]') !== null);
    await waitForFrames(page, 20);
    const index = Number((await firstRow(page))?.key.slice(2));
    assert.ok(index > 200 && index < 400, String(index));
    await page.close();
  });
});
