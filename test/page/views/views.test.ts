import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { createFullScript, createLongScript, projectDir, type Script, view } from '../../support/page/madeUp.ts';
import { countElements, waitForFrames, PageTests } from '../../support/page/open.ts';

const maxElements = 2000;

/** Everything, a file read twice, and a file that changed behind the tools' backs. */
function repeated(): Script {
  const s = createFullScript();
  const read = { kind: 'file_read' as const, path: `${projectDir}/src/b.ts`, startLine: 1, endLine: 2, totalLines: 2 };
  s.tool('Read', read, 0.2, { result: { text: 'one\ntwo' } });
  s.tool('Read', read, 0.2, { result: { text: 'one\ntwo' } });
  const changes = [{ path: 'dist/out.js', kind: 'added' }];
  s.system('unreported_changes', 'A file changed during the run.', { unreported: { how: 'git', changes, total: 1 } });
  return s;
}

describe('views of a session', () => {
  const tests = PageTests.use();

  const open = async (script: Script, tab: string, width = 852): Promise<Page> => {
    const { entries, turns } = script;
    const page = await tests.open({ entries, view: view({ turns }, { entries: entries.length }) }, { width });
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('.trow, .frow').first().waitFor();
    return page;
  };
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

  it('are tabs that arrow keys move between, and that reopen with the page', async () => {
    const { entries, turns } = createFullScript();
    const page = await tests.open({ entries, view: view({ turns }) });
    const tab = (name: string) => page.getByRole('tab', { name });
    assert.equal(await tab('Transcript').getAttribute('aria-selected'), 'true');
    await tab('Transcript').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Trajectory' }).waitFor();
    assert.equal(await tab('Trajectory').getAttribute('aria-selected'), 'true');
    assert.equal(await page.getByRole('tabpanel', { name: 'Transcript' }).count(), 0);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Files' }).waitFor();
    await page.waitForFunction(() => (sessionStorage.getItem('made-up-state') ?? '').includes('"tab":"files"'));
    await page.reload();
    await page.evaluate((load) => window.host.load(load), { entries, view: view({ turns }) });
    await page.getByRole('tabpanel', { name: 'Files' }).waitFor();
    await page.close();
  });

  it('show steps in lanes, with what happened as one sentence', async () => {
    const page = await open(repeated(), 'Trajectory');
    const grid = page.getByRole('treegrid', { name: 'Steps over time' });
    const lanes = grid.locator('[role=row][aria-level="1"]');
    assert.deepEqual(await lanes.evaluateAll((all) => all.map((element) => element.getAttribute('aria-expanded'))), [
      'true',
      'true',
    ]);
    assert.match((await lanes.nth(1).getAttribute('aria-label')) ?? '', /^Explore, Check CI history/);
    await grid.getByRole('row', { name: 'Step 11, Command, npm test, 22.6 s, Failed, exit 1' }).waitFor();
    await grid.getByRole('row', { name: /^Step 5\.4, Command, gh run rerun .* Denied$/ }).waitFor();
    assert.equal(await grid.locator('[data-kind=read] .rep').count(), 1);
    const icons = await page.locator('.tlane').evaluateAll((lanes) =>
      lanes.map((lane) => {
        const { top, bottom, left, right } = lane.getBoundingClientRect();
        const icon = lane.querySelector('.codicon')?.getBoundingClientRect();
        return (
          icon !== undefined && icon.top >= top && icon.bottom <= bottom && icon.left >= left && icon.right <= right
        );
      }),
    );
    assert.deepEqual(icons, [true, true], 'each lane of time shows its icon in its own row');
    await page.close();
  });

  it('work by keyboard: lanes open and close, steps lead to the transcript and back', async () => {
    const page = await open(repeated(), 'Trajectory');
    await page.locator('.trow').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Step 1,'));
    assert.match(await focused(page), /upload\.spec\.ts/);
    await page.locator('.pane .detail', { hasText: 'vitest' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-expanded') === 'true');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.trow[aria-expanded=false]').waitFor();
    assert.equal(await page.locator('.trow', { hasText: 'npm test' }).count(), 0);
    await page.keyboard.press('ArrowRight');
    await page.locator('.trow', { hasText: 'npm test' }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel', { name: 'Transcript' }).waitFor();
    await page.locator('.item.marked .term', { hasText: 'FAIL' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent.includes('npm test') === true);
    const isStep = () =>
      page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.includes('npm test'));
    await page.keyboard.press('t');
    await isStep();
    await page.keyboard.press('Enter');
    await page.locator('.item.marked').getByRole('button', { name: 'Show in trajectory' }).click();
    await isStep();
    await page.close();
  });

  it('filter steps by kind, words and operators, and show repeats with their evidence', async () => {
    const page = await open(repeated(), 'Trajectory');
    const steps = page.locator('.trow[data-kind]');
    await page.getByRole('button', { name: /^Repeated/ }).click();
    await page.waitForFunction(() => document.querySelectorAll('.trow[data-kind]').length === 1);
    await steps.first().click();
    await page.locator('.pane').getByText('Repeats the read in step').waitFor();
    await page.getByRole('button', { name: /^Repeated/ }).click();
    await page.locator('#step-filter').click();
    await page.keyboard.type('state:denied');
    await page.waitForFunction(() => document.querySelectorAll('.trow[data-kind]').length === 1);
    assert.match((await steps.first().getAttribute('aria-label')) ?? '', /Denied$/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Longest steps first' }).click();
    await page.waitForFunction(() =>
      document.querySelector('[data-at="0"]')?.getAttribute('aria-label')?.includes('52.1 s'),
    );
    await page.close();
  });

  it('keep 100,000 entries in at most 2,000 elements, and lead to their end', async function () {
    const { entries, turns } = createLongScript(40);
    const page = await tests.open({ entries, view: view({ turns }) });
    // Made in the page: 100,000 entries are too much to hand over.
    await page.evaluate(
      ({ first, session }) => {
        const [prompt, step] = first;
        if (prompt === undefined || step === undefined) throw new Error('No entries were made.');
        const many = Array.from({ length: 100_000 }, (_, index) => {
          const { type } = step;
          if (index === 0 || type.kind !== 'tool_use') return { ...prompt, index };
          return { ...step, index, type: { ...type, tool: { ...type.tool, callId: `call_${index}` } } };
        });
        window.host.load({ entries: many, view: session });
      },
      { first: [entries[0], entries[1]], session: view({ turns }) },
    );
    await page.getByRole('tab', { name: 'Trajectory' }).click();
    await page.locator('.trow').first().waitFor();
    const counts = [await countElements(page)];
    await page.locator('.trow').first().focus();
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Step 99999,'));
    counts.push(await countElements(page));
    const asked = await page.evaluate(() => window.host.received.filter(({ type }) => type === 'getTrajectory').length);
    assert.ok(asked < 20, `${asked} requests`);
    assert.ok(Math.max(...counts) <= maxElements, counts.join(' '));
    await page.close();
  });

  it('list files with their steps, and what no tool call reported', async () => {
    const page = await open(repeated(), 'Files');
    const grid = page.getByRole('grid', { name: 'Files of the session' });
    await grid
      .getByRole('row', { name: 'src/upload/retry.ts, changed, 8 lines added, 3 removed, first step 2, last step 8' })
      .waitFor();
    await grid.getByRole('row', { name: 'dist/out.js, added, without a reported tool call' }).waitFor();
    await page.getByRole('button', { name: 'Open all changes' }).click();
    await grid.getByRole('row', { name: /retry\.ts, changed/ }).focus();
    await page.keyboard.press('Enter');
    const sent = await page.evaluate(() => window.host.received.filter(({ type }) => type.startsWith('open')));
    assert.deepEqual(sent, [{ type: 'openAllChanges' }, { type: 'openFileChanges', path: 'src/upload/retry.ts' }]);
    await page.locator('#file-filter').click();
    await page.keyboard.type('b.ts');
    await page.waitForFunction(() => document.querySelectorAll('.frow:not(.grp)').length === 1);
    await grid.getByRole('button', { name: 'Step 13' }).click();
    await page.getByRole('tabpanel', { name: 'Transcript' }).waitFor();
    await page.close();
  });

  it('show in the transcript which files no tool call reported', async () => {
    const { entries, turns } = repeated();
    const page = await tests.open({ entries, view: view({ turns }) });
    await page
      .locator('.row', { hasText: 'Changed without a reported tool call' })
      .locator('.note', { hasText: 'dist/out.js' })
      .waitFor();
    await page.close();
  });

  for (const tab of ['Trajectory', 'Files']) {
    it(`pass axe in four themes: ${tab}`, async () => {
      const page = await open(repeated(), tab);
      await page.locator('vscode-text-field').waitFor();
      await waitForFrames(page, 5);
      assert.deepEqual(await findViolationsInThemes(page), []);
      await page.close();
    });
  }

  for (const [width, name] of [
    [852, 'wide'],
    [360, 'narrow'],
  ] as const) {
    it(`never scroll horizontally: ${name}`, async () => {
      for (const tab of ['Trajectory', 'Files']) {
        const page = await open(repeated(), tab, width);
        const overflow = await page.evaluate(() =>
          [...document.querySelectorAll('.view, .fbar, .sumbar, .wfb, .tblb, .tabs')]
            .filter((element) => element.scrollWidth > element.clientWidth)
            .map((element) => element.className),
        );
        assert.deepEqual(overflow, [], tab);
        await page.close();
      }
    });
  }
});
