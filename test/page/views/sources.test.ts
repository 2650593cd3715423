import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { answer, citedSession } from '../../support/page/citedSession.ts';
import { waitForFrames, PageTests } from '../../support/page/open.ts';

describe('sources in the page', () => {
  const tests = PageTests.use();

  const card = (page: Page) => page.getByRole('dialog');
  const sent = (page: Page, type: string) =>
    page.evaluate((wanted) => window.host.received.filter((message) => message.type === wanted), type);

  it('are marked under their words, and alter no text', async () => {
    const page = await tests.open(citedSession());
    await page.locator('.cref').first().waitFor();
    const marks = await page.locator('.prose .cited').allTextContents();
    assert.deepEqual(marks, [
      'src/upload/retry.ts:3-5',
      'npx vitest run test/upload.spec.ts',
      'the manual',
      'docs/retry.md',
      'Delays are random',
      'by design',
    ]);
    const text = await page
      .locator('.prose')
      .first()
      .evaluate((prose) => {
        const copy = prose.cloneNode(true) as Element;
        for (const element of copy.querySelectorAll('.cref, .when')) element.remove();
        return copy.textContent.replace(/\s+/g, ' ').trim();
      });
    assert.equal(
      text,
      answer.replace(/`|\n- |\]\([^)]*\)|\[/g, (mark) => (mark === '\n- ' ? ' ' : '')).replace(/\s+/g, ' '),
    );
    const names = await page
      .locator('.cref')
      .evaluateAll((all) => all.map((element) => element.getAttribute('aria-label')));
    assert.deepEqual(names, [
      'Source 1, found in this session',
      'Source 2, found in this session',
      'Source 3, found in this session',
      'Source 4, no evidence found',
      'Source 5, cited by the agent',
      'Source 6, cited by the agent',
    ]);
    assert.equal(await page.locator('.cref').nth(3).textContent(), '4?');
    await page.close();
  });

  it('open on hover, with the file as it was then, and close afterwards', async () => {
    const page = await tests.open(citedSession());
    await page.locator('.cited', { hasText: 'src/upload/retry.ts' }).hover();
    await card(page).getByText('Found in step 1.').waitFor();
    assert.equal(await card(page).getAttribute('aria-label'), 'Source 1');
    assert.deepEqual(await card(page).locator('.ln.hit .l').allTextContents(), ['3', '4', '5']);
    assert.equal(await card(page).locator('.sp').textContent(), 'moved since');
    await card(page).getByRole('button', { name: 'Open file' }).click();
    assert.deepEqual(await sent(page, 'openFile'), [
      { type: 'openFile', path: 'src/upload/retry.ts', line: 3, endLine: 5 },
    ]);
    await page.locator('.title').hover();
    await card(page).waitFor({ state: 'detached' });
    await page.close();
  });

  it('work by keyboard alone', async () => {
    const page = await tests.open(citedSession());
    const second = page.locator('.cref').nth(1);
    await page.locator('.cref').first().focus();
    await page.keyboard.press('Tab');
    await card(page).getByText('Command, exit 1').waitFor();
    assert.equal(await second.evaluate((element) => element === document.activeElement), true);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('.card') !== null);
    await page.keyboard.press('Escape');
    await card(page).waitFor({ state: 'detached' });
    assert.equal(await second.evaluate((element) => element === document.activeElement), true);
    await page.keyboard.press('s');
    await page.waitForFunction(() => document.activeElement?.matches('[data-key="e:2"] .rb') === true);
    assert.equal(await page.locator('.item.marked').getAttribute('data-key'), 'e:2');
    await page.keyboard.press('s');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-cite') === '4:1');
    await page.close();
  });

  it('report neutrally what was not found', async () => {
    const page = await tests.open(citedSession({ 'docs/retry.md': 'x' }));
    await page.locator('.cref.nf').focus();
    await page.keyboard.press('Enter');
    await card(page)
      .getByText('Not found. No step of this session read, changed or named this file. The file exists now.')
      .waitFor();
    assert.equal(
      await card(page)
        .getByRole('button', { name: /Go to step/ })
        .count(),
      0,
    );
    await page.close();
  });

  it('show hostile titles and addresses as text, with safe links only', async () => {
    const page = await tests.open(citedSession());
    await page.locator('.cref').nth(4).click();
    await card(page).getByText('Cited by the agent.').waitFor();
    assert.equal(await card(page).locator('img').count(), 0);
    await card(page).locator('.esc', { hasText: 'U+202E' }).waitFor();
    await card(page).getByRole('button', { name: 'Open link' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.cref').nth(5).click();
    await card(page).getByText('javascript:alert(1)').waitFor();
    assert.equal(await card(page).getByRole('button', { name: 'Open link' }).count(), 0);
    assert.equal(await card(page).locator('a').count(), 0);
    assert.deepEqual(await sent(page, 'openLink'), [{ type: 'openLink', url: 'https://example.com/jitter' }]);
    await page.close();
  });

  it('are listed once each, with links to the step and the text', async () => {
    const page = await tests.open(citedSession());
    await page.getByRole('tab', { name: /Sources/ }).click();
    await page
      .getByRole('row', { name: /docs\/retry.md|retry.md/ })
      .first()
      .waitFor();
    assert.equal(await page.locator('.srct tbody tr').count(), 6);
    assert.deepEqual(await page.locator('.sumbar .x').allTextContents(), [
      '2 cited by the agent',
      '3 found in this session',
      '1 not found',
    ]);
    await page.locator('.srct .obj').first().click();
    await card(page).getByRole('button', { name: 'Show in transcript' }).click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-cite') === '4:0');
    await waitForFrames(page);
    await page.close();
  });
});
