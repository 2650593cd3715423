import assert from 'node:assert/strict';
import { eventSchema } from '../../../src/model/transcript/event.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { until } from '../../support/until.ts';

const asking = [{ init: true }, { say: 'before' }, { ask: { id: 'req-1' } }, { say: 'after' }, { result: {} }];
const allow = { kind: 'allow', scope: 'once' } as const;

describe('commands for background runs', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const contentsOf = (stdout: string): (string | undefined)[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { content?: string }).content);

  it('daemon logs --json prints one object per message', async () => {
    const { daemon } = await place.connect();
    const { code, stdout } = await place.vitrine('daemon', 'logs', '--json').ended;
    assert.equal(code, 0);
    const [first] = stdout.split('\n').map((line) => JSON.parse(line || 'null') as Record<string, string> | null);
    assert.deepEqual(Object.keys(first ?? {}), ['at', 'level', 'message']);
    assert.match(first?.['message'] ?? '', new RegExp(`serves .* \\(pid ${daemon.pid}`));
  });

  it('show --follow prints a running session to the end of its run, and a finished one at once', async () => {
    const connection = await place.connect();
    const { session_id } = await connection.call('start', place.startParams(asking));
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    const { clients } = await connection.call('status', {});
    const follower = place.vitrine('show', session_id, '--follow', '--json');
    await until('it to follow', async () => (await connection.call('status', {})).clients > clients);
    await connection.call('answer', { session_id, request_id: 'req-1', answer: allow });
    const { code, stdout, stderr } = await follower.ended;
    assert.equal(code, 0, stderr);
    for (const text of ['before', 'after']) assert.ok(contentsOf(stdout).includes(text), text);
    const again = await place.vitrine('show', session_id, '--follow').ended;
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /before[\s\S]*after/);
  });

  it('show --keep-following continues with later runs, until Ctrl-C', async () => {
    const connection = await place.connect();
    const params = place.startParams([{ init: true }, { say: 'first' }, { result: {} }]);
    const { session_id } = await connection.call('start', params);
    await place.stateOf(session_id, ({ live }) => !live);
    const follower = place.vitrine('show', session_id, '--keep-following', '--json');
    let printed = '';
    follower.process.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('what is there', () => printed.includes('"first"'));
    const later = place.startParams([{ init: true }, { say: 'second' }, { result: {} }]).request.prompt;
    await connection.call('resume', { context: params.context, session_id, request: { prompt: later } });
    await until('what comes', () => printed.includes('"second"'));
    follower.process.kill('SIGINT');
    assert.equal((await follower.ended).code, 0);
  });

  it('events --follow prints events of all sessions or of one, until Ctrl-C', async () => {
    const connection = await place.connect();
    const follow = (...args: string[]) => {
      const { process: child, ended } = place.vitrine('events', '--follow', ...args);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      return { child, ended, begun: until('it to follow', () => said.includes('Following')) };
    };
    const [all, other] = [follow(), follow('ses_000000000000')];
    await Promise.all([all.begun, other.begun]);
    let printed = '';
    all.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const steps = [{ init: true }, { tool: { id: 'call', command: 'ls' } }, { toolResult: { id: 'call', text: 'a' } }];
    const params = place.startParams([...steps, { say: 'hello' }, { result: { text: 'hello' } }]);
    const { session_id } = await connection.call('start', params);
    await until('its end', () => printed.includes('session_stop'));
    for (const { child } of [all, other]) child.kill('SIGINT');
    const ended = await all.ended;
    assert.equal(ended.code, 0, ended.stderr);
    const events = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)));
    assert.deepEqual(
      events.map(({ event_type: type }) => type),
      ['session_start', 'message', 'pre_tool', 'post_tool', 'message', 'session_stop'],
    );
    assert.ok(events.every((event) => event.session_id === session_id));
    assert.equal((await other.ended).stdout, '');
    const without = await place.vitrine('events').ended;
    assert.deepEqual([without.code, without.stdout], [2, '']);
  });

  it('attach --json stops the run, and prints its entries and nothing else', async () => {
    const connection = await place.connect();
    const { session_id } = await connection.call('start', place.startParams(asking));
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    const attached = place.vitrine('attach', session_id, '--json');
    attached.process.stdin?.write('{"stop": true}\n');
    const { code, stdout, stderr } = await attached.ended;
    assert.equal(code, 1);
    assert.equal(stderr, '');
    assert.ok(contentsOf(stdout).includes('before'));
    assert.equal((await place.stateOf(session_id, ({ live }) => !live)).summary.status, 'stopped');
  });

  it('Ctrl-C in attach detaches, explains how to stop, and does not affect the run', async () => {
    const connection = await place.connect();
    const { session_id } = await connection.call('start', place.startParams(asking));
    await place.stateOf(session_id, ({ requests }) => requests.length === 1);
    const attached = place.vitrine('attach', session_id);
    let printed = '';
    attached.process.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('it to be attached', () => printed.includes('asks for permission'));
    attached.process.kill('SIGINT');
    const { code, stderr } = await attached.ended;
    assert.equal(code, 0);
    assert.match(stderr, new RegExp(`Detached\\..*vitrine stop ${session_id}`));
    // A terminal that is killed takes nothing with it either.
    const second = place.vitrine('attach', session_id, '--json');
    let entries = '';
    second.process.stdout?.on('data', (chunk: Buffer) => (entries += chunk.toString()));
    await until('it to be attached', () => entries.includes('before'));
    second.process.kill('SIGKILL');
    await second.ended;
    await connection.call('answer', { session_id, request_id: 'req-1', answer: allow });
    const { summary } = await place.stateOf(session_id, ({ live }) => !live);
    assert.equal(summary.outcome, 'completed');
  });
});
