import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { said } from '../../support/sessions/madeEntries.ts';
import { findViolations } from '../../support/page/axe.ts';
import { createFullScript, createLongScript, type Script, view } from '../../support/page/madeUp.ts';
import { waitForFrames, PageTests } from '../../support/page/open.ts';

describe('a link to an entry', () => {
  const tests = PageTests.use();

  const loadOf = ({ entries, turns }: Pick<Script, 'entries' | 'turns'>) => ({
    entries,
    view: view({ turns }, { entries: entries.length }),
  });
  const isInSight = (page: Page, key: string) =>
    page.waitForFunction((wanted) => {
      const item = document.querySelector(`.item.marked[data-key="${wanted}"]`)?.getBoundingClientRect();
      const scroller = document.querySelector('.scroll')?.getBoundingClientRect();
      return item !== undefined && scroller !== undefined && item.top >= scroller.top && item.top < scroller.bottom;
    }, key);

  for (const [name, index] of [
    ['of the first page', 380],
    ['far before it', 12],
  ] as const) {
    it(`leads to an entry ${name}, although a page opens at its end`, async () => {
      const page = await tests.open();
      await page.evaluate(
        ({ load, to }) => {
          window.host.load(load);
          window.host.raw({ type: 'reveal', index: to });
        },
        { load: loadOf(createLongScript(400)), to: index },
      );
      await isInSight(page, `e:${index}`);
      // It stays there when the page has come to rest.
      await waitForFrames(page, 20);
      await isInSight(page, `e:${index}`);
      await page.close();
    });
  }

  it('scrolls to an entry of a short session that grows past the screen', async () => {
    const entries = [said(0, 'Why?', 'user_message'), said(1, 'Because of this.'), said(2, 'And of that.')];
    const { turns } = createLongScript(1);
    const page = await tests.open(loadOf({ entries, turns }));
    await page.evaluate(() => window.host.raw({ type: 'reveal', index: 1 }));
    await isInSight(page, 'e:1');
    const grow = (from: number) =>
      page.evaluate(
        (newEntries) => window.host.update(newEntries.map((entry) => ({ op: 'put', entry }))),
        Array.from({ length: 40 }, (_, n) => said(from + n, `Answer ${from + n} `.repeat(80))),
      );
    await grow(3);
    await page.getByRole('tab', { name: 'Transcript 43' }).waitFor();
    await waitForFrames(page, 20);
    await isInSight(page, 'e:1');
    await page.getByRole('button', { name: 'Go to the end' }).click();
    await page.locator('.item', { hasText: 'Answer 42' }).waitFor();
    await grow(43);
    await page.locator('.item', { hasText: 'Answer 82' }).waitFor();
    await page.close();
  });

  it('respects hidden automatic messages, until it leads to one', async () => {
    const script = createFullScript();
    const from = script.entries.length;
    const entries = [
      ...script.entries,
      { ...said(from, 'Reported by a child.', 'user_message'), origin: 'callback' as const },
      { ...said(from + 1, 'Are you done?', 'user_message'), metadata: { synthetic: true } },
      said(from + 2, 'Yes.'),
    ];
    const page = await tests.open(loadOf({ entries, turns: script.turns }));
    await page.locator('.prompt', { hasText: 'Reported by a child.' }).getByText('Child result').waitFor();
    const toggle = page.locator('vscode-button[aria-label="Hide automatic messages"]');
    await toggle.click();
    await page.locator('vscode-button[aria-pressed=true]').and(toggle).waitFor();
    const hidden = page.getByRole('button', { name: '2 automatic messages hidden' });
    await hidden.waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.waitForFunction(() => (sessionStorage.getItem('made-up-state') ?? '').includes('"peopleOnly":true'));
    await page.reload();
    await page.evaluate((load) => window.host.load(load), loadOf({ entries, turns: script.turns }));
    await hidden.waitFor();
    await page.evaluate((index) => window.host.raw({ type: 'reveal', index }), from + 1);
    await isInSight(page, `e:${from + 1}`);
    await page.getByRole('button', { name: '1 automatic message hidden' }).last().waitFor();
    await page.close();
  });
});
