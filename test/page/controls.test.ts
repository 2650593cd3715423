import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../support/page/axe.ts';
import { createFullScript, createLongScript, view } from '../support/page/madeUp.ts';
import { Gate } from '../support/gate.ts';
import { waitForFrames, PageTests, scrollTo, showRows } from '../support/page/open.ts';

describe('page', () => {
  const tests = PageTests.use();

  const session = (overrides: Parameters<typeof view>[0] = {}, about: Parameters<typeof view>[1] = {}) => {
    const { entries, turns } = createFullScript();
    return { entries, view: view({ turns, ...overrides }, { entries: entries.length, ...about }) };
  };
  const step = (page: Page, number: string) => page.getByRole('button', { name: `Step ${number},` });
  const sent = (page: Page, type: string): Promise<unknown> =>
    page.evaluate((wanted) => window.host.received.filter((message) => message.type === wanted), type);

  it('says that it is reading until the session has arrived', async () => {
    const page = await tests.open();
    await page.getByRole('progressbar', { name: 'Reading session…' }).waitFor();
    assert.equal(await page.locator('main').getAttribute('aria-busy'), 'true');
    await page.close();
  });

  it('shows both costs with exact figures and provenance', async () => {
    const page = await tests.open(session());
    const run = page.locator('[data-of=run]');
    assert.equal(await run.textContent(), '$0.31');
    assert.equal(await run.getAttribute('data-usd'), '0.3104275');
    const about = (await page.locator('.cost').getAttribute('aria-description')) ?? '';
    assert.match(about, /Session: \$1\.87, reported by the agent/);
    assert.match(about, /12 turns\. Duration 1 min 36 s\. API duration 1 min 11 s/);
    const price = { name: 'prices', date: '2026-01-01' };
    await page.evaluate(
      (next) => window.host.setView(next),
      view(
        {},
        {
          cost: { provenance: 'estimated', usd: 0.0004, priceTable: price },
          total_cost: { provenance: 'unknown', reason: 'no price for this model' },
        },
      ),
    );
    await page.getByText('≈ $0.0004').waitFor();
    assert.equal(await page.locator('[data-of=session]').textContent(), 'not reported');
    assert.match(
      (await page.locator('.cost').getAttribute('aria-description')) ?? '',
      /price table prices from 2026-01-01.*no price for this model/,
    );
    assert.doesNotMatch((await page.locator('.cost').textContent()) ?? '', /\$0\.00\b/);
    await page.close();
  });

  it('offers Stop during a run, and marks a recording and a bypassed permission mode', async () => {
    const page = await tests.open(
      session(
        { can: { send: false, stop: true, resume: false }, why: 'The agent is running.' },
        { status: 'running', recording: true, permission_mode: 'bypassPermissions' },
      ),
    );
    await page.getByText('Running', { exact: true }).waitFor();
    await page.locator('.badge', { hasText: 'Recording' }).waitFor();
    await page.getByText('Bypasses permissions').waitFor();
    await page.getByText('The agent is running.').waitFor();
    await page.locator('#primary').click();
    assert.deepEqual(await sent(page, 'stop'), [{ type: 'stop' }]);
    await page.close();
  });

  it('offers an alternative if sending is off', async () => {
    const page = await tests.open(
      session(
        {
          can: { send: false, stop: false, resume: false },
          why: 'You cannot send messages in Restricted Mode.',
          fix: 'manageTrust',
        },
        { outcome: 'interrupted' },
      ),
    );
    await page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    assert.deepEqual(await sent(page, 'command'), [{ type: 'command', command: 'manageTrust' }]);
    await page.close();
  });

  it('sends with Ctrl+Enter, before and after the toolkit loads', async () => {
    const page = await tests.open();
    const typed = new Gate();
    await page.route(/\/toolkit\.js$/, async (route) => {
      await typed.opened;
      await route.continue();
    });
    await showRows(page, session());
    const named = page.getByRole('textbox', { name: 'Message to the agent' });
    await named.click();
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await page.keyboard.type('line');
    await page.keyboard.press('Control+Enter');
    typed.open();
    await page.waitForFunction(() => customElements.get('vscode-text-area') !== undefined);
    await page.locator('body').click({ position: { x: 5, y: 60 } });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    // It stayed what it was while it was typed in, and is the toolkit's in what is drawn next.
    await page.evaluate(() => window.host.setView({ ...window.host.view(), why: 'Anything.' }));
    await page.locator('vscode-text-area#composer').waitFor();
    await named.waitFor();
    await page.locator('#primary').click();
    await page.keyboard.type('second');
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await sent(page, 'send'), [
      { type: 'send', text: 'first\nline' },
      { type: 'send', text: 'second' },
    ]);
    await page.close();
  });

  it('has one menu, usable by keyboard', async () => {
    const page = await tests.open(session());
    await page.locator('#more').click();
    await page.locator('[role=menuitem]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    assert.equal(
      await page
        .locator('[role=menuitem]:focus')
        .textContent()
        .then((text) => text?.trim()),
      'Change Model, Mode and Limits…',
    );
    await page.keyboard.press('Escape');
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
    await page.keyboard.press('F2');
    assert.deepEqual(await sent(page, 'command'), [{ type: 'command', command: 'rename' }]);
    await page.close();
  });

  it('moves between rows with the documented keys', async () => {
    const page = await tests.open(session());
    await scrollTo(page, 0);
    /** A row that is not on screen is drawn before it has the focus. */
    const focusOn = (beginning: string) =>
      page.waitForFunction((expected) => document.activeElement?.textContent.includes(expected), beginning);
    assert.equal(await page.locator('.rb[tabindex="0"]').count(), 1);
    await step(page, '4').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.cmd').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.cmd').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await focusOn('Step 5, Explore');
    await page.keyboard.press('e');
    await focusOn('Step 5.4');
    await page.keyboard.press(']');
    await focusOn('Turn 2');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('e');
    await focusOn('Step 11, Ran, npm test');
    await page.keyboard.press('Home');
    await focusOn('Turn 1');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await focusOn('All callers');
    await page.close();
  });

  it('finds in the whole session, loads missing entries, and returns', async () => {
    const { entries, turns } = createLongScript(1000);
    const page = await tests.open({ entries, view: view({ turns }) });
    await page.keyboard.press('Control+f');
    await page.keyboard.type('file13.ts');
    await page.getByText(/^1 entry$|^\d+ entries$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1').waitFor();
    const hit = page.locator('.item.marked');
    await hit.waitFor();
    assert.equal(await hit.getAttribute('aria-posinset'), '14');
    await waitForFrames(page, 4);
    const box = await hit.boundingBox();
    assert.ok(box !== null && box.y > 100 && box.y < 800, JSON.stringify(box));
    await page.keyboard.press('Escape');
    await page.locator('.find').waitFor({ state: 'detached' });
    await page.close();
  });

  it('survives unknown messages, invalid entries, and a lost message', async () => {
    const page = await tests.open(session());
    const count = createFullScript().entries.length;
    await page.evaluate((index) => {
      window.host.raw({ type: 'from-the-future', anything: 1 });
      window.host.raw({
        type: 'updates',
        total: index + 2,
        updates: [
          { op: 'put', entry: { index, type: 7 } },
          { op: 'put', entry: null },
        ],
      });
    }, count);
    await page.locator('.rb', { hasText: 'not recognized' }).nth(1).waitFor();
    assert.deepEqual(await sent(page, 'resync'), []);
    await page.evaluate(() => window.host.dropMessage());
    await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve));
      window.host.setView({ ...window.host.view(), why: 'Something else.' });
    });
    await page.waitForFunction(() => window.host.received.some(({ type }) => type === 'resync'));
    await page.close();
  });

  it('keeps scroll position, open rows and draft over a reload, and nothing else', async () => {
    const page = await tests.open(session());
    await scrollTo(page, 0);
    await step(page, '4').click();
    await page.locator('#composer').click();
    await page.keyboard.type('half a thought');
    await page.waitForFunction(() => sessionStorage.getItem('made-up-state')?.includes('half a thought') === true);
    const state = await page.evaluate(() => JSON.parse(sessionStorage.getItem('made-up-state') ?? '{}') as object);
    const saved = ['anchor', 'closed', 'draft', 'expanded', 'sessionId', 'tab', 'views'];
    assert.deepEqual(Object.keys(state).sort(), saved);
    await page.close();
  });

  it('passes axe in four themes', async () => {
    const page = await tests.open(session());
    await scrollTo(page, 0);
    for (const number of ['4', '5.1']) await step(page, number).click();
    assert.deepEqual(await findViolationsInThemes(page), []);
    await page.close();
  });

  it('fits 360 px and double text size, without horizontal scrolling', async () => {
    const page = await tests.open(session(), { width: 360, height: 700 });
    for (const share of [0, 0.5, 1]) {
      await scrollTo(page, share);
      const overflow = await page.evaluate(() => {
        const scroller = document.querySelector('.scroll');
        return Math.max(
          document.documentElement.scrollWidth - window.innerWidth,
          (scroller?.scrollWidth ?? 0) - (scroller?.clientWidth ?? 0),
        );
      });
      assert.ok(overflow <= 0, `${overflow} px too wide at ${share}`);
    }
    const cut = await page
      .locator('[role=tablist]')
      .first()
      .evaluate((tabs) => tabs.scrollWidth - tabs.clientWidth);
    assert.ok(cut <= 0, `${cut} px of the tabs are cut off`);
    for (const seen of ['.title', '.status .word', '[data-of=run]', '[data-of=session]', '#primary']) {
      assert.ok(await page.locator(seen).isVisible(), seen);
    }
    await page.close();
  });
});
