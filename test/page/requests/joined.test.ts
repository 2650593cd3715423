import * as assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { AgentRequest, Decision } from '../../../src/model/agent/request.ts';
import { loadWithRequests, conversation, requestEntry } from '../../support/page/asking.ts';
import { projectDir } from '../../support/page/madeUp.ts';
import { PageTests } from '../../support/page/open.ts';
import { requestButton, waitUntilEnabled, sentMessages } from '../../support/page/requests.ts';

/** As the server of Codex asks: without a time limit, and without use for a reason. */
function codexRequest(): AgentRequest {
  const command = "/bin/bash -lc 'git switch -c fix/retry'";
  return {
    id: 'turn/0',
    kind: 'permission',
    callId: 'call-asked',
    toolName: 'command_execution',
    title: `Run ${command}`,
    action: { kind: 'command_run', command },
    input: { command },
    cwd: projectDir,
    session: 'the same command',
    reasonUnheard: true,
    asked_at: new Date(Date.now() - 38_000).toISOString(),
  };
}

describe('a session from another program that Vitrine has joined', () => {
  const request = codexRequest();
  const tests = PageTests.use();
  let page: Page;
  beforeEach(async () => {
    const live = { state: 'waiting_for_permission', since: request.asked_at, source: 'process', pid: 4711 } as const;
    const observed = { agent: 'codex', path: '/home/me/rollout.jsonl', live, entry_point: 'terminal' } as const;
    page = await tests.open(
      loadWithRequests([request], {
        summary: {
          agent_label: 'Codex',
          executor_type: 'codex',
          permission_mode: null,
          observed: { ...observed, branch: 'main', tool_calls: 4, usage_reason: null, problem: null },
        },
      }),
    );
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(tests.errors.splice(0), []);
  });

  const composer = () => page.getByRole('textbox', { name: 'Message to the agent' });
  const decide = async (decision: Decision): Promise<void> => {
    await page.evaluate(
      ({ entry, next }) => {
        const { host } = window;
        host.update([{ op: 'put', entry: { ...entry, index: host.view().summary.entries - 1 } }]);
        host.setView({ ...host.view(), conversation: next });
      },
      { entry: requestEntry(0, request, decision), next: conversation([]) },
    );
  };

  it('takes an answer, a message and a stop', async () => {
    await page.getByText('Joined', { exact: true }).waitFor();
    await waitUntilEnabled(page);
    assert.equal(await page.getByRole('textbox', { name: /^Reason/ }).count(), 0, 'there is no record to keep it');
    await requestButton(page, 'Allow Once').click();
    await composer().fill('Use a branch.');
    await page.getByText('Ctrl+Enter sends').waitFor();
    await composer().press('Control+Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    const messages = await Promise.all((['answer', 'send', 'stop'] as const).map((type) => sentMessages(page, type)));
    assert.deepEqual(messages.flat(), [
      { type: 'answer', id: request.id, answer: { kind: 'allow', scope: 'once' } },
      { type: 'send', text: 'Use a branch.', how: 'queue' },
      { type: 'stop' },
    ]);
    assert.equal(await composer().inputValue(), '', 'also when nothing was drawn since it was typed');
  });

  it('says how a request was decided, here or there', async () => {
    const at = new Date().toISOString();
    await decide({ by: 'user', at, answer: { kind: 'allow', scope: 'once' } });
    await page.getByRole('button', { name: /^Allowed once by you, / }).waitFor();
    await decide({ by: 'withdrawn', at, answer: { kind: 'deny' } });
    await page.getByRole('button', { name: /^Answered or withdrawn in the other program, / }).waitFor();
  });

  it('takes a message while it is idle, and offers no resume', async () => {
    await page.evaluate((none) => {
      const { host } = window;
      const view = host.view();
      const { observed } = view.summary;
      if (observed === undefined) throw new Error('not observed');
      const idle = { ...observed, live: { ...observed.live, state: 'idle' as const } };
      const can = { send: true, stop: false, resume: false, fork: true };
      const summary = { ...view.summary, status: 'finished' as const, observed: idle };
      host.setView({ ...view, conversation: none, can, summary });
    }, conversation([]));
    await page.locator('.status', { hasText: 'Idle' }).waitFor();
    await page.locator('#composer[placeholder="Message to the agent"]').waitFor();
    assert.equal(await page.locator('#primary').count(), 0);
  });
});
