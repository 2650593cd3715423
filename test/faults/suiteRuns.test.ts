import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../support/host/install/cache.mjs';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const support = (file: string): string =>
  JSON.stringify(pathToFileURL(path.join(repository, 'test/support', file)).href);

interface CommandResult {
  readonly code: number | null;
  /** Both streams, in lines. */
  readonly lines: readonly string[];
}

/** What `npm test` and its suites do when something goes wrong, tried with small scripts in the place of the suites. */
describe('a run of the suites', function () {
  let folder: string;
  const running: ChildProcess[] = [];

  before(function () {
    if (process.platform === 'win32') skip(this, 'signals and process groups are those of POSIX');
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'a run with spaces '));
  });
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function write(name: string, ...lines: string[]): string {
    const file = path.join(folder, name);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  }

  /** Runs a script as the commands of package.json do. */
  function start(
    script: string,
    env: Readonly<Record<string, string>> = {},
  ): { child: ChildProcess; ended: Promise<CommandResult> } {
    const child = spawn(process.execPath, [path.join(repository, 'test/support/withNode24.mjs'), script], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<CommandResult>((resolve) => {
      child.once('close', (code) => resolve({ code, lines: output.trim().split('\n') }));
    });
    return { child, ended };
  }

  const noted = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const hasEnded = (pid: number): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat.split(') ').pop()?.startsWith('Z') === true;
    } catch {
      return true;
    }
  };

  /** A suite that never ends, nor its child, which left the group; both note who they are, and where they may write. */
  function endless(): string {
    write(
      'child.mjs',
      `import { writeFileSync } from 'node:fs';`,
      `writeFileSync('child', String(process.pid));`,
      'setInterval(() => {}, 1000);',
    );
    return write(
      'endless.mjs',
      `import { spawn } from 'node:child_process';`,
      `import { writeFileSync } from 'node:fs';`,
      `import { tmpdir } from 'node:os';`,
      `writeFileSync('temporary', tmpdir());`,
      `writeFileSync('suite', String(process.pid));`,
      `writeFileSync(tmpdir() + '/file', 'left behind');`,
      `spawn(process.execPath, ['child.mjs'], { detached: true, stdio: 'inherit' });`,
      `for (;;) { /* so busy that it hears no signal */ }`,
    );
  }

  function runner(limit: number): string {
    return write(
      'runner.ts',
      `import { stopOnSignals } from ${support('run/suites/interruption.ts')};`,
      `import { runStep } from ${support('run/suites/step.ts')};`,
      `stopOnSignals();`,
      `const end = await runStep({ name: 'endless', args: [${JSON.stringify(endless())}], limit: ${limit} });`,
      `console.log('endless', end.problem);`,
      `process.exitCode = end.ok ? 0 : 1;`,
    );
  }

  async function leavesNothing(): Promise<void> {
    await until('the end of the suite', () => hasEnded(Number(noted('suite'))));
    await until('the end of its child', () => hasEnded(Number(noted('child'))));
    await until('the removal of its temporary folder', () => !existsSync(noted('temporary')));
  }

  /** The child notes itself last; its file exists a moment before, and is empty. */
  const atWork = (): Promise<unknown> =>
    until('the suite and its child', () => existsSync(path.join(folder, 'child')) && noted('child') !== '');

  it('names the suite that exceeds its limit, and ends its processes', async () => {
    const { code, lines } = await start(runner(0.05)).ended;
    assert.equal(code, 1);
    assert.equal(lines.at(-1), 'endless exceeded its limit of 0.05 minutes and was stopped');
    await leavesNothing();
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`ends all processes at ${signal}, and reports what was running`, async () => {
      const { child, ended } = start(runner(10));
      await atWork();
      // Ctrl-C reaches the runner, too; here it is the only one that hears it.
      if (signal === 'SIGINT') process.kill(parentOf(Number(noted('suite'))), signal);
      else child.kill(signal);
      const { code, lines } = await ended;
      assert.equal(code, 130);
      const by = signal === 'SIGINT' ? 'Ctrl-C' : signal;
      assert.equal(lines.at(-1), `FAILED: interrupted by ${by} while running endless.`);
      await leavesNothing();
    });
  }

  it('reports an interruption even if the suite then ends on its own', async () => {
    const polite = write(
      'polite.mjs',
      `import { writeFileSync } from 'node:fs';`,
      `process.on('SIGTERM', () => process.exit(130));`,
      `writeFileSync('child', String(process.pid));`,
      'setInterval(() => {}, 1000);',
    );
    const { child, ended } = start(
      write(
        'runner.ts',
        `import { stopOnSignals } from ${support('run/suites/interruption.ts')};`,
        `import { runStep } from ${support('run/suites/step.ts')};`,
        `stopOnSignals();`,
        `console.log(await runStep({ name: 'polite', args: [${JSON.stringify(polite)}] }));`,
        `process.exit(1);`,
      ),
    );
    await atWork();
    child.kill('SIGTERM');
    const { code, lines } = await ended;
    assert.deepEqual([code, lines.at(-1)], [130, 'FAILED: interrupted by SIGTERM while running polite.']);
  });

  function parentOf(pid: number): number {
    return Number((readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop() ?? '').split(' ')[1]);
  }

  it('leaves no process when killed, and the next run removes its folder', async () => {
    const { child, ended } = start(runner(10));
    await atWork();
    child.kill('SIGKILL');
    await ended;
    await start(write('next.mjs', '')).ended;
    await leavesNothing();
  });

  it('keeps its temporary files in a short folder of its own', async () => {
    const deep = path.join(folder, 'a folder whose path is longer than any socket may have '.repeat(2));
    mkdirSync(deep);
    const script = write(
      'where.mjs',
      `import { statSync } from 'node:fs';`,
      `import { tmpdir } from 'node:os';`,
      `console.log(tmpdir().length <= 30, (statSync(tmpdir()).mode & 0o777).toString(8), process.env.TMPDIR === tmpdir());`,
    );
    const { code, lines } = await start(script, { TMPDIR: deep }).ended;
    assert.deepEqual([code, lines], [0, ['true 700 true']]);
    assert.deepEqual(readdirSync(deep), []);
  });

  it("removes an agent's leftovers in a shared folder", async () => {
    const script = write(
      'agent.mjs',
      `import { mkdirSync, writeFileSync } from 'node:fs';`,
      `import { tmpdir } from 'node:os';`,
      `const left = '/tmp/claude/' + tmpdir().replaceAll('/', '-') + '-workspace/tasks';`,
      `mkdirSync(left, { recursive: true });`,
      `writeFileSync('left', left);`,
    );
    assert.equal((await start(script).ended).code, 0);
    assert.equal(existsSync(path.dirname(noted('left'))), false);
  });

  /** A suite of one file, run as run/mocha.ts does. */
  function suite(...lines: string[]): string {
    const file = write('one.test.cjs', ...lines);
    return write(
      'suite.ts',
      `import { runFiles } from ${support('run/suites/mochaRun.ts')};`,
      `import { exitWith, finish, finishOnErrors } from ${support('run/suites/finish.ts')};`,
      `finishOnErrors('one');`,
      `await exitWith(finish('one', await runFiles([${JSON.stringify(file)}], { timeout: 5000 })));`,
    );
  }

  const opened = `const server = require('node:http').createServer().listen(0, '127.0.0.1');`;

  for (const [when, hook] of [
    ['before the tests', 'before'],
    ['after the tests', 'after'],
  ] as const) {
    it(`ends, with the reason last, when a hook ${when} throws and servers stay open`, async () => {
      const throwing = `${hook}(() => { throw new Error('the hook broke'); });`;
      const { code, lines } = await start(suite(opened, throwing, `it('passes', () => {});`)).ended;
      assert.equal(code, 1);
      const last = lines.findLastIndex((line) => line.startsWith('[one] '));
      assert.equal(lines[last]?.startsWith(`[one] FAILED "${hook} all" hook`), true, lines[last]);
      assert.match(lines.slice(last).join('\n'), /the hook broke/);
      assert.equal((JSON.parse(noted('test-results/one.json')) as { failed: number }).failed, 1);
    });
  }

  it('names a file that cannot be loaded', async () => {
    const { code, lines } = await start(suite(opened, `throw new Error('no such thing');`)).ended;
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /\[one\] FAILED the test files load\nError: no such thing/);
  });

  /** A program that runs a file like a suite that starts other programs. */
  const repeating = (name: string, file: string): string =>
    write(
      name,
      `import { runFiles, secondAttempts } from ${support('run/suites/mochaRun.ts')};`,
      `import { exitWith, finish } from ${support('run/suites/finish.ts')};`,
      `const options = { timeout: 5000, retries: secondAttempts() };`,
      `await exitWith(finish('one', await runFiles([${JSON.stringify(file)}], options)));`,
    );

  it('repeats a test that failed, and lists it as unsteady unless the run is strict', async () => {
    const file = write(
      'once.cjs',
      `let runs = 0; it('varies', () => { if (++runs === 1) throw new Error('too early'); });`,
    );
    const program = repeating('repeated.ts', file);
    const tolerant = await start(program, { VITRINE_STRICT: '' }).ended;
    assert.equal(tolerant.code, 0);
    assert.match(tolerant.lines.join('\n'), /1 passed, 0 failed[^]*\[one\] UNSTEADY varies\nError: too early/);
    const strict = await start(program, { VITRINE_STRICT: '1' }).ended;
    assert.equal(strict.code, 1);
    assert.match(strict.lines.join('\n'), /0 passed, 1 failed/);
  });

  it('repeats a suite with a hook that failed, counts each of its tests once, and lists the hook as unsteady', async () => {
    const file = write(
      'hook.cjs',
      `let runs = 0;`,
      `describe('a suite', () => {`,
      `  afterEach(() => { if (++runs === 1) throw new Error('too late'); });`,
      `  it('first', () => undefined); it('second', () => undefined);`,
      `});`,
      `describe('a suite of others', () => { it('third', () => undefined); });`,
    );
    const program = repeating('repeatedHook.ts', file);
    const tolerant = await start(program, { VITRINE_STRICT: '' }).ended;
    assert.equal(tolerant.code, 0);
    assert.match(
      tolerant.lines.join('\n'),
      /3 passed, 0 failed[^]*\[one\] UNSTEADY a suite "after each" hook for "first"\nError: too late/,
    );
    const strict = await start(program, { VITRINE_STRICT: '1' }).ended;
    assert.equal(strict.code, 1);
    assert.match(strict.lines.join('\n'), /2 passed, 1 failed/);
  });

  function browserCheck(limit: number): string {
    return write(
      'check.ts',
      `import { checkBrowser } from ${support('host/browser.ts')};`,
      `import { finishOnErrors } from ${support('run/suites/finish.ts')};`,
      `finishOnErrors('page');`,
      `await checkBrowser(${limit});`,
    );
  }

  for (const [what, text, limit] of [
    ['ends at once', '#!/bin/sh\nexit 3', 60_000],
    ['hangs', '#!/bin/sh\nsleep 600 & sleep 600', 1500],
  ] as const) {
    it(`fails with advice when the browser ${what}`, async () => {
      const browser = write('browser', text);
      chmodSync(browser, 0o755);
      const { code, lines } = await start(browserCheck(limit), { VITRINE_CHROMIUM: browser }).ended;
      assert.equal(code, 1);
      assert.match(lines.at(-1) ?? '', /^The browser .* does not start: .+ VITRINE_CHROMIUM=\/path\/to\/chrome\.$/);
    });
  }
});
