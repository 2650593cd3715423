import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runResultSchema } from '../../../../src/model/session/result.ts';
import { type Command, DaemonBench } from '../../../support/daemon/bench.ts';
import { fakeAgent, prompt, type Step } from '../../../support/fakeAgent/engine.ts';
import { skip } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';

describe('vitrine run in the foreground', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const args = ['run', '--agent', 'claude-code', '--program', fakeAgent] as const;
  const steps = (): Step[] => [
    { init: true },
    { note: place.bench.pidFile },
    { say: 'before' },
    { until: path.join(place.bench.dir, 'go') },
    { say: 'after' },
    { result: {} },
  ];

  async function started(): Promise<{ readonly command: Command; readonly session: string }> {
    const command = place.vitrine(...args, prompt(steps()));
    await place.bench.agentPid();
    const connection = await place.connect();
    const running = await until('the run to be known', async () => {
      const [found] = await connection.call('running', {});
      return found;
    });
    return { command, session: running.session_id };
  }

  /** Also ends the agent, as the next daemon would. */
  async function killDaemon(): Promise<void> {
    const { daemon } = await place.connect();
    process.kill(daemon.pid, 'SIGKILL');
    process.kill(await place.bench.agentPid(), 'SIGKILL');
  }

  for (const signal of ['SIGKILL', 'SIGHUP'] as const) {
    it(`ended by ${signal} leaves the agent running, and its record complete`, async () => {
      const { command, session } = await started();
      command.process.kill(signal);
      const { code } = await command.ended;
      assert.equal(code, signal === 'SIGHUP' ? 129 : null);
      await place.bench.go();
      const { summary } = await place.stateOf(session, ({ live }) => !live);
      assert.equal(summary.outcome, 'completed');
      const shown = await place.vitrine('show', session).ended;
      assert.match(shown.stdout, /before[\s\S]*after/);
      const verified = await place.vitrine('verify', session).ended;
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    });
  }

  it('stops at Ctrl-C without leftover processes', async () => {
    const { command, session } = await started();
    command.process.kill('SIGINT');
    const { code, stdout } = await command.ended;
    assert.equal(code, 1);
    assert.equal(runResultSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).success, false);
    const { summary } = await place.stateOf(session, ({ live }) => !live);
    assert.equal(summary.outcome, 'stopped');
  });

  it('prints an interrupted result if the daemon is killed', async () => {
    const { command } = await started();
    await killDaemon();
    const { code, stdout } = await command.ended;
    assert.equal(code, 1);
    const result = runResultSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
    assert.equal(result.success, false);
  });

  it('is followed by another terminal, which says when the daemon is killed', async () => {
    const { session } = await started();
    const follower = place.vitrine('show', session, '--follow');
    let printed = '';
    follower.process.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('what the agent said', () => printed.includes('before'));
    await killDaemon();
    const { code, stdout, stderr } = await follower.ended;
    assert.equal(code, 2);
    assert.match(stdout, /before/);
    assert.match(stderr, /^vitrine: The daemon has exited\. The session is saved\./m);
  });

  it('gives each of two simultaneous runs in one folder its own environment', async () => {
    const names = prompt([{ init: true }, { printNames: true }, { result: {} }]);
    const commands = ['FIRST_ONLY', 'SECOND_ONLY'].map((name) => {
      place.environment[name] = '1';
      const command = place.vitrine(...args, names);
      Reflect.deleteProperty(place.environment, name);
      return command;
    });
    const [first, second] = await Promise.all(commands.map(async ({ ended }) => (await ended).stdout));
    assert.ok(first?.includes('FIRST_ONLY') === true && !first.includes('SECOND_ONLY'), first);
    assert.ok(second?.includes('SECOND_ONLY') === true && !second.includes('FIRST_ONLY'), second);
  });

  it('runs the agent with a read-only store, and reports what is not saved', async function () {
    if (process.platform !== 'linux') skip(this, 'gives up rights of root with setpriv');
    await mkdir(place.store, { recursive: true });
    await chmod(place.store, 0o555);
    const script = prompt([{ init: true }, { say: 'hello' }, { result: { text: 'hello' } }]);
    const { code, stdout, stderr } = await place.vitrineByModes(...args, script).ended;
    assert.equal(code, 4, stderr);
    const result = runResultSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
    assert.equal(result.success, true);
    assert.notEqual(result.unrecorded, undefined);
    assert.match(stderr, /^vitrine: /m);
  });
});
