import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { loadWithRequests, commandRequest, commit } from '../support/page/asking.ts';
import { findViolations, findViolationsInThemes } from '../support/page/axe.ts';
import { citedSession } from '../support/page/citedSession.ts';
import type { LoadOptions } from '../support/page/fakeHost.ts';
import { createFullScript, createLongScript, view } from '../support/page/madeUp.ts';
import { waitForFrames, PageTests, scrollTo } from '../support/page/open.ts';

describe('accessibility of the page', () => {
  const tests = PageTests.use();

  const session = (overrides: Parameters<typeof view>[0] = {}): LoadOptions => {
    const { entries, turns } = createFullScript();
    return { entries, view: view({ turns, ...overrides }, { entries: entries.length }) };
  };
  const card = (page: Page) => page.getByRole('dialog', { name: /^Source/ });
  const tab = (page: Page, name: string) => page.getByRole('tab', { name });

  /** What stands on screen beside the rows, and how it gets there. */
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'a card over the answer': async (page) => {
      await page.locator('.cref').first().focus();
      await page.keyboard.press('Enter');
      await card(page).getByText('Found in step 1.').waitFor();
    },
    'a card of what was not found': async (page) => {
      await page.locator('.cref.nf').focus();
      await card(page).getByText('Not found.').waitFor();
    },
    'the list of sources': async (page) => {
      await tab(page, 'Sources').click();
      await page.locator('.srct .obj').first().waitFor();
    },
    'a card over the list of sources': async (page) => {
      await tab(page, 'Sources').click();
      await page.locator('.srct .obj').first().click();
      await card(page).getByText('Found in step 1.').waitFor();
    },
    'the trajectory, with a step chosen': async (page) => {
      await tab(page, 'Trajectory').click();
      await page.locator('.trow:not(.lane)').first().click();
      await waitForFrames(page, 5);
    },
    'the list of files': async (page) => {
      await tab(page, 'Files').click();
      await page.locator('.frow').first().waitFor();
    },
    'the menu': async (page) => {
      await page.locator('#more').click();
      await page.locator('[role=menuitem]:focus').waitFor();
    },
    'the find bar': async (page) => {
      await page.keyboard.press('Control+f');
      await page.keyboard.type('retry');
      await waitForFrames(page, 5);
    },
  };

  for (const [name, reach] of Object.entries(states)) {
    it(`passes axe in four themes: ${name}`, async () => {
      const page = await tests.open(citedSession({ 'docs/retry.md': 'x' }));
      await page.locator('.cref').first().waitFor();
      await reach(page);
      assert.deepEqual(await findViolationsInThemes(page), []);
      await page.close();
    });
  }

  it('passes axe while the session loads', async () => {
    const page = await tests.open();
    await page.getByRole('heading', { name: 'Reading session…' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.close();
  });

  const unknown = { provenance: 'unknown', reason: 'The agent prints no costs.' } as const;
  const off = { send: false, stop: false, resume: false };
  const say = (severity: 'info' | 'warning' | 'error', text: string) => ({ notice: { severity, text } });
  const budgetStatus = { scope: 'day', unit: 'usd', key: '2026-01-02', limit: 2, spent: 1.7 } as const;
  const { turns } = createFullScript();
  const around: Readonly<Record<string, ReturnType<typeof view>>> = {
    interrupted: view(
      { turns, ...say('warning', 'The run was cut off.') },
      { status: 'stopped', outcome: 'interrupted' },
    ),
    failed: view({ turns }, { outcome: 'failed', reason: 'API rate limit' }),
    'read-only': view({ turns, ...say('info', 'The session is read-only.'), can: off, why: 'Not here.' }),
    damaged: view({ turns, ...say('error', 'The record is damaged: 3 lines could not be read.') }),
    untrusted: view({ turns, can: off, why: 'The folder is not trusted.', fix: 'manageTrust' }),
    running: view({ turns, can: { ...off, stop: true } }, { status: 'running', outcome: 'none' }),
    'budget nearly used up': view({ turns }, { status: 'running', outcome: 'none', budget: { near: budgetStatus } }),
    'nothing known': view({ turns }, { model: null, cost: unknown, total_cost: unknown }),
  };
  const loads: Readonly<Record<string, LoadOptions>> = {
    ...Object.fromEntries(
      Object.entries(around).map(([name, shown]) => [
        name,
        { entries: createFullScript().entries.slice(0, 6), view: shown },
      ]),
    ),
    empty: { entries: [], view: view({}, { runs: 0, model: null }) },
    'a request': loadWithRequests([commandRequest(commit)]),
  };
  for (const [name, load] of Object.entries(loads)) {
    it(`passes axe in four themes: a session, ${name}`, async () => {
      const page = await tests.open(load);
      assert.deepEqual(await findViolationsInThemes(page), []);
      await page.close();
    });
  }

  it('leads by keyboard from a number to the card, the source and back, and announces it', async () => {
    const page = await tests.open(citedSession());
    const number = page.locator('.cref').first();
    await number.waitFor();
    await number.focus();
    assert.match(await number.ariaSnapshot(), /^- (doc-noteref|link) "Source 1, found in this session"/m);
    await card(page).getByText('Found in step 1.').waitFor();
    assert.match(
      await card(page).ariaSnapshot(),
      /dialog "Source 1"[\s\S]*retry\.ts[\s\S]*Found in step 1\. The agent did not cite a source\.[\s\S]*button "Open file"/,
    );
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null);
    await card(page)
      .getByRole('button', { name: /^Go to step 1/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('[data-key="e:1"]') !== null);
    const step = await page.locator('[data-key="e:1"] .rb').ariaSnapshot();
    assert.match(step, /button "Step 1, Read, retry\.ts, in src\/upload/);
    await page.keyboard.press('s');
    await page.waitForFunction(() => document.activeElement?.matches('.cref') === true);
    await page.close();
  });

  it('moves the focus by mouse, too', async () => {
    const page = await tests.open(citedSession());
    await page.locator('.cited', { hasText: 'src/upload/retry.ts' }).hover();
    await card(page).getByText('Found in step 1.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true, 'a card takes no focus');
    await card(page)
      .getByRole('button', { name: /^Go to step 1/ })
      .click();
    await page.locator('.item.marked[data-key="e:1"]').waitFor();
    await page.close();
  });

  it('counts entries of the whole session, even if few are in the page', async () => {
    const { entries, turns } = createLongScript(3000);
    const page = await tests.open({ entries, view: view({ turns }, { entries: 3000 }) });
    for (const share of [1, 0.5, 0]) {
      await scrollTo(page, share);
      await page.waitForFunction(() => document.querySelector('.loadl') === null);
      const places = await page
        .locator('[role=listitem][aria-posinset]')
        .evaluateAll((all) =>
          all.map((element) => [
            Number(element.getAttribute('aria-posinset')),
            Number(element.getAttribute('aria-setsize')),
          ]),
        );
      assert.ok(places.length > 5);
      assert.ok(
        places.every(([at = 0, of]) => at >= 1 && at <= 3000 && of === 3000),
        JSON.stringify(places),
      );
      const order = places.map(([at = 0]) => at);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
    }
    await page.close();
  });

  it('keeps the focus while a reply streams and entries come and go', async () => {
    const { entries, turns } = createLongScript(300);
    const page = await tests.open({ entries, view: view({ turns, can: { send: false, stop: true, resume: false } }) });
    await waitForFrames(page, 5);
    await page.evaluate(() => {
      const lost: string[] = [];
      Object.assign(window, { lost });
      const look = (): void => {
        if (document.activeElement === document.body) lost.push('lost');
        requestAnimationFrame(look);
      };
      document.querySelector<HTMLElement>('.rb[tabindex="0"]')?.focus();
      // After this frame's own drawing.
      requestAnimationFrame(look);
    });
    await page.evaluate(() => window.host.streamLong(300, 40_000));
    await scrollTo(page, 0.2);
    await scrollTo(page, 1);
    await waitForFrames(page, 5);
    assert.deepEqual(await page.evaluate(() => Reflect.get(window, 'lost') as unknown), []);
    await page.close();
  });

  it('is still with reduced motion, and shows activity in words', async () => {
    const { entries, turns } = createFullScript();
    const page = await tests.open({ entries, view: view({ turns }, { status: 'running' }) });
    const moving = async (reducedMotion: 'reduce' | 'no-preference'): Promise<number> => {
      await page.emulateMedia({ reducedMotion });
      await waitForFrames(page);
      return page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    };
    assert.ok((await moving('no-preference')) > 0);
    assert.equal(await moving('reduce'), 0);
    await page.getByText('Running', { exact: true }).waitFor();
    await page.close();
  });

  /** Texts that are cut without an ellipsis, and what stands outside of the page. */
  const outside = (page: Page): Promise<string[]> =>
    page.evaluate(() => {
      const wide = document.documentElement.clientWidth;
      return [
        ...document.querySelectorAll<HTMLElement>('main button, main input, main a, main h1, main h2, main .word'),
      ]
        .filter((element) => element.checkVisibility() && element.closest('[aria-hidden=true], .sr, .strip') === null)
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return width > 1 && (left < -1 || right > wide + 1);
        })
        .map((element) => `${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 40)}`);
    });

  for (const [name, width, zoom] of [
    ['360 px', 360, 1],
    ['200 % of a window', 1280, 2],
    ['200 % of a narrow window', 720, 2],
  ] as const) {
    it(`keeps every control visible at ${name}`, async () => {
      const page = await tests.open(citedSession(), { width: width / zoom, height: 800 / zoom });
      for (const tabName of ['Transcript', 'Trajectory', 'Files', 'Sources']) {
        await tab(page, tabName).click();
        await waitForFrames(page, 5);
        assert.deepEqual(await outside(page), [], tabName);
        const cut = await page
          .locator('.sumbar .x')
          .evaluateAll((all) =>
            all.filter((element) => element.scrollWidth > element.clientWidth).map((element) => element.textContent),
          );
        assert.deepEqual(cut, [], tabName);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(overflow <= 0, `${overflow} px too wide: ${tabName}`);
      }
      await tab(page, 'Transcript').click();
      // Scrolling closes a card, so that comes first.
      await page.locator('.cref').first().scrollIntoViewIfNeeded();
      await waitForFrames(page, 5);
      await page.locator('.cref').first().click();
      await card(page).waitFor();
      const box = await card(page).boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width / zoom + 1, JSON.stringify(box));
      await page.close();
    });
  }

  it('keeps the buttons of a request visible in a small window', async () => {
    const page = await tests.open(loadWithRequests([commandRequest(commit)]), { width: 360, height: 500 });
    await page.locator('.ask').first().waitFor();
    assert.deepEqual(await outside(page), []);
    await page.close();
  });

  it('passes axe with every kind of entry, all open', async () => {
    const page = await tests.open(session(), { height: 5000 });
    await page.evaluate(() => {
      for (const row of document.querySelectorAll<HTMLElement>('.rb[aria-expanded=false]')) row.click();
    });
    await waitForFrames(page, 10);
    assert.deepEqual(await findViolations(page), []);
    await page.close();
  }).timeout(60_000);
});
