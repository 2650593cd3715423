import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { loadWithRequests, commandRequest, commit, planRequest, questionRequest } from '../support/page/asking.ts';
import { citedSession } from '../support/page/citedSession.ts';
import type { LoadOptions } from '../support/page/fakeHost.ts';
import { createFullScript, view } from '../support/page/madeUp.ts';
import { waitForFrames, PageTests } from '../support/page/open.ts';
import { begin, pseudoLocale } from '../support/page/pseudo.ts';

/** Names, units and words of code that are the same in every language. */
const same =
  /^(?:Vitrine|F2|U\+[0-9A-F]{4,6}|(?:[\d.,]+(?:ms|s|m|h)\s?)+|[\d/]+, [\d:]+ [AP]M|\d+ (?:second|minute|hour|day|week|month|year)s? ago)$/;
/** Fields that are not shown as they are. */
const unseen = new Set(['kind', 'type', 'status', 'op', 'origin', 'subtype', 'toolName', 'outcome', 'provenance']);

/** Texts of a value, in lower case; names of fields are shown of what a tool was given. */
function shownIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.toLowerCase()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    typeof member === 'string' && unseen.has(key)
      ? []
      : [...(key.length > 4 ? [key.toLowerCase()] : []), ...shownIn(member)],
  );
}

describe('the page in another language', () => {
  const tests = PageTests.use();
  const l10n = pseudoLocale();

  const open = async (load: LoadOptions, options: Parameters<PageTests['open']>[1] = {}): Promise<Page> => {
    const page = await tests.open({ ...load, l10n }, { height: 2000, ...options });
    await waitForFrames(page, 5);
    return page;
  };

  /** Texts on screen, and those that are spoken or shown on hover, that were not translated and are not the session's. */
  const untranslated = async (page: Page, load: LoadOptions): Promise<string[]> => {
    const texts = await page.evaluate(() => {
      const root = document.querySelector('#app');
      const found = new Set<string>();
      if (root === null) return [];
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (parent === null || parent.closest('script, style') !== null) continue;
        if (parent.closest('[data-part=polite], [data-part=alert]') !== null) continue;
        found.add(node.textContent?.trim() ?? '');
      }
      for (const element of root.querySelectorAll('*')) {
        for (const name of ['aria-label', 'aria-description', 'title', 'placeholder']) {
          found.add(element.getAttribute(name)?.trim() ?? '');
        }
      }
      return [...found];
    });
    const values = shownIn({
      entries: load.entries,
      summary: load.view.summary,
      asked: load.view.conversation,
      files: load.files,
    });
    const content = values.join('\n').toLowerCase();
    const ofSession = (text: string): boolean => {
      const words = text
        .replace(/\[?U\+[0-9A-F]+\]?/g, ' ')
        .toLowerCase()
        .split(/[^\p{L}\p{N}_]+/u);
      // A word alone is looked for as a value of its own, several anywhere.
      return words.length === 1
        ? values.some((value) => value.split(/[^\p{L}\p{N}_]+/u).includes(words[0] ?? ''))
        : words.every((word) => content.includes(word));
    };
    // Units are the same in every language.
    const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(/(?<=\d )(?:ms|s|min|h|d)\b/g, ''));
    return texts.filter((text) => hasWords(text) && !text.includes(begin) && !same.test(text) && !ofSession(text));
  };

  const session = (): LoadOptions => {
    const { entries, turns } = createFullScript();
    return { entries, view: view({ turns }, { entries: entries.length }) };
  };

  it('has no English text, with every row open', async () => {
    const load = session();
    const page = await open(load, { height: 5000 });
    await page.evaluate(() => {
      for (const row of document.querySelectorAll<HTMLElement>('.rb[aria-expanded=false]')) row.click();
    });
    await waitForFrames(page, 10);
    assert.deepEqual(await untranslated(page, load), []);
    await page.close();
  });

  it('has no English text in the other views, the menu, the find bar and a card', async () => {
    const load = citedSession();
    const page = await open(load);
    const found: Record<string, string[]> = {};
    for (const at of [1, 2, 3, 0]) {
      await page.getByRole('tab').nth(at).click();
      await waitForFrames(page, 15);
      found[`view ${at}`] = await untranslated(page, load);
    }
    await page.locator('.cref').first().click();
    await page.getByRole('dialog').locator('.c-h').waitFor();
    found['card'] = await untranslated(page, load);
    await page.keyboard.press('Escape');
    await page.locator('#more').click();
    await page.locator('[role=menuitem]').first().waitFor();
    found['menu'] = await untranslated(page, load);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('retry');
    await waitForFrames(page, 10);
    found['find'] = await untranslated(page, load);
    assert.deepEqual(
      Object.entries(found).filter(([, texts]) => texts.length > 0),
      [],
    );
    await page.close();
  });

  it('has no English text in requests', async () => {
    const load = loadWithRequests(
      [commandRequest(commit), questionRequest({ callId: 'c2' }), planRequest({ callId: 'c3' })],
      {
        conversation: { queued: [{ id: 1, text: 'And run the linter too.' }] },
      },
    );
    const page = await open(load);
    assert.deepEqual(await untranslated(page, load), []);
    await page.close();
  });

  for (const width of [852, 600, 360]) {
    it(`truncates only the title in the header: ${width} px`, async () => {
      const page = await open(session(), { width, height: 900 });
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('[data-part=header] *')]
          .filter((element) => element.checkVisibility() && element.closest('.title, h1, .agent, .sr') === null)
          // Tabs scroll where they do not fit.
          .filter((element) => getComputedStyle(element.closest('[role=tablist]') ?? element).overflowX !== 'auto')
          .filter((element) => {
            const box = element.getBoundingClientRect();
            const hidden =
              getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
            return box.width > 1 && (hidden || box.right > document.documentElement.clientWidth + 1);
          })
          .map((element) => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`),
      );

      assert.deepEqual(cut, []);
      await page.close();
    });
  }
});
