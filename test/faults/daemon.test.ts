import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { DaemonError } from '../../src/client/errors.ts';
import { readEndpoint } from '../../src/transport/endpoint.ts';
import { isAlive } from '../../src/engine/process/identity/identity.ts';
import { normalizedEntrySchema } from '../../src/model/transcript/entry.ts';
import { DaemonBench } from '../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../support/fakeAgent/engine.ts';
import { until } from '../support/until.ts';

const asking = [
  { init: true },
  { say: 'before' },
  { tool: { id: 'call-1', command: 'true' } },
  { toolResult: { id: 'call-1', text: 'done' } },
  { tool: { id: 'call-2', command: 'rm -r build' } },
  { ask: { id: 'req-1', input: { command: 'rm -r build' } } },
  { say: 'after' },
  { result: {} },
];

describe('a daemon', function () {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  const jsonOf = (stdout: string): unknown[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('outlives the terminal that started a run, and accepts an answer from another', async () => {
    const { ended } = place.vitrine(
      ...['run', '--detach', '--json', '--agent', 'claude-code', '--program', fakeAgent],
      prompt(asking),
    );
    const ran = await ended;
    assert.equal(ran.code, 0, ran.stderr);
    const [started] = jsonOf(ran.stdout) as { session_id: string; run_id: string }[];
    assert.ok(started);

    const watching = place.vitrine('attach', started.session_id, '--json');
    const { requests } = await place.stateOf(started.session_id, (state) => state.requests.length === 1);
    const listed = jsonOf((await place.vitrine('sessions', '--json').ended).stdout) as Record<string, unknown>[];
    assert.equal(listed.length, 1);
    assert.equal(listed[0]?.['tool_calls'], 2);
    assert.equal(typeof listed[0]['project_dir'], 'string');
    assert.deepEqual(listed[0]['pending_requests'], [
      { id: 'req-1', kind: 'permission', since: requests[0]?.asked_at, text: requests[0]?.title },
    ]);
    const answer = { request: 'req-1', decision: 'allow' };
    watching.process.stdin?.write(`${JSON.stringify({ answer })}\n`);
    const watched = await watching.ended;
    assert.equal(watched.code, 0, watched.stderr);
    const texts = jsonOf(watched.stdout).map((entry) => normalizedEntrySchema.parse(entry).content);
    for (const expected of ['before', 'after'])
      assert.ok(texts.includes(expected), `${expected} in ${texts.join('|')}`);
    assert.ok(texts.some((text) => text.includes('answered') && text.includes('"behavior":"allow"')));

    const status = await place.vitrine('daemon', 'status', '--json').ended;
    const [shown] = jsonOf(status.stdout) as Record<string, unknown>[];
    assert.deepEqual(Object.keys(shown ?? {}), ['pid', 'version', 'protocol', 'since', 'clients', 'runs', 'rss']);
    assert.equal(shown?.['runs'], 0);
    const after = jsonOf((await place.vitrine('sessions', '--json').ended).stdout) as Record<string, unknown>[];
    assert.deepEqual(after[0]?.['pending_requests'], []);
    assert.equal(after[0]['tool_calls'], 2);
    const verified = await place.vitrine('verify', started.session_id).ended;
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

  it('is unique, however many clients start it at once', async () => {
    const connections = await Promise.all(Array.from({ length: 50 }, () => place.connect()));
    const pids = new Set(connections.map(({ daemon }) => daemon.pid));
    assert.equal(pids.size, 1, [...pids].join(', '));
  });

  it('that is killed leaves no agent and no waiting client; the next one shows what was interrupted', async () => {
    const first = await place.connect();
    const steps = [{ init: true }, { note: place.bench.pidFile }, { say: 'working' }, { forever: true }];
    const { session_id } = await first.call('start', place.startParams(steps));
    const agent = await place.bench.agentPid();
    process.kill(first.daemon.pid, 'SIGKILL');
    await first.closed;

    const second = await place.connect();
    assert.notEqual(second.daemon.pid, first.daemon.pid);
    await until('the agent to end', async () => !(await isAlive({ pid: agent, startTime: null })));
    const { state } = await second.follow(session_id, () => Promise.resolve());
    assert.equal(state.summary.outcome, 'interrupted');
    assert.equal(state.live, false);
  });

  it('starts despite leftovers of an earlier one: socket, endpoint, lease', async () => {
    const first = await place.connect();
    process.kill(first.daemon.pid, 'SIGKILL');
    await first.closed;
    assert.notEqual(await readEndpoint(place.folder), null);
    const second = await place.connect();
    assert.equal((await second.call('running', {})).length, 0);
  });

  it("works if the store's path is too long for a socket", async () => {
    await place.close();
    place = new DaemonBench('s'.repeat(200));
    const connection = await place.connect();
    assert.equal((await connection.call('status', {})).runs, 0);
  });

  it('that cannot be started reports the reason', async () => {
    await mkdir(place.store, { recursive: true });
    await writeFile(path.join(place.store, 'daemon'), 'a file in the way');
    await assert.rejects(place.connect(), (error: unknown) => {
      assert.ok(DaemonError.is(error, 'unreachable'));
      assert.match(error.message, /could not be started.*daemon/);
      return true;
    });
  });

  it('starts nothing in a folder that the client does not trust', async () => {
    const connection = await place.connect();
    await assert.rejects(
      connection.call('start', place.startParams([{ init: true }], { trusted: false })),
      (error: unknown) => DaemonError.is(error, 'folder_untrusted'),
    );
  });

  it('serves its clients while others hold connections, send garbage, or guess tokens', async () => {
    const connection = await place.connect();
    const endpoint = await readEndpoint(place.folder);
    assert.ok(endpoint);
    const sent = [
      '',
      '{"proof":"00","nonce":"zz"}\n',
      'GET / HTTP/1.1\r\n\r\n',
      'x'.repeat(100_000),
      '[]\n'.repeat(1000),
    ];
    const strangers = Array.from({ length: 300 }, (_, index) => {
      const socket = createConnection({ path: endpoint.address });
      socket.on('error', () => undefined);
      socket.write(sent[index % sent.length] ?? '');
      return socket;
    });
    const other = await place.connect();
    assert.equal((await other.call('status', {})).clients, 2);
    assert.equal((await connection.call('status', {})).pid, connection.daemon.pid);
    for (const socket of strangers) socket.destroy();
  });

  it('merges pending updates of a slow client, and loses nothing', async () => {
    const connection = await place.connect();
    const words = Array.from({ length: 300 }, (_, index) => ({ say: `word ${index}` }));
    const go = path.join(place.bench.dir, 'go');
    const params = place.startParams([{ init: true }, { until: go }, ...words, { result: {} }]);
    const { session_id } = await connection.call('start', params);
    const seen = new Set<string>();
    let batches = 0;
    let release: () => void = () => undefined;
    const pending = new Promise<void>((resolve) => (release = resolve));
    const ended = new Promise<void>((resolve) => {
      void connection.follow(session_id, async ({ updates, gap, state, seq }) => {
        batches += 1;
        assert.equal(seq, batches);
        assert.equal(gap, false);
        for (const update of updates) if (update.op === 'put') seen.add(update.entry.content);
        if (batches === 1) await pending;
        if (!state.live) resolve();
      });
    });
    await place.bench.go();
    await place.stateOf(session_id, ({ live }) => !live);
    release();
    await ended;
    for (const { say } of words) assert.ok(seen.has(say), say);
    assert.ok(batches < 50, `${batches} batches`);
  });
});
