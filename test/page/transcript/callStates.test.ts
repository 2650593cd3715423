import assert from 'node:assert/strict';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ToolStatus } from '../../../src/model/transcript/tool.ts';
import { loadWithRequests, commandRequest, commit } from '../../support/page/asking.ts';
import { at } from '../../support/page/madeUp.ts';
import { PageTests } from '../../support/page/open.ts';

describe('page: calls without a result', function () {
  const tests = PageTests.use();

  /** A call that runs, one that waits for a person, and calls after it. */
  function load(waiting: boolean) {
    const { entries, open = [], ...rest } = loadWithRequests([commandRequest(commit)], { before: 1, after: 0 });
    const call = (index: number, status: ToolStatus): NormalizedEntry => ({
      index,
      timestamp: at(100 + index),
      type: {
        kind: 'tool_use',
        tool: {
          callId: `c${index}`,
          toolName: 'Bash',
          action: { kind: 'command_run', command: `make part${index}` },
          status,
          startedAt: at(100 + index),
        },
      },
      content: `make part${index}`,
    });
    const request = entries.at(-1);
    const asked = entries.at(-2);
    assert.ok(request !== undefined && asked !== undefined);
    const from = asked.index;
    const all = [
      ...entries.slice(0, from),
      call(from, 'running'),
      { ...asked, index: from + 1 },
      { ...request, index: from + 2 },
      call(from + 3, 'running'),
      call(from + 4, 'created'),
    ];
    const conversation = { takesMessages: true, requests: [], queued: [] };
    const view = waiting ? rest.view : { ...rest.view, conversation };
    return { ...rest, view, entries: all, open: [...open, from, from + 2, from + 3, from + 4] };
  }

  it('show what they wait for, in the transcript and the trajectory', async () => {
    const page = await tests.open(load(true));
    const states = (): Promise<(string | undefined)[]> =>
      page
        .locator('.row[data-kind="command_run"]')
        .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['s']));
    assert.deepEqual(await states(), ['running', 'approval', 'behind', 'behind']);
    await page.getByText('waiting for an earlier approval').first().waitFor();
    await page.getByRole('tab', { name: 'Trajectory' }).click();
    await page.locator('.bl[data-s="behind"]').first().waitFor();
    assert.equal(await page.locator('.bl[data-s="running"]').count(), 1);
    await page.close();

    const answered = await tests.open(load(false));
    const left = await answered
      .locator('.row[data-kind="command_run"]')
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['s']));
    assert.deepEqual(left.slice(2), ['running', 'queued']);
    await answered.close();
    assert.deepEqual(tests.errors, []);
  });
});
