import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { isAlive, startTimeOf, type ProcessIdentity } from '../../../src/engine/process/identity/identity.ts';
import type { Notice } from '../../../src/engine/api.ts';
import { parseRecordLine } from '../../../src/formats/record.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { Bench, readEntries, waitForResult, prompt, waitForEntry } from '../../support/fakeAgent/engine.ts';

async function identities(pids: readonly number[]): Promise<ProcessIdentity[]> {
  return Promise.all(pids.map(async (pid) => ({ pid, startTime: await startTimeOf(pid) })));
}

async function survivors(processes: readonly ProcessIdentity[]): Promise<number[]> {
  const alive = await Promise.all(processes.map(isAlive));
  return processes.filter((_, index) => alive[index]).map(({ pid }) => pid);
}

describe('processes', function () {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const stubborn = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /** An agent running in a tool, with children of every kind. */
  const family = (own: readonly string[]) => [
    { ignore: own },
    { note: bench.pidFile },
    { child: { note: bench.pidFile } },
    { child: { note: bench.pidFile, ignore: stubborn } },
    { child: { note: bench.pidFile, ignore: stubborn, setsid: true } },
    { child: { note: bench.pidFile, setsid: true, inherit: true } },
    { init: true },
    { tool: { id: 'call_1', command: 'sleep 1000' } },
    { say: 'running' },
    { forever: true },
  ];

  for (const [how, own] of [
    ['that ends when it is asked', []],
    ['that ignores signals', stubborn],
  ] as const) {
    it(`stops an agent ${how}, with all its processes`, async () => {
      const engine = await bench.engine();
      const handle = await engine.start(bench.request(family(own)));
      await waitForEntry(handle, 'running');
      const processes = await identities(bench.pids());
      assert.equal((await survivors(processes)).length, 5);
      await engine.stop(handle.id);
      assert.deepEqual(await survivors(processes), []);
      assert.equal(handle.summary().status, 'stopped');
      assert.equal(handle.summary().outcome, 'stopped');
      assert.deepEqual(handle.openIndexes(), []);
      const tool = (await readEntries(handle)).find(({ type }) => type.kind === 'tool_use');
      assert.ok(tool?.type.kind === 'tool_use' && !['running', 'created'].includes(tool.type.tool.status));
      assert.deepEqual(await readdir(path.join(bench.store, 'leases')), []);
    });
  }

  it('stops detached processes without a parent and with an empty environment', async function () {
    if (process.platform !== 'linux' || !existsSync('/usr/bin/prlimit')) return skip(this, 'no /usr/bin/prlimit');
    const engine = await bench.engine();
    const note = path.join(bench.dir, 'daemon');
    const daemon = `setsid env -i /bin/sh -c 'echo $$ > "${note}"; exec sleep 1000' >/dev/null 2>&1 & `;
    const handle = await engine.start(
      bench.request([{ init: true }, { shell: daemon }, { say: 'running' }, { forever: true }]),
    );
    await waitForEntry(handle, 'running');
    await until('the daemon', () => existsSync(note) && readFileSync(note, 'utf8').endsWith('\n'));
    const processes = await identities([Number(readFileSync(note, 'utf8'))]);
    assert.equal((await survivors(processes)).length, 1);
    await engine.stop(handle.id);
    assert.deepEqual(await survivors(processes), []);
  });

  it('stops during the start', async () => {
    const engine = await bench.engine();
    let stopped: Promise<void> | undefined;
    engine.onSummary(({ session_id }) => {
      stopped ??= engine.stop(session_id);
    });
    const handle = await engine.start(bench.request(family([])));
    await stopped;
    assert.equal(handle.summary().status, 'stopped');
    assert.equal(handle.isLive(), false);
  });

  it('leaves no process running when disposed', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(family(stubborn)));
    await waitForEntry(handle, 'running');
    const processes = await identities(bench.pids());
    await engine.dispose();
    assert.deepEqual(await survivors(processes), []);
    await assert.rejects(engine.start(bench.request([])), { code: 'engine_closed' });
  });

  it('ends leftovers of a killed host, and opens its session as interrupted with all its entries', async () => {
    await mkdir(bench.cwd, { recursive: true });
    const host = spawn(
      process.execPath,
      [path.resolve('test/support/fakeAgent/host.ts'), bench.store, bench.cwd, prompt(family(stubborn))],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: bench.dir } },
    );
    const [chunk] = (await once(host.stdout, 'data')) as [Buffer];
    const id = chunk.toString().trim();
    const processes = await identities(bench.pids());
    host.kill('SIGKILL');
    await once(host, 'exit');
    assert.equal((await survivors(processes)).length, 5, 'a killed host leaves them');

    const engine = await bench.engine();
    const report = await engine.sweep();
    assert.deepEqual(await survivors(processes), []);
    assert.deepEqual(report.interrupted, [id]);
    assert.deepEqual(new Set(report.ended.map(({ pid }) => pid)), new Set(bench.pids()));
    const handle = await engine.open(id);
    const { status, outcome: how, reason } = handle.summary();
    assert.deepEqual([status, how], ['stopped', 'interrupted']);
    assert.match(reason ?? '', /Interrupted/);
    assert.equal(handle.turns()[0]?.status, 'interrupted');
    const kinds = (await readEntries(handle)).map(({ type }) => type.kind);
    assert.deepEqual(kinds.slice(0, 4), ['user_message', 'system_message', 'tool_use', 'assistant_message']);
    const again = await engine.resume(id, {
      prompt: prompt([{ init: true }, { say: 'back' }, { result: { text: 'back' } }]),
    });
    assert.equal((await waitForResult(again)).data, 'back');
    assert.deepEqual((await engine.sweep()).ended, []);
  });

  it('recovers unrecorded entries in their original order', async () => {
    const engine = await bench.engine();
    const steps = [
      { init: true },
      { say: 'first' },
      { printErr: 'a warning\n' },
      { wait: 50 },
      { say: 'second' },
      { result: { usd: 0.5 } },
    ];
    const handle = await engine.start(bench.request(steps));
    await waitForResult(handle);
    const whole = await readEntries(handle);
    const { session_id: id } = handle.summary();
    handle.dispose();
    await engine.dispose();
    const file = engine.recordPath(id);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const cut = lines.findIndex((line) => line.includes('"first"') && line.startsWith('{"kind":"entry"'));
    const saved = [
      ...lines.slice(0, cut),
      ...lines.slice(cut).filter((line) => line.includes('"output_order"')),
      '{"kind":"entry","entry":{"index":3,"timest',
    ];
    await writeFile(file, saved.join('\n'));
    const days = 3 * 24 * 3_600_000;
    const next = await bench.engine({ clock: () => Date.now() + days });
    const opened = await next.open(id);
    assert.equal(opened.summary().outcome, 'interrupted');
    assert.deepEqual(opened.summary().total_cost, { provenance: 'reported', usd: 0.5 });
    const recorded = (await readFile(file, 'utf8')).split('\n').map((line) => parseRecordLine(line).value);
    const run = recorded.findLast((line) => line?.kind === 'run');
    assert.ok(run?.kind === 'run');
    const { active_ms: worked = NaN, responses, completed_at: ended = '' } = run.run;
    // It did nothing in the days before anybody looked.
    assert.ok(worked < 60_000 && Date.parse(ended) < Date.now(), `${worked} ms, until ${ended}`);
    assert.equal(responses, 2);
    const again = await readEntries(opened);
    assert.deepEqual(
      again.slice(0, whole.length).map(({ index, content }) => [index, content]),
      whole.map(({ index, content }) => [index, content]),
    );
  });

  it('does not end processes with a reused pid', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60000)'], {
      stdio: 'ignore',
      detached: true,
    });
    try {
      const exitedChild = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
      await once(exitedChild, 'exit');
      const leases = path.join(bench.store, 'leases');
      await mkdir(leases, { recursive: true });
      const lease = {
        run_id: 'run_0123456789ab',
        session_id: 'ses_0123456789ab',
        program: '/bin/agent',
        hostname: hostname(),
        at: new Date().toISOString(),
        process: { pid: stranger.pid, startTime: 'another boot:1' },
        owner: { pid: exitedChild.pid, startTime: 'another boot:2' },
      };
      await writeFile(path.join(leases, `${lease.run_id}.json`), JSON.stringify(lease));
      await appendFile(path.join(leases, 'run_ffffffffffff.json'), '{"not":');
      const report = await (await bench.engine()).sweep();
      assert.deepEqual(report, { ended: [], interrupted: [] });
      assert.equal(stranger.exitCode, null);
      assert.deepEqual(await readdir(leases), ['run_ffffffffffff.json']);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('shows the output of an agent that exits at once', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request([{ printErr: 'cannot find my own head\n' }, { exit: 7 }]));
    const result = await waitForResult(handle);
    assert.equal(result.success, false);
    assert.match(handle.summary().reason ?? '', /exited immediately \(exit code 7\)/);
    assert.ok((await readEntries(handle)).some(({ content }) => content.includes('my own head')));
    assert.equal(handle.summary().outcome, 'failed');
  });

  it('lists where it searched for a missing program', async () => {
    const engine = await bench.engine({ settings: () => ({}), environment: { PATH: '/nowhere', HOME: bench.dir } });
    await assert.rejects(engine.start(bench.request([])), (error: { code?: string; tried?: string[] }) => {
      assert.equal(error.code, 'program_missing');
      assert.ok(error.tried?.some((place) => place.includes('/nowhere')));
      return true;
    });
    const path_ = path.join(bench.dir, 'not-executable');
    await writeFile(path_, 'x');
    const other = await bench.engine({ settings: () => ({ agents: { 'claude-code': { program: path_ } } }) });
    await assert.rejects(other.start(bench.request([])), { code: 'program_not_executable' });
    assert.deepEqual(await other.list(), []);
  });

  it('reports and records that a program cannot be started', async () => {
    const file = path.join(bench.dir, 'broken');
    await writeFile(file, '#!/no/such/interpreter\n', { mode: 0o755 });
    const engine = await bench.engine({ settings: () => ({ agents: { 'claude-code': { program: file } } }) });
    await assert.rejects(engine.start(bench.request([])), { code: 'spawn_failed' });
    const [summary] = await engine.list();
    assert.deepEqual([summary?.status, summary?.outcome], ['finished', 'failed']);
  });

  it('notifies about an agent without output, and lets it continue', async () => {
    const engine = await bench.engine({ timing: { silenceMs: 50, politeGraceMs: 500, termGraceMs: 500 } });
    const handle = await engine.start(bench.request([{ forever: true }]));
    const notice = await new Promise<Notice>((resolve) => handle.onNotice(resolve));
    assert.equal(notice.failure.code, 'silent');
    assert.equal(handle.isLive(), true);
  });

  it('shows an oversized line as one entry, and the lines after it', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(
      bench.request([{ init: true }, { huge: 9 << 20 }, { say: 'after' }, { result: {} }]),
    );
    const result = await waitForResult(handle);
    assert.equal(result.metadata?.lines.oversize, 1);
    assert.ok((await readEntries(handle)).some(({ content }) => content === 'after'));
    assert.ok(handle.sizes().rawBytes > 9 << 20);
  });

  it("ends leftovers in the agent's group, and does not wait for holders of its output", async () => {
    const engine = await bench.engine();
    const handle = await engine.start(
      bench.request([
        { child: { note: bench.pidFile } },
        { child: { note: bench.pidFile, setsid: true, inherit: true } },
        { init: true },
        { say: 'gone' },
        { result: {} },
        { exit: 0 },
      ]),
    );
    const result = await waitForResult(handle);
    assert.equal(result.success, true);
    const [inGroup, daemon] = bench.pids();
    try {
      assert.deepEqual(await survivors(await identities([inGroup ?? 0])), []);
      assert.ok(
        (await readEntries(handle)).some(({ type }) => type.kind === 'system_message' && type.subtype === 'leftovers'),
      );
    } finally {
      if (daemon !== undefined) process.kill(daemon, 'SIGKILL');
    }
  });
});
