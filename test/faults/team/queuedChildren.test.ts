import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { isAlive } from '../../../src/engine/process/identity/identity.ts';
import type { Run } from '../../../src/model/session/session.ts';
import { prompt, type Step } from '../../support/fakeAgent/engine.ts';
import type { TeamMachine } from '../../support/team/machine.ts';
import { useTeamOfMembers } from '../../support/team/suite.ts';
import { until } from '../../support/until.ts';

describe('child sessions that a person queues for a team', function () {
  let alice: TeamMachine;
  let bob: TeamMachine;
  let atAlice: DaemonConnection;
  let atBob: DaemonConnection;
  useTeamOfMembers(this, async (team) => {
    ({ alice, bob, atAlice, atBob } = team);
    alice.addAgent('lead', 'limits: { max_children: 1 }\n');
    for (const machine of [alice, bob]) machine.addAgent('renderer', 'limits: { max_children: 3 }\n');
    await alice.addRunner(atAlice, []);
  });

  const saying = (words: string): Step[] => [{ init: true }, { result: { usd: 0.5, text: words } }];
  const executor = ['--executor', 'claude-code'];

  /** A session of an agent file, which has ended. */
  async function ended(agent_name: string): Promise<string> {
    const place = { project_dir: alice.bench.cwd, executor_type: 'claude-code' };
    const run = await atAlice.call('queueRun', { ...place, agent_name, prompt: prompt(saying('ready')) });
    await alice.waitForEnd(run.session_id);
    return run.session_id;
  }
  const added = (machine: TeamMachine, parent: string, steps: readonly Step[], ...args: readonly string[]) =>
    machine.vitrine('queue', 'add', '--team', '--parent', parent, ...args, '--json', prompt(steps)).ended;

  async function queued(parent: string, steps: readonly Step[], ...args: readonly string[]): Promise<Run> {
    const { code, stdout, stderr } = await added(alice, parent, steps, ...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Run;
  }
  const sessionOf = async (run: Run) =>
    (await alice.sessions()).find(({ session_id }) => session_id === run.session_id);
  const callback = ['--mode', 'async_callback'];

  it('are below their parent, count in its limits, and give it their result', async () => {
    await bob.addRunner(atBob, ['gpu']);
    const parent = await ended('lead');
    await alice.runOk('team', 'share', parent, '--as', 'metadata');
    const note = path.join(alice.bench.dir, 'given.json');
    const steps: Step[] = [
      { init: true },
      { given: note },
      { result: { usd: 0.5, text: 'drawn by the other machine' } },
    ];
    const run = await queued(
      parent,
      steps,
      '--blueprint',
      'renderer',
      '--cwd',
      bob.bench.cwd,
      '--demand',
      'tag=gpu',
      ...callback,
    );
    await alice.waitForEnd(parent, 2);
    assert.match(await alice.runOk('show', parent), /drawn by the other machine/);
    const child = await sessionOf(run);
    assert.deepEqual(
      [child?.parent_session_id, child?.outcome, child?.remote?.member, child?.agent_name],
      [parent, 'completed', bob.user, 'renderer'],
    );
    assert.match(await alice.runOk('show', run.session_id), /drawn by the other machine/);
    // Its agent could start others only where its parent is.
    assert.match(readFileSync(note, 'utf8'), /"config":null/);

    const start = { tool: 'start_session', args: { agent_name: 'renderer', prompt: prompt(saying('too many')) } };
    const again = prompt([{ init: true }, { mcp: start }, { result: {} }]);
    await atAlice.call('queueRun', { type: 'resume_session', session_id: parent, prompt: again });
    await alice.waitForEnd(parent, 3);
    assert.match(await alice.runOk('show', parent), /already started its maximum of 1 child session/);
    await assert.rejects(
      atAlice.call('queueRun', {
        ...{ executor_type: 'claude-code', team: true, prompt: prompt(saying('x')) },
        parent_session_id: run.session_id,
      }),
      /cannot have child sessions/,
    );
  });

  it('are those of this machine if one of its own runners takes them', async () => {
    await alice.addRunner(atAlice, ['gpu']);
    const parent = await ended('lead');
    await alice.runOk('team', 'share', parent, '--as', 'metadata');
    const gpu = [...executor, '--demand', 'tag=gpu', ...callback];
    const run = await queued(parent, saying('drawn at home'), ...gpu);
    await alice.waitForEnd(parent, 2);
    assert.match(await alice.runOk('show', parent), /drawn at home/);
    const child = await sessionOf(run);
    assert.deepEqual([child?.parent_session_id, child?.outcome, child?.remote], [parent, 'completed', undefined]);

    const started = path.join(alice.bench.dir, 'started');
    const endless = await queued(parent, [{ init: true }, { note: started }, { hear: null }], ...gpu);
    await until('its agent', () => existsSync(started));
    await alice.runOk('queue', 'stop', endless.run_id);
    await until('its end', async () => (await sessionOf(endless))?.outcome === 'stopped');
  });

  it('stop with the tree of their parent, and are queued by the first command of a daemon', async () => {
    await bob.addRunner(atBob, ['gpu']);
    await atAlice.call('shareFolder', { folder: alice.bench.cwd, share: 'metadata' });
    const started = path.join(alice.bench.dir, 'started-tree');
    const waiting: Step[] = [{ init: true }, { note: started }, { hear: null }];
    const top = await atAlice.call('queueRun', {
      ...{ project_dir: alice.bench.cwd, executor_type: 'claude-code' },
      prompt: prompt([{ init: true }, { note: started }, { wait: 100_000 }, { result: {} }]),
    });
    await until('the agent of the parent', () => existsSync(started));
    const child = await queued(top.session_id, waiting, ...executor, '--demand', 'tag=gpu');
    await until('the agent of the child', async () => (await sessionOf(child))?.status === 'running');
    await alice.runOk('queue', 'stop', top.run_id);
    await until('both to stop', async () => (await sessionOf(child))?.outcome === 'stopped');
    const [stopped] = (await atBob.call('queuedRuns', { session_id: child.session_id })).runs;
    assert.equal(stopped?.status, 'stopped');

    const { pid } = atAlice.daemon;
    await alice.runOk('daemon', 'stop', '--now');
    await until('the daemon to exit', async () => !(await isAlive({ pid, startTime: null })));
    const next = await queued(top.session_id, saying('later'), ...executor, '--demand', 'tag=gpu');
    await until('the child of the next daemon', async () => (await sessionOf(next))?.outcome === 'completed');
  });

  it('are refused where their parent is not of this machine, or shares nothing', async () => {
    const parent = await ended('lead');
    const refused = async (machine: TeamMachine, id: string, ...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await added(machine, id, saying('x'), ...executor, ...args);
      assert.equal(code, 2);
      return stderr;
    };
    assert.match(await refused(alice, parent), /is not shared with the team.*vitrine team share ses_\w+ --as metadata/);
    assert.match(await refused(alice, 'ses_00000000000f'), /Session not found: ses_00000000000f/);
    await alice.runOk('team', 'share', parent, '--as', 'metadata');
    assert.match(await refused(alice, parent, '--retry'), /cannot be retried/);
    await until('the session in the team', async () => (await bob.shared()).length > 0);
    const answer = await refused(bob, parent);
    assert.ok(answer.includes(`is on another machine in the team (${alice.user}, `), answer);
    assert.deepEqual((await alice.sessions()).length, 1, 'a refused run has no session');
    await alice.runOk('team', 'leave');
    assert.match(await refused(alice, parent), /does not belong to a team/);
  });
});
