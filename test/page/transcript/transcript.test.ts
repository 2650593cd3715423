import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Envelope, ToPage } from '../../../src/protocol/panel/messages.ts';
import { createFullScript, createLongScript, Script, view } from '../../support/page/madeUp.ts';
import { waitForEnd, countElements, waitForFrames, PageTests, scrollTo, show } from '../../support/page/open.ts';

const maxElements = 2000;

describe('transcript', () => {
  const tests = PageTests.use();

  const openAll = (): Promise<Page> => {
    const { entries, turns } = createFullScript();
    return tests.open({ entries, view: view({ turns }, { entries: entries.length }) });
  };
  const openLong = (count: number): Promise<Page> => {
    const { entries, turns } = createLongScript(count);
    return tests.open({ entries, view: view({ turns }, { entries: count }) });
  };

  it('names the team member who wrote in a session that is shared', async () => {
    const { entries, turns } = createFullScript();
    const shared = { member: 'bob', hostname: 'far', share: 'records' } as const;
    for (const [asked, name] of [
      [{}, 'bob'],
      [{ requested: true }, 'You'],
    ] as const) {
      const page = await tests.open({ entries, view: view({ turns }, { shared: { ...shared, ...asked } }) });
      await scrollTo(page, 0);
      await page.locator('.turn-h .why', { hasText: name }).first().waitFor();
      assert.equal(await page.locator('.turn-h .why', { hasText: name === 'bob' ? 'You' : 'bob' }).count(), 0);
      await page.close();
    }
  });

  it('shows every kind of entry, with its number, verb, object and state in one sentence', async () => {
    const page = await openAll();
    await scrollTo(page, 0);
    const screenReaderText = page.locator('.rb > .sr');
    await screenReaderText.filter({ hasText: 'Step 5.4' }).first().waitFor({ state: 'attached' });
    const labels = await screenReaderText.allTextContents();
    assert.ok(labels.includes('Step 1, Read, upload.spec.ts, in test, 142 lines, 1 s, done'), labels.join('\n'));
    assert.ok(labels.some((label) => label.startsWith('Step 5.4, Ran, gh run rerun 8841207733 --failed')));
    assert.ok(labels.includes('3 steps in parallel'));
    assert.ok(labels.includes('2 system lines'));
    await scrollTo(page, 1);
    await page.locator('.item', { hasText: 'Run interrupted' }).first().waitFor();
    assert.equal(await page.locator('.item', { hasText: '1 line not recognized' }).count(), 1);
    assert.equal(await page.locator('.item', { hasText: 'Damaged line' }).count(), 1);
    assert.equal(await page.locator('.item', { hasText: 'Run interrupted' }).count(), 1);
    await page.close();
  });

  it('opens at the end, and opens details where they belong', async () => {
    const page = await openAll();
    await page.locator('vscode-text-area').waitFor();
    await waitForFrames(page, 5);
    await waitForEnd(page);
    const row = page.locator('.rb', { hasText: 'npm test' });
    await row.click();
    await page.locator('.term', { hasText: 'FAIL' }).waitFor();
    assert.equal(await row.getAttribute('aria-expanded'), 'true');
    await row.click();
    await page.locator('.term').waitFor({ state: 'detached' });
    await page.close();
  });

  it('marks an interrupted message below its text', async () => {
    const script = new Script();
    script.turn('Say it.');
    script.add({ type: { kind: 'assistant_message' }, content: 'Half of', metadata: { aborted: true } });
    script.addMessage('The whole.');
    const page = await tests.open({
      entries: script.entries,
      view: view({ turns: script.turns }, { entries: script.entries.length }),
    });
    const cut = page.locator('.cut-off');
    await cut.waitFor();
    assert.equal((await cut.innerText()).trim(), 'Interrupted here');
    assert.match(await page.locator('.prose', { has: cut }).innerText(), /^.*Half of\s+Interrupted here$/s);
    await page.close();
  });

  it('shows invisible characters, and follows no link automatically', async () => {
    const page = await openAll();
    await page.locator('.esc', { hasText: 'U+202E' }).waitFor();
    await scrollTo(page, 0.5);
    assert.equal(await page.locator('a[href]:not([href="#source"])').count(), 0);
    assert.equal(await page.locator('main img').count(), 0);
    await page.locator('[data-url]').first().click();
    await page.locator('[data-file]').first().click();
    const sent = await page.evaluate(() => window.host.received.filter(({ type }) => type.startsWith('open')));
    assert.deepEqual(sent, [
      { type: 'openLink', url: 'https://vitest.dev/api/vi.html' },
      { type: 'openFile', path: 'src/upload/retry.ts', line: 31 },
    ]);
    await page.close();
  });

  it('keeps 10,000 entries in at most 2,000 elements, at any scroll position', async () => {
    const page = await openLong(10_000);
    const counts: number[] = [];
    for (const share of [1, 0.99, 0.75, 0.5, 0.31, 0.1, 0.01, 0]) {
      await scrollTo(page, share);
      await page.waitForFunction(() => document.querySelector('.loadl') === null);
      await page.waitForFunction(() => document.querySelectorAll('.item').length > 10);
      counts.push(await countElements(page));
    }
    assert.ok(Math.max(...counts) <= maxElements, counts.join(' '));
    const first = page.locator('[role=listitem][aria-posinset="1"]');
    assert.equal(await first.getAttribute('aria-setsize'), '10000');
    await page.close();
  });

  it('loads earlier pages without moving the visible part', async () => {
    const page = await openLong(1000);
    await waitForFrames(page, 5);
    await page.evaluate(() => (window.host.holdPages = true));
    // Up to where entries are missing, and then they come.
    await page.evaluate(() => {
      const scroller = document.querySelector('.scroll');
      const gap = [...document.querySelectorAll('.item')].find((item) => item.querySelector('.rb, .prose') !== null);
      if (scroller !== null && gap !== undefined) scroller.scrollTop -= 2000;
    });
    await waitForFrames(page, 3);
    const place = () =>
      page.evaluate(() => {
        const item = [...document.querySelectorAll('.item[data-key^="e:"]')].find(
          (element) => element.getBoundingClientRect().top > 150,
        );
        return { key: item?.getAttribute('data-key') ?? '', top: item?.getBoundingClientRect().top ?? 0 };
      });
    const before = await place();
    await page.evaluate(() => window.host.releasePages());
    await page.waitForFunction(() => document.querySelector('.loadl') === null);
    await waitForFrames(page, 5);
    const top = await page.evaluate(
      (key) => document.querySelector(`[data-key="${key}"]`)?.getBoundingClientRect().top,
      before.key,
    );
    assert.ok(Math.abs((top ?? NaN) - before.top) <= 1, `${before.key} moved from ${before.top} to ${top}`);
    await page.close();
  });

  it('receives and draws no more of a long session than of a short one', async () => {
    const first = async (count: number) => {
      const { entries, turns } = createLongScript(count);
      const page = await tests.open();
      await page.evaluate(() => {
        const sent: number[] = [];
        Object.assign(window, { sent });
        window.addEventListener('message', ({ data }) => {
          const { message } = data as Envelope<ToPage>;
          if (message.type === 'init' || message.type === 'page') sent.push(message.page.entries.length);
        });
      });
      await show(page, { entries, view: view({ turns }, { entries: count }) });
      await page.locator(`[role=listitem][aria-posinset="${count}"]`).waitFor();
      const sent = await page.evaluate(() => Reflect.get(window, 'sent') as number[]);
      const drawn = await page.locator('.item').count();
      await page.close();
      return { sent, drawn };
    };
    const short = await first(100);
    assert.deepEqual(short.sent, [100]);
    assert.deepEqual(await first(10_000), short);
  });
});
