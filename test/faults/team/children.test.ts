import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { RemoteSession } from '../../../src/client/remoteSession.ts';
import { requestMetadataSchema } from '../../../src/model/agent/request.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import { prompt, type Step } from '../../support/fakeAgent/engine.ts';
import type { TeamMachine } from '../../support/team/machine.ts';
import { useTeamOfMembers } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

describe('child sessions on another machine in a team', function () {
  let alice: TeamMachine;
  let bob: TeamMachine;
  let atAlice: DaemonConnection;
  let atBob: DaemonConnection;
  useTeamOfMembers(this, async (team) => {
    ({ alice, bob, atAlice, atBob } = team);
    alice.addAgent('lead', 'limits: { max_children: 2 }\n');
    // With limits of its own, which do not count away from its parent.
    for (const machine of [alice, bob]) machine.addAgent('renderer', renderer);
    await alice.addRunner(atAlice, []);
    await bob.addRunner(atBob, ['gpu']);
  });

  const renderer = 'demands: { tags: [gpu] }\nlimits: { max_children: 3 }\n';
  const share = (as: 'metadata' | 'nothing') => atAlice.call('shareFolder', { folder: alice.bench.cwd, share: as });

  const starts = (task: readonly Step[], mode = 'sync'): Step => ({
    mcp: { tool: 'start_session', args: { agent_name: 'renderer', prompt: prompt(task), execution_mode: mode } },
  });
  const saying = (words: string): Step[] => [{ init: true }, { result: { usd: 0.5, text: words } }];
  const waiting = (words: string): Step[] => [{ init: true }, { say: words }, { hear: null }];

  /** A run of the agent that starts others. */
  async function lead(...steps: readonly Step[]): Promise<string> {
    const text = prompt([{ init: true }, ...steps, { result: { usd: 0.25 } }]);
    const place = { project_dir: alice.bench.cwd, executor_type: 'claude-code' };
    return (await atAlice.call('queueRun', { ...place, agent_name: 'lead', prompt: text })).session_id;
  }
  const children = async (parent: string) =>
    (await alice.sessions()).filter(({ parent_session_id }) => parent_session_id === parent);
  const ended = (id: string, runs?: number) => alice.waitForEnd(id, runs);
  const running = (parent: string) =>
    until('a child that runs', async () => (await children(parent)).find(({ status }) => status === 'running'));

  it('give their parent the result, and count in the limits of its tree', async () => {
    await share('metadata');
    const id = await lead(
      starts(saying('drawn by the other machine')),
      starts(saying('drawn later'), 'async_callback'),
      starts(saying('one too many')),
    );
    await ended(id, 2);
    const said = await alice.runOk('show', id);
    assert.match(said, /"result": "drawn by the other machine"/);
    assert.match(said, /already started its maximum of 2 child sessions/);
    assert.match(said, /drawn later/);
    const found = await children(id);
    assert.deepEqual(
      found.map(({ outcome, agent_name, project_dir, remote }) => [outcome, agent_name, project_dir, remote?.member]),
      [1, 2].map(() => ['completed', 'renderer', alice.bench.cwd, bob.user]),
    );
    assert.ok(found.every(({ total_cost: cost }) => cost.provenance !== 'unknown' && cost.usd === 0.5));
    const [child] = found;
    assert.match(await alice.runOk('show', child?.session_id ?? ''), /drawn/);
    await alice.runOk('verify', child?.session_id ?? '');
    // The other machine shares them with the one that asked; this one shares only the parent.
    const rows = (await alice.shared()).map(({ session_id, owner }) => [session_id, owner]);
    assert.deepEqual(
      new Map(rows as [string, string][]),
      new Map([[id, alice.user], ...found.map(({ session_id }): [string, string] => [session_id, bob.user])]),
    );
    // It could not be resumed here, and the other machine has given it no tools.
    const again = await atAlice.call('queueRun', {
      ...{ type: 'resume_session', session_id: child?.session_id ?? '' },
      prompt: prompt(saying('again')),
    });
    const refused = await until('the refusal', async () =>
      (await atAlice.call('queuedRuns', {})).runs.find((run) => run.run_id === again.run_id && run.error !== undefined),
    );
    assert.match(refused.error ?? '', /is from another machine in the team/);
  });

  it('are refused where nothing is shared, and where the other machine has another agent file', async () => {
    const first = await lead(starts(saying('secretly')));
    await ended(first);
    assert.match(await alice.runOk('show', first), /tags gpu.*is not shared with the team.*vitrine team share/);
    assert.deepEqual(await children(first), []);

    await share('metadata');
    bob.addAgent('renderer', `${renderer}model: opus\n`);
    const second = await lead(starts(saying('otherwise')));
    await ended(second);
    assert.match(await alice.runOk('show', second), /differs from the one on the parent’s machine/);
    const [child] = await children(second);
    assert.deepEqual([child?.outcome, child?.status], ['failed', 'finished']);
  });

  it('are watched, outlive the daemon of their parent, and stop with their tree', async () => {
    await share('metadata');
    const go = path.join(alice.bench.dir, 'go-on');
    const slow: Step[] = [{ init: true }, { say: 'half of it' }, { until: go }, { say: 'all of it' }, { result: {} }];
    const id = await lead(starts(slow, 'async_callback'));
    await ended(id);
    const { session_id: child } = await running(id);
    await until('its transcript', async () => {
      const { entries } = await atAlice.call('read', { session_id: child, from: 0, to: 10 });
      return entries.some(({ content }) => content === 'half of it');
    });
    process.kill(atAlice.daemon.pid, 'SIGKILL');
    atAlice = await alice.connect();
    await alice.addRunner(atAlice, []);
    writeFileSync(go, '');
    await ended(id, 2);
    assert.match(await alice.runOk('show', id), /all of it/);

    const waits = await lead(starts(waiting('for ever')));
    const { session_id: endless } = await running(waits);
    const [run] = (await atAlice.call('queuedRuns', { session_id: waits })).runs;
    await atAlice.call('stopQueued', { run_id: run?.run_id ?? '' });
    await until('both to stop', async () =>
      (await alice.sessions()).every(
        ({ session_id, outcome }) => ![waits, endless].includes(session_id) || outcome === 'stopped',
      ),
    );
    const runs = (await atBob.call('queuedRuns', { session_id: endless })).runs;
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['stopped'],
    );
  });

  it('are live in a panel that was opened while they waited, and show their requests', async () => {
    await share('metadata');
    await atBob.call('removeRunners', { finish: true });
    await bob.addRunner(atBob, ['gpu'], 1);
    const go = path.join(alice.bench.dir, 'next');
    const first: Step[] = [{ init: true }, { until: go }, { result: {} }];
    const second: Step[] = [{ init: true }, { say: 'a sketch' }, { ask: { id: 'req-1' } }, { result: {} }];
    const id = await lead(starts(first, 'async_callback'), starts(second, 'async_callback'));
    await running(id);
    const { session_id: child } = await until('a child that waits', async () =>
      (await children(id)).find(({ status }) => status === 'pending'),
    );
    const listed = new Map<string, SessionSummary>();
    const watching = await alice.connect({
      onNews: ({ summaries }) => {
        for (const summary of summaries) listed.set(summary.session_id, summary);
        return Promise.resolve();
      },
    });
    await watching.call('watch', { events: false });
    const session = await RemoteSession.open(alice.windowLink(), alice.store, child);
    const shown = new Map<number, string>();
    session.onUpdates((updates) => {
      for (const update of updates) if (update.op === 'put') shown.set(update.entry.index, update.entry.content);
    });
    for (const { index, content } of await session.read(0, session.entryCount())) shown.set(index, content);
    assert.match(shown.get(0) ?? '', /Waiting: /);

    writeFileSync(go, '');
    await until('its transcript and request', () => {
      return [...shown.values()].includes('a sketch') && session.conversation()?.pendingRequests().length === 1;
    });
    assert.doesNotMatch(shown.get(0) ?? '', /Waiting: /);
    // It can be answered where it is shown.
    const [at = -1] = await until(
      'the entry of the request',
      () => session.openIndexes().length === 1 && session.openIndexes(),
    );
    const [entry] = await session.read(at, at + 1);
    assert.equal(requestMetadataSchema.parse(entry?.metadata).request.id, 'req-1');
    await until('the request in the list', () => listed.get(child)?.needs_you?.count === 1);
    assert.equal(await session.conversation()?.answer('req-1', { kind: 'allow', scope: 'once' }), true);
    await until('its end', () => !session.isLive() && session.summary().outcome === 'completed');
    const recorded = await session.read(0, session.entryCount());
    assert.deepEqual(
      recorded.map(({ index }) => index),
      recorded.map((_, index) => index),
    );
    assert.ok(recorded.some(({ metadata }) => requestMetadataSchema.safeParse(metadata).data?.decision?.by === 'user'));
  });

  it('stop when a budget of their tree is used up', async () => {
    await share('metadata');
    const { context } = alice.startParams([]);
    const settings = { ...context.settings, budgets: { limits: { tree: { usd: 0.0002 } } } };
    await atAlice.call('removeRunners', { finish: true });
    await atAlice.call('addRunner', {
      runner: { hostname: hostname(), project_dir: alice.bench.cwd, executor_type: 'claude-code', tags: [], limit: 2 },
      context: { ...context, settings },
    });
    // Three responses of $0.000105, by the price table; then it works on.
    const says = ['one', 'two', 'three'].map((words) => ({ say: words }));
    const id = await lead(starts([{ init: true }, ...says, { wait: 100_000 }, { result: {} }]));
    const child = await until('the child to stop', async () =>
      (await children(id)).find(({ status, reason }) => status === 'stopped' && reason !== undefined),
    );
    assert.match(child.reason ?? '', /budget for this session and its child sessions is used up/);
  });
});
