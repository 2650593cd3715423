import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { Bench, fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { platformVariables } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

describe('vitrine run, interrupted while it prepares the run', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    mkdirSync(bench.cwd, { recursive: true });
  });
  afterEach(async () => {
    await stopDaemon(path.join(bench.dir, '.local/share/vitrine'));
    await bench.close();
  });

  it('starts no agent after the first Ctrl-C', async () => {
    const gate = path.join(bench.dir, 'version-gate');
    const steps = prompt([{ init: true }, { note: bench.pidFile }, { result: {} }]);
    const child = spawn(
      process.execPath,
      [path.resolve('dist/cli.js'), 'run', '--agent', 'claude-code', '--program', fakeAgent, steps],
      {
        cwd: bench.cwd,
        env: { ...platformVariables, PATH: process.env['PATH'], HOME: bench.dir, FAKE_AGENT_VERSION_GATE: gate },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const stderr = text(child.stderr);
    await until('the program to be asked for its version', () => existsSync(`${gate}.asked`));
    child.kill('SIGINT');
    writeFileSync(gate, '');
    assert.equal(await exit, 2, await stderr);
    assert.equal(existsSync(bench.pidFile), false, 'an agent was started');
    assert.match(await stderr, /^vitrine: /);
  });
});
