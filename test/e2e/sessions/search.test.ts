import assert from 'node:assert/strict';
import { call, reads, said } from '../../support/sessions/madeEntries.ts';
import { until } from '../../support/until.ts';
import { type Seed, seedSessions } from '../seed.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

const fence = '```';
const code = `${fence}ts\nexport function nextDelay(attempt: number): number {\n  return 250 * attempt; // fixed\n}\n${fence}`;
const output = '\u001b[31m FAIL \u001b[0m upload.spec.ts\u001b]0;t\u0007\n\u001b[32m1 passed\u001b[0m, 1 failed';
const base = { daysAgo: 0, usd: 0.1, turns: 1, seconds: 60 };
const seeds: readonly Seed[] = [
  {
    ...base,
    title: 'Retry delays',
    entries: [
      said(0, 'Why does the retry test fail?', 'user_message'),
      call(1, reads('/p/src/upload/retry.ts'), { toolName: 'Read', result: { text: 'const ceiling = 8000;' } }),
      call(
        2,
        { kind: 'command_run', command: 'npx vitest run', exitCode: 1, stdout: output },
        { toolName: 'Bash', status: 'failed' },
      ),
      said(3, `The delay is random. With this it is fixed:\n\n${code}`),
    ],
  },
  {
    ...base,
    title: 'Quiet the logger',
    entries: [said(0, 'Log less', 'user_message'), said(1, 'A retry is logged once.')],
  },
  {
    ...base,
    title: 'Drinks',
    entries: [
      said(0, 'Put the kettle on', 'user_message'),
      {
        ...said(1, 'The kettle, then?', 'user_message'),
        origin: 'follow_up',
        metadata: { synthetic: true, trigger_type: 'check_in', trigger_reason: 'Nothing happened for 10 minutes' },
      },
    ],
  },
  { ...base, title: 'Nothing to find', entries: [said(0, 'Hello', 'user_message')] },
  { ...base, title: 'Hidden retry', hidden: true, entries: [said(0, 'retry in hiding', 'user_message')] },
];

describe('search in the sidebar', function () {
  keepEvidence();

  const host = useWindow(
    async () => {
      const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
      await seedSessions(server.folder, seeds);
      return { server };
    },
    { width: 1280, height: 1200, view: 'Vitrine' },
  );

  const view = () =>
    host.workbench.page.locator('.pane', { has: host.workbench.page.locator('.pane-header[aria-label^="Search"]') });
  const search = async (query: string): Promise<void> => {
    await host.workbench.runCommand('Vitrine: Search Sessions…');
    await host.workbench.quickInput().fill(query);
    await host.workbench.quickInput().press('Enter');
  };
  const toggleFilter = async (name: string): Promise<void> => {
    await host.workbench.choose('Vitrine: Search Filters…', name);
    await host.workbench.page.keyboard.press('Enter');
  };
  /** Rows of the results, with what stands beside each. */
  const rows = (): Promise<string[]> =>
    view()
      .locator('[role=treeitem]')
      .evaluateAll((all) => all.map((row) => row.querySelector('.monaco-icon-label')?.textContent.trim() ?? ''));

  it('finds messages and output, with marked lines and scope', async () => {
    assert.equal(await view().count(), 0);
    await search('retry');
    await view()
      .getByText(/3 entries in 2 sessions\. Searched: 4 sessions, 9 entries\./)
      .waitFor();
    await view().getByText('Excluded (hidden or in other folders): 1 session.').waitFor();
    await view().locator('.highlight', { hasText: 'retry' }).nth(2).waitFor();
    const found = await rows();
    assert.ok(
      found.some((row) => row.startsWith('Why does the retry test fail?') && row.endsWith('Prompt')),
      found.join('\n'),
    );
    assert.ok(
      found.some((row) => row.endsWith('Read')),
      found.join('\n'),
    );
    await picture(host.workbench, 'search');
  });

  it('excludes follow-ups and callbacks, counts them, and finds them on request', async () => {
    await search('kettle');
    await view()
      .getByText(/1 entry in 1 session\..*1 follow-up or child result hidden\./)
      .waitFor();
    await toggleFilter('Follow-ups and child results');
    await view()
      .getByText(/2 entries in 1 session\./)
      .waitFor();
    await view().locator('[role=treeitem]', { hasText: 'The kettle, then?' }).first().waitFor();
    const found = await rows();
    assert.ok(
      found.some((row) => row.startsWith('The kettle, then?') && row.endsWith('Follow-up')),
      found.join('\n'),
    );
    await picture(host.workbench, 'search-follow-ups');
    await toggleFilter('Follow-ups and child results');
    await view()
      .getByText(/1 entry in 1 session\./)
      .waitFor();
  });

  it('supports operators and reports unknown ones', async () => {
    await host.workbench.runCommand('Vitrine: Search Sessions…');
    await host.workbench.quickInput().fill('kind:nonsense retry');
    await host.workbench.page.locator('.quick-input-widget').getByText('“kind:nonsense” is not a valid kind').waitFor();
    await host.workbench.quickInput().fill('tool:bash error "1 failed"');
    await host.workbench.quickInput().press('Enter');
    await view().getByText('1 entry in 1 session.').waitFor();
    await view().locator('[role=treeitem]', { hasText: '1 failed' }).first().waitFor();
    const found = await rows();
    assert.ok(
      found.some((row) => row.includes('1 failed') && row.endsWith('Bash')),
      found.join('\n'),
    );
    assert.ok(!found.some((row) => row.includes('[31m')), found.join('\n'));
  });

  it('leads to the entry, with its highlighting', async () => {
    await search('tool:bash error "1 failed"');
    await view().locator('[role=treeitem]', { hasText: '1 failed' }).first().click();
    const page = host.workbench.webview();
    await page.locator('.item.marked').waitFor();
    const fail = page.locator('.term .fg-red', { hasText: 'FAIL' });
    await fail.waitFor();
    assert.ok(await fail.isVisible());
    const seen = await page.locator('.item.marked').evaluate((item) => {
      const place = item.getBoundingClientRect();
      return place.top >= 0 && place.top < window.innerHeight;
    });
    assert.ok(seen, 'the entry is in sight');
    await page.locator('.code', { hasText: 'nextDelay' }).scrollIntoViewIfNeeded();
    const painted = () => page.locator('body').evaluate(() => [...(CSS.highlights.get('code-keyword') ?? [])].length);
    await until('code to be coloured', async () => (await painted()) >= 3);
    await picture(host.workbench, 'search-entry');
    await page.getByRole('tab', { name: 'Trajectory' }).click();
    await page.locator('.trow').first().waitFor();
  });

  it('includes hidden sessions on request, and disappears when cleared', async () => {
    await search('retry');
    await view().getByText('3 entries in 2 sessions.').waitFor();
    await toggleFilter('Hidden sessions and other folders');
    await view()
      .getByText(/4 entries in 3 sessions\. Searched: 5 sessions, 10 entries\./)
      .waitFor();
    await host.workbench.runCommand('Vitrine: Rebuild Index');
    await host.workbench.notification('Search index rebuilt: 5 sessions, 10 entries.').waitFor();
    await host.workbench.runCommand('Vitrine: Clear Search Results');
    await until('the view to go', async () => (await view().count()) === 0);
  });
});
