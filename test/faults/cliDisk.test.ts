import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { runResultSchema } from '../../src/model/result.ts';
import { Bench, fakeAgent, prompt } from '../support/fakeAgent/engine.ts';
import { isWindows, platformVariables } from '../support/platform.ts';
import { skip } from '../support/skip.ts';

describe('vitrine run, where the disk does not take the record', function () {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    mkdirSync(bench.cwd, { recursive: true });
  });
  afterEach(() => bench.close());

  async function run(store: string, before: readonly string[] = []) {
    const says = Array.from({ length: 300 }, (_, at) => ({ say: `${at} ${'x'.repeat(500)}` }));
    const steps = prompt([{ init: true }, ...says, { result: {} }]);
    const options = ['run', '--agent', 'claude-code', '--program', fakeAgent, '--store', store, steps];
    const [program = '', ...args] = [...before, process.execPath, path.resolve('src/cli/main.ts'), ...options];
    const child = spawn(program, args, {
      cwd: bench.cwd,
      env: { ...platformVariables, PATH: process.env['PATH'], HOME: bench.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const lines = stdout.trimEnd().split('\n');
    return { code: child.exitCode, lines, stderr, result: runResultSchema.parse(JSON.parse(lines.at(-1) ?? '')) };
  }

  it('shows all of it, says how much is not kept, and ends with 4', async () => {
    const store = path.join(bench.dir, 'no-folder');
    writeFileSync(store, '');
    const { code, lines, stderr, result } = await run(store);
    assert.equal(code, 4, stderr);
    assert.ok(lines.length > 300);
    assert.equal(result.success, true);
    assert.ok((result.unrecorded?.bytes ?? 0) > 300 * 500);
    assert.match(
      result.warnings?.at(-1) ?? '',
      /^The record of this session is incomplete: \d+ bytes were not written/,
    );
    assert.match(stderr, /vitrine: The record of this session is incomplete: \d+ bytes were not written/);
  });

  it('does so, too, where it took a part', async function () {
    if (isWindows) skip(this, 'there is no prlimit');
    const { code, stderr, result } = await run(bench.store, ['prlimit', '--fsize=100000', '--']);
    assert.equal(code, 4, stderr);
    assert.equal(result.unrecorded?.code, 'EFBIG');
    const [session] = readdirSync(path.join(bench.store, 'sessions'));
    assert.ok(session !== undefined);
  });
});
