import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { CreateRunRequest } from '../../../src/coordinator/api.ts';
import { Journal } from '../../../src/engine/coordinator/journal.ts';
import { journalFile } from '../../../src/engine/coordinator/openQueue.ts';
import { isAlive, startTimeOf } from '../../../src/engine/process/identity/identity.ts';
import { isRunOver } from '../../../src/model/session/status.ts';
import type { Run } from '../../../src/model/session/session.ts';
import type { ChangedRun } from '../../../src/protocol/daemon/queue.ts';
import { Bench, fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { openQueueClient, type QueueClient } from '../../support/daemon/queue.ts';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { silentLog } from '../../support/silentLog.ts';
import { until } from '../../support/until.ts';

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('vitrine runner, queue, agents', function () {
  let bench: Bench;
  let runners: ChildProcess[];
  beforeEach(() => {
    bench = new Bench();
    runners = [];
    mkdirSync(bench.cwd, { recursive: true });
  });
  afterEach(async () => {
    for (const runner of runners) runner.kill('SIGKILL');
    await stopDaemon(bench.store);
    await bench.close();
  });

  function start(
    args: readonly string[],
    cwd = bench.cwd,
  ): { process: ChildProcess; ended: Promise<CommandResult>; lines: string[] } {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args, '--store', bench.store], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: bench.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { process: child, lines, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
  }
  /** One that has registered. */
  async function runner(name: string, ...args: string[]) {
    const cwd = path.join(bench.dir, name);
    mkdirSync(cwd, { recursive: true });
    const started = start(['runner', ...args], cwd);
    runners.push(started.process);
    const line = await until('the registration', () =>
      started.lines.find((candidate) => candidate.includes('registered')),
    );
    return { ...started, cwd, id: /lnch_[0-9a-f]{12}/.exec(line)?.[0] ?? '' };
  }
  const queueClient = (): Promise<QueueClient> => openQueueClient(bench.store, bench.dir);
  const claude = (steps: Parameters<typeof prompt>[0]): CreateRunRequest => ({
    executor_type: 'claude-code',
    prompt: prompt(steps),
    project_dir: bench.cwd,
  });
  const claudeRunner = (...args: string[]) => runner('r', '--executor', 'claude-code', '--program', fakeAgent, ...args);

  it('execute 80 runs by 4 processes, each once and in order', async () => {
    const names = ['one', 'two', 'three', 'four'];
    const replay = (name: string) => runner(name, '--executor', 'replay', '--speed', '0', '--limit', '2');
    const runnerIds = (await Promise.all(names.map(replay))).map(({ id }) => id);
    assert.equal(new Set(runnerIds).size, 4);
    const { link, onRun } = await queueClient();
    const endedRuns = new Map<string, ChangedRun>();
    onRun((run) => {
      if (isRunOver(run.status)) endedRuns.set(run.run_id, run);
    });
    const created: Run[] = [];
    for (let at = 0; at < 80; at += 1)
      created.push(await link.createRun({ executor_type: 'replay', prompt: `Run ${at}` }));
    await until('80 runs', () => endedRuns.size === 80, 100_000);
    assert.deepEqual(
      [...endedRuns.values()].filter(({ status }) => status !== 'completed'),
      [],
    );

    const jobs = await new Journal(journalFile(bench.store), silentLog).read();
    const claims = jobs.map(({ run }) => run).filter(({ status }) => status === 'claimed');
    assert.deepEqual(
      claims.map(({ run_id }) => run_id),
      created.map(({ run_id }) => run_id),
    );
    const claimants = new Set(claims.map(({ runner_id }) => runner_id ?? 'none'));
    assert.ok(claimants.size >= 2, `${[...claimants].join(', ')} had all`);
    assert.deepEqual(
      [...claimants].filter((id) => !runnerIds.includes(id)),
      [],
    );
    // What was claimed is what was executed: one session with one run for each, by that runner.
    const engine = await bench.engine();
    const sessions = await engine.list();
    assert.equal(sessions.length, 80);
    assert.deepEqual(
      new Set(sessions.map(({ session_id }) => session_id)),
      new Set(created.map(({ session_id }) => session_id)),
    );
    assert.ok(sessions.every(({ runs, outcome }) => runs === 1 && outcome === 'completed'));
    const record = readFileSync(engine.recordPath(claims[0]!.session_id), 'utf8');
    assert.ok(record.includes(claims[0]!.run_id) && record.includes(claims[0]!.runner_id ?? 'none'));
  });

  it('assign a run to a runner that meets its demands, and support agent files', async () => {
    const plain = await claudeRunner();
    const gpu = await runner('gpu', '--executor', 'claude-code', '--program', fakeAgent, '--tags', 'gpu,web');
    mkdirSync(path.join(bench.cwd, '.vitrine/agents'), { recursive: true });
    const blueprint = 'description: Renders\ndemands: { tags: [gpu] }\nsystem_prompt: You render.\n';
    writeFileSync(path.join(bench.cwd, '.vitrine/agents/renderer.yaml'), blueprint);
    const note = path.join(bench.dir, 'given.json');
    const steps = prompt([{ init: true }, { given: note }, { say: 'rendered' }, { result: {} }]);
    const added = await start([
      'queue',
      'add',
      '--blueprint',
      'renderer',
      '--demand',
      `hostname=${hostname()}`,
      '--wait',
      '--json',
      steps,
    ]).ended;
    assert.equal(added.code, 0, added.stderr);
    const run = JSON.parse(added.stdout.trim().split('\n').at(-1) ?? '') as Run;
    assert.equal(run.runner_id, gpu.id);
    assert.notEqual(gpu.id, plain.id);
    assert.deepEqual(run.demands, { hostname: hostname(), tags: ['gpu'] });
    assert.equal(run.agent_name, 'renderer');
    const launched = JSON.parse(readFileSync(note, 'utf8')) as { args: string[] };
    assert.ok(launched.args.includes('You render.'));
    const [session] = await (await bench.engine()).list();
    assert.deepEqual([session?.session_id, session?.agent_name, session?.runs], [run.session_id, 'renderer', 1]);
    const listed = await start(['queue']).ended;
    assert.match(listed.stdout, new RegExp(`${gpu.id} {2}online .*#gpu #web`));
    assert.match(listed.stdout, new RegExp(`${run.run_id} {2}completed`));
    const stopped = await start(['queue', 'add', '--executor', 'codex', 'Do it']).ended;
    const id = /run_[0-9a-f]{12}/.exec(stopped.stdout)?.[0] ?? '';
    assert.match((await start(['queue', 'stop', id]).ended).stdout, /stopped/);
  });

  /** The agent of the only run, once it is there. */
  async function agentOf() {
    const pid = await bench.agentPid();
    return { pid, startTime: await startTimeOf(pid) };
  }

  it('finish the run of a killed runner, and assign no other to it', async () => {
    const victim = await claudeRunner();
    const { link } = await queueClient();
    const go = path.join(bench.dir, 'go');
    const run = await link.createRun(claude([{ init: true }, { until: go }, { say: 'done' }, { result: {} }]));
    await until('the run', async () => (await link.runs()).find(({ status }) => status === 'running'));
    const waiting = await link.createRun(claude([{ init: true }, { say: 'later' }, { result: {} }]));
    victim.process.kill('SIGKILL');
    await victim.ended;
    writeFileSync(go, '');
    await until('its end', async () =>
      (await link.runs()).find(({ run_id, status }) => run_id === run.run_id && status === 'completed'),
    );
    await until('the runner to leave', async () => (await link.runners()).every(({ status }) => status === 'stale'));
    assert.equal((await link.runs()).find(({ run_id }) => run_id === waiting.run_id)?.status, 'pending');
    const back = await claudeRunner();
    assert.equal(back.id, victim.id);
    await until('the other', async () => (await link.runs()).every(({ status }) => status === 'completed'));
  });

  it('end the run of a killed daemon with a reason, keep its session resumable, and lose no run', async () => {
    const survivor = await claudeRunner();
    const first = await queueClient();
    const run = await first.link.createRun(
      claude([{ init: true }, { note: bench.pidFile }, { say: 'begun' }, { forever: true }]),
    );
    await until('the run', async () => (await first.link.runs()).find(({ status }) => status === 'running'));
    const waiting = await first.link.createRun({ executor_type: 'codex', prompt: 'Later' });
    const agent = await agentOf();
    process.kill(first.connection.daemon.pid, 'SIGKILL');
    await first.connection.closed;
    await until('the runner to register again', () => survivor.lines.filter((line) => line.includes('registered'))[1]);
    const { link } = await queueClient();
    const found = await link.runs();
    assert.deepEqual(
      found.map(({ run_id, status, error }) => [run_id, status, error]),
      [
        [run.run_id, 'failed', 'The Vitrine daemon ended during this run.'],
        [waiting.run_id, 'pending', undefined],
      ],
    );
    await until('the agent’s end', async () => !(await isAlive(agent)));
    const engine = await bench.engine();
    const session = await until('the session', async () =>
      (await engine.list()).find(({ outcome }) => outcome === 'interrupted'),
    );
    assert.equal(session.session_id, run.session_id);
    const again = await link.createRun({
      ...claude([{ init: true }, { say: 'back' }, { result: {} }]),
      type: 'resume_session',
      session_id: run.session_id,
    });
    await until('the second run', async () =>
      (await link.runs()).find(({ run_id, status }) => run_id === again.run_id && status === 'completed'),
    );
    const handle = await engine.open(run.session_id);
    assert.deepEqual(
      handle.turns().map(({ runId, status }) => [runId, status]),
      [
        [run.run_id, 'failed'],
        [again.run_id, 'completed'],
      ],
    );
    handle.dispose();
  });

  it('can share an identity, and leave in order', async () => {
    const first = await claudeRunner();
    const second = await claudeRunner();
    assert.notEqual(second.id, first.id);
    const { link } = await queueClient();
    const waits = claude([{ init: true }, { forever: true }]);
    const runs = [await link.createRun(waits), await link.createRun(waits)];
    const both = await until('both runs', async () => {
      const running = (await link.runs()).filter(({ status }) => status === 'running');
      return running.length === 2 ? running : undefined;
    });
    assert.deepEqual(new Set(both.map(({ runner_id }) => runner_id)), new Set([first.id, second.id]));
    first.process.kill('SIGINT');
    assert.equal((await first.ended).code, 0);
    const own = both.find(({ runner_id }) => runner_id === first.id);
    assert.ok(first.lines.includes(`${own?.run_id ?? ''} ${own?.session_id ?? ''} stopped`));
    const left = await link.runs();
    assert.deepEqual(left.map(({ status }) => status).sort(), ['running', 'stopped']);
    for (const { run_id } of runs) await link.stopRun(run_id);
    await until('their end', async () => (await link.runs()).every(({ status }) => isRunOver(status)));
  });

  it('report invalid usage', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['runner'], /--executor is missing/],
      [['runner', '--executor', 'gpt'], /Unknown executor: "gpt"/],
      [['runner', '--executor', 'codex', '--limit', '0'], /not a valid number of concurrent runs/],
      [['queue', 'add'], /"queue add" is unknown or incomplete/],
      [['queue', 'add', '--blueprint', 'none', 'Do it'], /Agent not found: "none"/],
      [['queue', 'add', '--executor', 'codex', '--demand', 'speed=9', 'Do it'], /is not a valid demand/],
    ];
    for (const [args, expected] of wrong) {
      const { code, stderr } = await start(args).ended;
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, expected);
    }
  });

  it('list agents with their problems, and run one', async () => {
    const folder = path.join(bench.cwd, '.vitrine/agents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'fine.yaml'),
      'description: Fine\ntags: [team]\nskills: [talking]\nsystem_prompt: Be fine.\n',
    );
    const vitrine = (...args: string[]) => {
      const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args], {
        cwd: bench.cwd,
        env: { PATH: process.env['PATH'], HOME: bench.dir },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
      return Promise.all([exit, text(child.stdout), text(child.stderr)]);
    };
    assert.deepEqual(await vitrine('agents'), [
      0,
      `${'fine'.padEnd(24)}  claude-code   active    here  [team] Fine\n`,
      '',
    ]);
    writeFileSync(path.join(folder, 'broken.json'), '{\n  "status": "off"\n}\n');
    const [code, stdout, stderr] = await vitrine('agents');
    assert.equal(code, 1);
    assert.match(stdout, /^broken +unusable/);
    assert.ok(stderr.endsWith('/broken.json:2:13: error: "status" must be one of: active, inactive.\n'), stderr);
    assert.match((await vitrine('agents', '--tag', 'team', '--skill', 'talking'))[1], /^fine/);
    assert.deepEqual(await vitrine('agents', '--tag', 'other'), [0, '', '']);
    const note = path.join(bench.dir, 'given.json');
    const steps = prompt([{ init: true }, { given: note }, { say: 'fine' }, { result: {} }]);
    const ran = await vitrine('run', '--blueprint', 'fine', '--program', fakeAgent, '--store', bench.store, steps);
    assert.equal(ran[0], 0, ran[2]);
    assert.ok((JSON.parse(readFileSync(note, 'utf8')) as { args: string[] }).args.includes('Be fine.'));
    const refused = await vitrine('run', '--blueprint', 'broken', steps);
    assert.equal(refused[0], 2);
    assert.match(refused[2], /The file for agent "broken" is not valid.*broken\.json:2/s);
  });
});
