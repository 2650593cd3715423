import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { repository } from '../support/host/install/cache.mjs';
import { startBrowser } from '../support/host/browser.ts';
import { newRunFolder, type RunFolder } from '../support/host/runFolder.ts';
import { isFullSize } from '../support/hostile/fuzz.ts';
import { payloads, ran } from '../support/hostile/payloads.ts';
import { hostileEntries } from '../support/hostile/session.ts';
import { findViolations } from '../support/page/axe.ts';
import { citedSession } from '../support/page/citedSession.ts';
import { createLongScript } from '../support/page/madeUp.ts';
import { waitForFrames } from '../support/page/open.ts';
import { exportText, richSource, sourceOf } from '../support/sessions/exported.ts';
import { aSummary } from '../support/sessions/records.ts';
import type { ExportSource } from '../../src/formats/export/shared/source.ts';

describe('page: an exported session', function () {
  let folder: RunFolder;
  let browser: Browser;
  /** Requests other than for the file, and violations of the page's policy. */
  const wrong: string[] = [];

  before(async () => {
    folder = newRunFolder('exported');
    browser = await startBrowser(folder);
  });
  after(async () => {
    await browser.close();
    folder.remove();
  });
  afterEach(() => assert.deepEqual(wrong.splice(0), []));

  let count = 0;
  async function open(
    source: ExportSource,
    { colorScheme = 'dark', hash = '' }: { colorScheme?: 'dark' | 'light'; hash?: string } = {},
  ): Promise<Page> {
    const file = path.join(folder.root, `session ${(count += 1)}.html`);
    writeFileSync(file, await exportText('html', source));
    const context = await browser.newContext({ offline: true, colorScheme, viewport: { width: 900, height: 700 } });
    const page = await context.newPage();
    await page.exposeFunction('reportViolation', (text: string) => wrong.push(text));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        (Reflect.get(window, 'reportViolation') as (text: string) => void)(`${violatedDirective} ${blockedURI}`);
      });
    });
    page.on('pageerror', ({ message }) => wrong.push(message));
    page.on('dialog', (dialog) => {
      wrong.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(?:file|data):/.test(request.url())) wrong.push(request.url());
    });
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    await page.locator('main[aria-busy=false]').waitFor();
    return page;
  }

  const cited = (): ExportSource => sourceOf(citedSession().entries);
  const close = (page: Page): Promise<void> => page.context().close();

  it('shows every message and step from the beginning, with cost and authors', async () => {
    const page = await open(richSource);
    await page.getByRole('heading', { level: 1, name: 'Add a total' }).waitFor();
    for (const text of ['Do <b>it</b> & "now"', 'Let me think.', 'Done', 'Rate limited'])
      await page.getByText(text).first().waitFor();
    await page.locator('#cost').click();
    await page.getByRole('dialog', { name: 'Cost of this session' }).getByText('$0.25').first().waitFor();
    await page.getByText('Exported by Vitrine 1.2.3').waitFor();
    await page.getByText('No secrets were found.').waitFor();
    assert.equal(await page.locator('#composer, #more, #primary').filter({ visible: true }).count(), 0);
    await close(page);
  });

  it('has evidence cards, sources, the trajectory, files and find', async () => {
    const page = await open(cited());
    await page.locator('.cref').first().click();
    await page.getByText('Found in step 1.').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Sources' }).click();
    await page.locator('.srct .obj').first().waitFor();
    await page.getByRole('tab', { name: 'Trajectory' }).click();
    await page.locator('.trow').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.locator('.frow').first().waitFor();
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('retry');
    await page.locator('.hits-n', { hasText: '2 entries' }).waitFor();
    await close(page);
  });

  it('opens at the entry in its URL', async () => {
    const { entries } = createLongScript(3000);
    const page = await open(sourceOf(entries), { hash: '#entry-2900' });
    await page.locator('.item.marked').waitFor();
    await page.screenshot({ path: path.join(repository, 'test-results/exported-linked.png') });
    await close(page);
  });

  it('shows each child session, with its own entries and evidence', async () => {
    const child = (session_id: string, title: string, entries: ExportSource): ExportSource => ({
      ...entries,
      summary: aSummary({ session_id, title }),
    });
    const page = await open({
      ...richSource,
      children: {
        omitted: () => 2,
        sources: async function* () {
          await Promise.resolve();
          yield child('ses_000000000001', 'Find the sources', cited());
          yield child('ses_000000000002', '<b>Count</b>', sourceOf(createLongScript(20).entries));
        },
      },
    });
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await sessions.getByText('2 more child sessions are not in this page.').waitFor();
    assert.equal(await sessions.locator('[aria-current]').innerText(), 'Add a total');
    await sessions.getByRole('link', { name: 'Find the sources' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Find the sources' }).waitFor();
    await page.locator('.cref').first().click();
    await page.getByText('Found in step 1.').first().waitFor();
    await page.keyboard.press('Escape');
    assert.deepEqual(await findViolations(page), []);
    await page.screenshot({ path: path.join(repository, 'test-results/exported-children.png') });
    await page.evaluate(() => (location.hash = '#ses_000000000002/entry-12'));
    await page.getByRole('heading', { level: 1, name: '<b>Count</b>' }).waitFor();
    await page.locator('.item.marked').waitFor();
    await sessions.getByRole('link', { name: 'Add a total' }).click();
    await page.getByRole('heading', { level: 1, name: 'Add a total' }).waitFor();
    await close(page);
  });

  it('prints every row', async () => {
    const { entries } = createLongScript(200);
    const page = await open(sourceOf(entries));
    const rows = () => page.locator('.item').count();
    const before = await rows();
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const all = await rows();
    assert.ok(all > before && all > 150, `${before} rows on screen, ${all} printed`);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await close(page);
  });

  for (const colorScheme of ['dark', 'light'] as const) {
    it(`passes axe, ${colorScheme}, and changes its colors`, async () => {
      const page = await open(cited(), { colorScheme });
      await page.locator('.cref').first().waitFor();
      assert.deepEqual(await findViolations(page), []);
      const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const first = await background();
      mkdirSync(path.join(repository, 'test-results'), { recursive: true });
      await page.screenshot({ path: path.join(repository, `test-results/exported-${colorScheme}.png`) });
      await page.getByRole('button', { name: colorScheme === 'dark' ? 'Light colors' : 'Dark colors' }).click();
      assert.notEqual(await background(), first);
      assert.deepEqual(await findViolations(page), []);
      await close(page);
    });
  }

  it('runs nothing from hostile sessions, and makes no requests', async () => {
    for (const some of [payloads, ...(isFullSize ? payloads.map((payload) => [payload]) : [])]) {
      const [{ text: title } = { text: '' }] = some;
      const page = await open(
        sourceOf(hostileEntries(some), { summary: aSummary({ title, prompt: title, model: title }) }),
      );
      for (const tab of ['Transcript', 'Trajectory', 'Files', 'Sources']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.locator(`[role=tab][aria-selected=true]`, { hasText: tab }).waitFor();
        await waitForFrames(page, 5);
      }
      assert.equal(await page.evaluate((name) => name in window, ran), false);
      assert.equal(await page.locator('script:not([type])').count(), 2);
      await close(page);
    }
  });
});
