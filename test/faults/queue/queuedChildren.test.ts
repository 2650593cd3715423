import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isRunOver } from '../../../src/model/session/status.ts';
import { Bench, readEntries, fakeAgent, prompt, type Step } from '../../support/fakeAgent/engine.ts';
import { openQueueClient } from '../../support/daemon/queue.ts';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { until } from '../../support/until.ts';

describe('sessions that agents start, in the queue', function () {
  this.timeout(120_000);
  let bench: Bench;
  let processes: ChildProcess[];
  beforeEach(() => {
    bench = new Bench();
    processes = [];
    mkdirSync(path.join(bench.cwd, '.vitrine/agents'), { recursive: true });
    agent('lead', 'limits: { max_children: 5 }\n');
    agent('helper', 'description: Helps\n');
    agent('renderer', 'demands: { tags: [gpu] }\n');
  });
  afterEach(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await stopDaemon(bench.store);
    await bench.close();
  });

  function agent(name: string, lines: string): void {
    writeFileSync(path.join(bench.cwd, `.vitrine/agents/${name}.yaml`), lines);
  }
  function vitrine(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args, '--store', bench.store], {
      cwd: bench.cwd,
      env: { PATH: process.env['PATH'], HOME: bench.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    return child;
  }
  /** One that has registered. */
  async function runner(...args: string[]): Promise<string> {
    const child = vitrine('runner', '--executor', 'claude-code', '--program', fakeAgent, ...args);
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    return until('the registration', () => /(lnch_[0-9a-f]{12}) registered/.exec(printed)?.[1]);
  }
  const starts = (agent_name: string, task: readonly Step[], mode = 'sync'): Step => ({
    mcp: { tool: 'start_session', args: { agent_name, prompt: prompt(task), execution_mode: mode } },
  });
  const done = (words: string): Step[] => [{ init: true }, { result: { text: words } }];

  it('are listed, count for the runner of their parent, and go to another runner if they demand it', async () => {
    const plain = await runner('--limit', '1');
    const { link } = await openQueueClient(bench.store, bench.dir);
    const go = path.join(bench.dir, 'go');
    const run = await link.createRun({
      executor_type: 'claude-code',
      agent_name: 'lead',
      project_dir: bench.cwd,
      prompt: prompt([
        { init: true },
        starts('helper', [{ init: true }, { until: go }, { result: { text: 'helped' } }]),
        starts('renderer', done('rendered')),
        { result: {} },
      ]),
    });
    const child = await until('the child', async () =>
      (await link.runs()).find(({ agent_name, status }) => agent_name === 'helper' && status === 'running'),
    );
    const lead = (await link.runs()).find(({ run_id }) => run_id === run.run_id);
    assert.equal(lead?.runner_id, plain);
    assert.deepEqual([child.parent_session_id, child.runner_id], [run.session_id, plain]);
    const load = (await link.runners()).find(({ runner_id }) => runner_id === plain);
    assert.equal(load?.running, 2);
    const gpu = await runner('--tags', 'gpu');
    writeFileSync(go, '');
    await until('the ends', async () => {
      const runs = await link.runs();
      return runs.length === 3 && runs.every(({ status }) => isRunOver(status));
    });
    const runs = await link.runs();
    assert.deepEqual(
      runs.map(({ agent_name, status }) => [agent_name, status]),
      [
        ['lead', 'completed'],
        ['helper', 'completed'],
        ['renderer', 'completed'],
      ],
    );
    assert.equal(runs[2]?.runner_id, gpu);
    const engine = await bench.engine();
    const handle = await engine.open(run.session_id);
    const said = (await readEntries(handle)).map(({ content }) => content).join('\n');
    handle.dispose();
    assert.match(said, /"result": "helped"/);
    assert.match(said, /"result": "rendered"/);
    const rendered = await engine.open(runs[2].session_id);
    assert.equal((await readEntries(rendered)).find(({ type }) => type.kind === 'user_message')?.origin, 'subagent');
    rendered.dispose();
  });

  it('outlive "vitrine run" of their parent, which gets their results', async () => {
    const go = path.join(bench.dir, 'go');
    const task = prompt([
      { init: true },
      starts('helper', [{ init: true }, { until: go }, { result: { text: 'late' } }], 'async_callback'),
      { result: {} },
    ]);
    const parent = vitrine('run', '--blueprint', 'lead', '--program', fakeAgent, task);
    const exit = new Promise<number | null>((resolve) => parent.once('close', resolve));
    const [code, , stderr] = await Promise.all([exit, text(parent.stdout!), text(parent.stderr!)]);
    assert.equal(code, 0, stderr);
    const engine = await bench.engine();
    const named = async (name: string) => (await engine.list()).find(({ agent_name }) => agent_name === name);
    await until('the helper', async () => (await named('helper'))?.status === 'running');
    writeFileSync(go, '');
    await until('the callback', async () => {
      const lead = await named('lead');
      return lead?.runs === 2 && lead.status === 'finished';
    });
    assert.equal((await named('helper'))?.outcome, 'completed');
  });
});
