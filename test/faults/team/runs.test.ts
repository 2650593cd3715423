import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import type { Run } from '../../../src/model/session/session.ts';
import { prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { connectedToTeam, type TeamMachine } from '../../support/team/machine.ts';
import { type TeamOfMembers, useTeamOfMembers } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

const saying = (...texts: readonly string[]) => [{ init: true }, ...texts.map((say) => ({ say })), { result: {} }];

describe('runs of a team', function () {
  let team: TeamOfMembers;
  let alice: TeamMachine;
  let bob: TeamMachine;
  let atAlice: DaemonConnection;
  let atBob: DaemonConnection;
  useTeamOfMembers(this, (members) => {
    team = members;
    ({ alice, bob, atAlice, atBob } = members);
  });

  const queue = (steps: readonly Step[], change: object = {}) =>
    atAlice.call('queueRun', { executor_type: 'claude-code', prompt: prompt(steps), team: true, ...change });
  const gpu = { additional_demands: { tags: ['gpu'] } };

  const runAt = async (connection: DaemonConnection, id: string): Promise<Run | undefined> =>
    (await connection.call('queuedRuns', {})).runs.find(({ run_id }) => run_id === id);
  const runIs = (id: string, status: Run['status'], connection = atAlice): Promise<Run> =>
    until(`${id} to be ${status}`, async () => {
      const run = await runAt(connection, id);
      return run?.status === status ? run : undefined;
    });

  it('that wait are moved and given to another machine by any member, who sees load and owner of runners', async () => {
    const first = await queue(saying('first'), gpu);
    const second = await queue(saying('second'), gpu);
    const waiting = async (connection: DaemonConnection) =>
      (await connection.call('queuedRuns', {})).runs.map(({ run_id, requested_by }) => [run_id, requested_by]);
    const rows = [first, second].map(({ run_id }) => [run_id, alice.user]);
    assert.deepEqual(await waiting(atBob), rows);
    await atBob.call('changeQueued', { run_id: second.run_id, move: 'first' });
    assert.deepEqual(await waiting(atAlice), rows.toReversed());
    await atAlice.call('changeQueued', { run_id: second.run_id, move: 'last' });
    assert.deepEqual(await waiting(atBob), rows);

    await bob.addRunner(atBob, []);
    const runner = (await atAlice.call('runners', {})).find(({ owner }) => owner === bob.user);
    assert.deepEqual([runner?.limit, runner?.running, runner?.status], [2, 0, 'online']);
    const demands = { hostname: hostname(), project_dir: bob.bench.cwd, tags: [] };
    await atBob.call('changeQueued', { run_id: second.run_id, move: 'first', demands });
    assert.deepEqual((await runIs(second.run_id, 'completed')).demands, demands);
    assert.equal((await runIs(first.run_id, 'pending')).status, 'pending');
    await assert.rejects(
      atBob.call('changeQueued', { run_id: second.run_id, move: 'first' }),
      /completed and is no longer waiting/,
    );
    const audit = (await bob.runOk('audit', '--team')).trimEnd().split('\n');
    assert.equal(audit.filter((line) => line.includes('"run_changed"')).length, 2, 'those of the member who reads');
  });

  it('execute on the machine that has the tag, and are read from the one that queued them', async () => {
    await alice.addRunner(atAlice, []);
    const { session_id, run_id } = await queue(saying('on the other machine'), gpu);
    const { runs } = await atBob.call('queuedRuns', {});
    assert.deepEqual(runs.at(-1)?.waiting, { kind: 'demands', unmet: { tags: ['gpu'] } });
    const runnerId = await bob.addRunner(atBob, ['gpu']);
    const done = await runIs(run_id, 'completed');
    assert.equal((await runIs(run_id, 'completed', atBob)).runner_id, runnerId);
    assert.ok(done.claimed_at !== undefined && done.started_at !== undefined && done.completed_at !== undefined);
    const listed = await atAlice.call('runners', {});
    assert.deepEqual(listed.map(({ tags }) => tags.join()).sort(), ['', 'gpu']);
    await alice.waitForSharedEnd(session_id);
    assert.match(await alice.runOk('show', session_id), /on the other machine/);
    assert.match(await bob.runOk('show', session_id), /on the other machine/);
    const [row] = await alice.shared();
    assert.deepEqual([row?.owner, row?.share], [bob.user, 'nothing'], 'others do not see it');

    const printed = await alice.runOk(
      'queue',
      'add',
      '--team',
      '--executor',
      'claude-code',
      '--wait',
      prompt(saying('two')),
    );
    assert.match(printed, /completed/);
  });

  it('are watched, answered and stopped from the machine that queued them', async () => {
    await bob.addRunner(atBob, ['gpu']);
    const asking = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1', input: { command: 'rm -r build' } } }];
    const { session_id, run_id } = await queue([...asking, { hear: null }], gpu);
    await runIs(run_id, 'running');
    await until('the session of the other machine', async () => (await alice.shared()).some((row) => row.lines > 0));
    const state = await alice.stateOf(session_id, ({ requests }) => requests.length === 1);
    const [request] = state.requests;
    assert.ok(request !== undefined && state.live);
    assert.match(JSON.stringify(request), /rm -r build/);
    // It waits for whoever asked for the run, in lists as well.
    const needs = await until('the session to need an answer', async () => {
      const { sessions } = await atAlice.call('sharedSessions', {});
      return sessions.find((session) => session.session_id === session_id)?.needs_you;
    });
    assert.equal(needs.count, 1);
    const answer = { kind: 'allow', scope: 'once' } as const;
    const call = { session_id, request_id: request.id, answer };
    assert.deepEqual(await atAlice.call('answer', call), { accepted: true });
    assert.deepEqual(await atAlice.call('answer', call), { accepted: false });
    await until('the answer', async () => {
      const { entries } = await atAlice.call('read', { session_id, from: 0, to: 100 });
      return entries.some(({ content }) => content.includes('answered') && content.includes('"behavior":"allow"'));
    });
    await atAlice.call('stop', { session_id, kill: false });
    await runIs(run_id, 'stopped');

    const waiting = await queue(saying('never'), { additional_demands: { tags: ['none'] } });
    await atBob.call('stopQueued', { run_id: waiting.run_id });
    await runIs(waiting.run_id, 'stopped');
    const second = await queue([{ init: true }, { say: 'begun' }, { hear: null }], gpu);
    await runIs(second.run_id, 'running');
    await atBob.call('stop', { session_id: second.session_id, kill: false });
    await runIs(second.run_id, 'stopped');
  });

  it('fail or are claimed again when their machine is lost, and outlive the database', async () => {
    await bob.addRunner(atBob, ['gpu']);
    const go = `${alice.bench.dir}/go`;
    const long = [{ init: true }, { say: 'begun' }, { until: go }, { say: 'ended' }, { result: {} }];
    const once = await queue(long, gpu);
    const again = await queue(long, { ...gpu, retry: true });
    await Promise.all([runIs(once.run_id, 'running'), runIs(again.run_id, 'running')]);
    // The database is killed: agents continue, and nothing is given up because of it.
    await team.database.server.stop('SIGQUIT');
    await team.database.server.resume();
    await Promise.all([atAlice, atBob].map(connectedToTeam));
    process.kill(atBob.daemon.pid, 'SIGKILL');
    const failed = await runIs(once.run_id, 'failed');
    assert.equal(failed.error, 'The runner stopped responding.');
    assert.equal((await runAt(atAlice, again.run_id))?.status, 'pending');

    await alice.addRunner(atAlice, ['gpu']);
    await runIs(again.run_id, 'running');
    await alice.bench.go();
    const done = await runIs(again.run_id, 'completed');
    // The next daemon of that machine ends what the killed one left.
    await bob.connect();
    assert.notEqual(done.session_id, again.session_id, 'the second attempt has a session of its own');
    assert.match(await alice.runOk('show', done.session_id), /ended/);
  });

  it('are refused with a secret in the prompt, and without a team', async () => {
    const secret = ['gh', 'p_', 'aB3dE6fG9hJ2kL5mN8pQ1rS4tU7vW0xY3zA6'].join('');
    await assert.rejects(queue([{ say: `use ${secret}` }]), /contains a secret/);
    await assert.rejects(
      queue(saying('x'), { executor_type: 'gpt' }),
      /Unknown executor: "gpt". Available: claude-code/,
    );
    const parent = await alice.runToEnd(atAlice, saying('a parent'));
    const child = { parent_session_id: parent, execution_mode: 'async_callback' };
    await assert.rejects(queue(saying('x'), child), /is not shared with the team/);
    await alice.runOk('team', 'leave');
    await assert.rejects(queue(saying('x')), /does not belong to a team/);
  });
});
