import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { projectDir, Script, view } from '../../support/page/madeUp.ts';
import { PageTests } from '../../support/page/open.ts';

/** Two files written over, one read, one that a search found; on disk one of them is another now. */
function touched(): Script {
  const s = new Script();
  s.turn('Write the two parts.', { steps: 4 });
  const write = (name: string, content: string): void => {
    s.tool('Write', { kind: 'file_write', path: `${projectDir}/src/${name}`, content }, 0.1, {});
  };
  write('zeta.ts', 'one\n');
  write('alpha.ts', 'one\ntwo\nthree\n');
  s.tool('Read', { kind: 'file_read', path: `${projectDir}/read.md` }, 0.1, { result: { text: '1\tas it is' } });
  s.tool('Grep', { kind: 'search', query: 'one' }, 0.1, {
    result: { text: 'docs/never.md:3:one\nsrc/alpha.ts:1:one' },
  });
  return s;
}
const files = { 'src/zeta.ts': 'one\nby hand\n', 'src/alpha.ts': 'one\ntwo\nthree\n', 'read.md': 'as it is\n' };

describe('the list of files', () => {
  const tests = PageTests.use();

  const open = async (width = 852): Promise<Page> => {
    const { entries, turns } = touched();
    const load = { entries, view: view({ turns }, { entries: entries.length }), files };
    const page = await tests.open(load, { width });
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('row', { name: /Changed after the session ended/ }).waitFor();
    return page;
  };
  const names = (page: Page) => page.locator('.frow:not(.grp) .obj').allTextContents();

  it('marks files that changed since the session, and files found but never opened', async () => {
    const page = await open();
    const labels = await page.locator('.frow:not(.grp)').evaluateAll((all) => all.map((row) => row.ariaLabel ?? ''));
    assert.match(labels[0] ?? '', /^src\/zeta\.ts, changed, .*Changed after the session ended: /);
    assert.match(labels[1] ?? '', /^src\/alpha\.ts, changed, 3 lines added, 0 removed, first step 2, last step 2$/);
    assert.match(labels[2] ?? '', /^read\.md, read, first step 3, last step 3$/);
    assert.equal(labels[3], 'docs/never.md, Found by step 4');
    await page.locator('.sumbar').getByText('1 changed since').waitFor();
    await page.locator('.sumbar').getByText('1 never opened').waitFor();
    await page.close();
  });

  it('is sorted by its headings, also by keyboard, and stays so', async () => {
    const page = await open();
    const sorted = (name: string, order: string) =>
      page.locator(`[role=columnheader][aria-sort=${order}]`, { hasText: name }).waitFor();
    assert.deepEqual((await names(page)).slice(0, 2), ['zeta.ts', 'alpha.ts']);
    await page.getByRole('button', { name: 'File', exact: true }).focus();
    await page.keyboard.press('Enter');
    await sorted('File', 'ascending');
    await page.waitForFunction(() => document.querySelector('.frow:not(.grp) .obj')?.textContent === 'alpha.ts');
    await page.getByRole('button', { name: 'Lines', exact: true }).click();
    await sorted('Lines', 'descending');
    assert.deepEqual((await names(page)).slice(0, 2), ['alpha.ts', 'zeta.ts']);
    await page.locator('#file-filter input').fill('zeta');
    await page.waitForFunction(() => (sessionStorage.getItem('made-up-state') ?? '').includes('"query":"zeta"'));
    await page.reload();
    const { entries, turns } = touched();
    await page.evaluate((load) => window.host.load(load), { entries, view: view({ turns }), files });
    await sorted('Lines', 'descending');
    await page.waitForFunction(() => document.querySelectorAll('.frow:not(.grp)').length === 1);
    assert.deepEqual(await names(page), ['zeta.ts']);
    await page.close();
  });

  it('keeps the mark of a changed file if its column does not fit', async () => {
    const page = await open(520);
    await page.locator('.frow .mk').first().waitFor({ state: 'visible' });
    assert.equal(await page.locator('.frow .since').first().isVisible(), false);
    await page.close();
  });

  it('passes axe in four themes', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Uses', exact: true }).click();
    await page.locator('[aria-sort=descending]').waitFor();
    assert.deepEqual(await findViolationsInThemes(page), []);
    await page.close();
  });
});
