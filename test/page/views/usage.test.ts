import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { UsagePage } from '../../../src/protocol/pages/usageMessages.ts';
import { findViolationsInThemes } from '../../support/page/axe.ts';
import { PageTests } from '../../support/page/open.ts';
import { createUsageGroup, usagePage } from '../../support/page/usage.ts';

describe('the usage view', () => {
  const tests = PageTests.use();

  const open = async (overrides: Partial<UsagePage> = {}, width = 320): Promise<Page> => {
    const page = await tests.openUsage(
      { type: 'usage', page: usagePage(overrides), l10n: {}, locale: 'en' },
      { width },
    );
    await page.locator('main').waitFor();
    return page;
  };
  const sent = (page: Page): Promise<unknown> =>
    page.evaluate(() =>
      window.host.received.filter(({ type }) => (type as string) === 'show' || (type as string) === 'export'),
    );
  const cells = (page: Page, caption: string): Promise<string[][]> =>
    page
      .getByRole('table', { name: caption })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

  it("shows today's and the month's cost, with estimated and unknown parts", async () => {
    const page = await open();
    const sums = await page.locator('.sums > div').allInnerTexts();
    assert.match(sums[0] ?? '', /^Today\s+\$1\.04\s+3 runs$/);
    assert.match(
      sums[1] ?? '',
      /^November 2026\s+≈ \$16\.42 \+ unknown\s+45 runs\s+≈ includes estimates\s+3 with unknown cost: 37,035 tokens$/,
    );
    await page.close();
  });

  it('shows agents and models, an unknown cost as tokens and never as a zero', async () => {
    const page = await open();
    assert.deepEqual(await cells(page, 'By agent'), [
      ['Claude Code', '30', '1.29M', '$12.10'],
      ['Codex', '12', '44K', '≈ $4.32'],
      ['Cursor', '3', '37K', 'unknown'],
    ]);
    assert.deepEqual((await cells(page, 'By model')).at(-1), ['not reported', '3', '37K', 'unknown']);
    assert.doesNotMatch(await page.locator('main').innerText(), /\$0\.00/);
    await page.close();
  });

  it('distinguishes reported, estimated and unknown costs of a day, and has the days as a table', async () => {
    const page = await open();
    const bars = (name: string): Promise<number> => page.locator(`svg rect.${name}`).count();
    const { days } = usagePage();
    assert.equal(await bars('reported'), days.filter(({ usd }) => usd !== null).length);
    assert.equal(await bars('estimated'), days.filter(({ estimatedUsd }) => estimatedUsd > 0).length);
    assert.equal(await bars('unknown'), days.filter(({ unknown }) => unknown > 0).length);
    const heights = await page.locator('svg g').evaluateAll((all) =>
      all.map((element) => {
        const height = (name: string): number =>
          Number(element.querySelector(`rect.${name}`)?.getAttribute('height') ?? 0);
        return height('reported') + height('estimated');
      }),
    );
    const most = Math.max(...days.map(({ usd }) => usd ?? 0));
    for (const [at, height] of heights.entries())
      assert.ok(Math.abs(height - ((days[at]?.usd ?? 0) / most) * 88) < 0.01);
    assert.match(
      (await page.locator('svg g title').nth(1).textContent()) ?? '',
      /Nov 2: ≈ \$1\.10; including ≈ \$0\.37 estimated/,
    );
    await page.getByText('Days as a table').click();
    const table = await cells(page, 'By day');
    assert.equal(table.length, days.filter(({ runs }) => runs > 0).length);
    assert.deepEqual(table[2], ['Tue, Nov 3', '3', '96K', '$1.80 + unknown']);
    await page.close();
  });

  it('requests other months, sessions, and the CSV', async () => {
    const page = await open();
    assert.equal(await page.getByRole('button', { name: 'Next month' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Previous month' }).click();
    await page.getByRole('combobox', { name: 'Sessions to include' }).selectOption('all');
    await page.getByRole('button', { name: 'Export as CSV…' }).click();
    assert.deepEqual(await sent(page), [
      { type: 'show', month: '2026-10', scope: 'workspace' },
      { type: 'show', month: '2026-11', scope: 'all' },
      { type: 'export' },
    ]);
    await page.close();
  });

  it('includes what other members share, if the machine belongs to a team', async () => {
    const alone = await open();
    assert.deepEqual(await alone.locator('select option').allInnerTexts(), ['This workspace', 'All sessions']);
    await alone.close();
    const page = await open({ isInTeam: true });
    await page.getByRole('combobox', { name: 'Sessions to include' }).selectOption('Including the team');
    assert.deepEqual(await sent(page), [{ type: 'show', month: '2026-11', scope: 'team' }]);
    await page.close();
    for (const [sessions, isComplete, isConnected, note] of [
      [1, true, true, 'Includes 1 session from other members, on the day it was created.'],
      [
        1000,
        false,
        true,
        'Includes 1,000 sessions from other members, each on the day it was created. Older ones are not included.',
      ],
      [0, true, false, 'The team cannot be reached. Sessions from other members are not included.'],
    ] as const) {
      const team = await open({ isInTeam: true, scope: 'team', team: { sessions, isComplete, isConnected } });
      assert.equal((await team.locator('.notes li').allInnerTexts())[0], note);
      await team.close();
    }
  });

  it('says what is not included', async () => {
    const page = await open({ omitted: 12, unreadable: 1 });
    const notes = await page.locator('.notes li').allInnerTexts();
    assert.deepEqual(notes, [
      '12 older runs are shown on the day their session was created.',
      '1 record could not be read and is not included in the totals.',
      'Recordings and imported sessions are not counted. Each run counts on the day it ended.',
    ]);
    await page.close();
  });

  it('shows no zero for a month without runs, and keeps agent names plain', async () => {
    const page = await open({
      total: createUsageGroup('2026-11'),
      day: createUsageGroup('2026-11-21'),
      days: [],
      agents: [],
      models: [],
    });
    await page.getByText('No runs this month.').waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /\$0/);
    await page.close();
    const hostile = await open({
      agents: [createUsageGroup('<img src=x onerror=alert(1)>\u202e', { usd: 1, runs: 1 })],
    });
    assert.match((await cells(hostile, 'By agent'))[0]?.[0] ?? '', /^<img src=x onerror=alert\(1\)>\s*U\+202E$/);
    assert.equal(await hostile.locator('img').count(), 0);
    await hostile.close();
  });

  for (const width of [320, 220]) {
    it(`passes axe in four themes, ${width} px wide`, async () => {
      const page = await open({}, width);
      await page.getByText('Days as a table').click();
      const picture = (theme: string) => page.screenshot({ path: `test-results/usage-${theme}-${width}.png` });
      assert.deepEqual(await findViolationsInThemes(page, picture), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await page.close();
    });
  }
});
