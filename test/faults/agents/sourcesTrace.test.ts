import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { captureFile } from '../../support/stores/homes.ts';
import { skip } from '../../support/skip.ts';

const captures = [
  'claude-code-2.1.330/tty-permission',
  'codex-0.169.0/exec-fork',
  'copilot-1.0.102/tty-permission',
  'gemini-0.61.0/prompt-tools',
  'qwen-0.24.4/prompt-tools',
  'opencode-1.18.33/run-tools',
];
/** Opening for anything but reading, and every other call that changes or locks a file. */
const changes =
  /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|F_SETLK|F_OFD_SETLK|^\d+ +(?:flock|mkdir|mknod|rmdir|unlink|rename|link|symlink|truncate|chmod|fchmod|chown|fchown|lchown|utime|futimes|setxattr|creat)/;

/** System calls of the command line, with the path of each descriptor. Linux only. */
describe('system calls on the stores of other programs', function () {
  let folder = '';
  let home = '';

  before(function () {
    const probe = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']);
    if (probe.status !== 0) skip(this, 'strace is missing or may not trace');
    folder = mkdtempSync(path.join(tmpdir(), 'vitrine-trace-'));
    home = path.join(folder, 'home');
    for (const capture of captures) cpSync(captureFile(capture, 'home'), home, { recursive: true });
    const registry = path.join(home, '.claude/sessions');
    mkdirSync(registry, { recursive: true });
    writeFileSync(path.join(registry, `${process.pid}.json`), JSON.stringify({ pid: process.pid, status: 'idle' }));
    writeFileSync(path.join(registry, `${process.pid}.a1b2.key`), 'secret');
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  function traced(...args: string[]): { readonly stdout: string; readonly calls: readonly string[] } {
    const trace = path.join(folder, 'trace');
    const calls = 'trace=%file,%desc';
    const command = [process.execPath, path.resolve('dist/cli.js'), ...args, '--store', path.join(folder, 'own')];
    const { stdout, status } = spawnSync(
      'strace',
      ['-f', '-y', '-qq', '-s', '512', '-e', calls, '-o', trace, ...command],
      {
        env: { PATH: process.env['PATH'], HOME: home },
        encoding: 'utf8',
        maxBuffer: 64 << 20,
      },
    );
    assert.equal(status, 0);
    const all = readFileSync(trace, 'utf8').split('\n');
    return { stdout, calls: all.filter((call) => call.includes(home)) };
  }

  it('open nothing for writing, create and lock nothing, and never read a key', () => {
    const listed = traced('sessions', '--all', '--json');
    const ids = listed.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { session_id: string }).session_id);
    assert.equal(ids.length, captures.length + 1);
    assert(listed.calls.some((call) => call.includes('.jsonl') && call.includes('O_RDONLY')));
    const shown = ids.slice(0, 1).map((id) => traced('show', id, '--json'));
    const calls = [listed, ...shown, traced('search', 'parser')].flatMap((trace) => trace.calls);
    assert.deepEqual(
      calls.filter((call) => changes.test(call)),
      [],
    );
    assert.deepEqual(
      calls.filter((call) => /\.key[">]/.test(call)),
      [],
    );
  });
});
