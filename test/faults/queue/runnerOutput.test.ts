import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isRunOver } from '../../../src/model/session/status.ts';
import { Bench, fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { openQueueClient, type QueueClient } from '../../support/daemon/queue.ts';
import { until } from '../../support/until.ts';

describe('output of vitrine runner', function () {
  let bench: Bench;
  let joined: QueueClient;
  let started: ChildProcess[];
  beforeEach(async () => {
    bench = new Bench();
    started = [];
    mkdirSync(bench.cwd, { recursive: true });
    joined = await openQueueClient(bench.store, bench.dir);
  });
  afterEach(async () => {
    for (const child of started) child.kill('SIGKILL');
    await joined.stop();
    await bench.close();
  });

  function runner(...args: string[]) {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), 'runner', ...args, '--store', bench.store], {
      cwd: bench.cwd,
      env: { PATH: process.env['PATH'], HOME: bench.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, code, said: () => said, stderr: text(child.stderr) };
  }
  const claude = (...args: string[]) => runner('--executor', 'claude-code', '--program', fakeAgent, ...args);

  it('shuts it down cleanly when its output has no reader', async () => {
    const { child, code, said } = claude('--limit', '2');
    await until('the registration', () => said().includes('registered'));
    const forever = prompt([{ init: true }, { note: bench.pidFile }, { say: 'begun' }, { forever: true }]);
    const request = { executor_type: 'claude-code', prompt: forever, project_dir: bench.cwd };
    const runs = [await joined.link.createRun(request), await joined.link.createRun(request)];
    await until('both runs', () => said().match(/ running\n/g)?.length === 2);
    child.stdout.destroy();
    await joined.link.stopRun(runs[0]?.run_id ?? '');
    const endedRuns = await until('their end', async () => {
      const all = await joined.link.runs();
      return all.every(({ status }) => isRunOver(status)) ? all : undefined;
    });
    assert.equal(await code, 0);
    assert.deepEqual(
      endedRuns.map(({ status, error }) => [status, error]),
      [
        ['stopped', undefined],
        ['stopped', undefined],
      ],
    );
  });

  it('makes invisible characters of a failure visible', async () => {
    const { said } = claude();
    await until('the registration', () => said().includes('registered'));
    await joined.link.createRun({
      executor_type: 'claude-code',
      prompt: 'x',
      project_dir: path.join(bench.dir, 'no\u001b]0;folder\u0007'),
    });
    await until('the failure', () => said().includes(' failed '));
    assert.match(said(), /no⟨U\+001B⟩\]0;folder⟨U\+0007⟩/);
    assert.doesNotMatch(said().replaceAll('\n', ''), /\p{Cc}/u);
  });

  it('is empty for invalid usage, which creates nothing', async () => {
    const file = path.join(bench.dir, 'file');
    writeFileSync(file, '');
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['--executor', 'replay', '--cwd', path.join(bench.dir, 'none')], /Not a folder: .*none \(--cwd\)/],
      [['--executor', 'replay', '--cwd', file], /Not a folder: .*file \(--cwd\)/],
      [['--executor', 'replay', 'more'], /Unexpected argument 'more'/],
      [['--executor', 'replay', '--limit', '65'], /"65" is not a valid number of concurrent runs/],
      [['--executor', 'replay', '--speed', 'fast'], /"fast" is not a number \(--speed\)/],
    ];
    for (const [args, expected] of wrong) {
      const { code, said, stderr } = runner(...args);
      assert.equal(await code, 2, args.join(' '));
      assert.match(await stderr, expected);
      assert.equal(said(), '');
    }
    assert.deepEqual(await joined.link.runners(), []);
  });
});
