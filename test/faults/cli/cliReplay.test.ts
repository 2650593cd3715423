import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { normalizedEntrySchema } from '../../../src/model/transcript/entry.ts';
import { runResultSchema, type RunResult } from '../../../src/model/session/result.ts';
import { startAcpServer, type AcpServer } from '../../support/acpServer/server.ts';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { Bench } from '../../support/fakeAgent/engine.ts';

const token = 'a-token-that-is-nowhere';

describe('vitrine replay, and run on a server', function () {
  let bench: Bench;
  let server: AcpServer;
  before(async () => {
    server = await startAcpServer({ token });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new Bench();
    mkdirSync(bench.cwd, { recursive: true });
  });
  afterEach(async () => {
    await stopDaemon(path.join(bench.dir, '.local/share/vitrine'));
    await bench.close();
  });

  async function vitrine(...args: string[]) {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args], {
      cwd: bench.cwd,
      env: { PATH: process.env['PATH'], HOME: bench.dir, LAB_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  function printed(stdout: string) {
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const result: RunResult = runResultSchema.parse(lines.pop());
    return { entries: lines.map((line) => normalizedEntrySchema.parse(line)), result };
  }

  const file = path.resolve('test/fixtures/codex/0.169.0/tools-workspace-write.stdout.jsonl');

  it('plays a file, and recognizes its agent', async () => {
    const played = await vitrine('replay', file, '--speed', '0');
    assert.equal(played.code, 0, played.stderr);
    const { entries, result } = printed(played.stdout);
    assert.equal(result.success, true);
    assert.equal(entries[0]?.origin, 'replay');
    assert.ok(entries.some(({ type }) => type.kind === 'tool_use'));
    assert.match((await vitrine('sessions')).stdout, /Replay of tools-workspace-write/);
  });

  it('requires the agent if the file does not tell', async () => {
    const plain = path.join(bench.dir, 'plain.txt');
    writeFileSync(plain, 'All tests pass.\n');
    const asked = await vitrine('replay', plain);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /Could not determine which agent produced .*\. Specify it with --agent: claude-code/);
    const reported = await vitrine('replay', plain, '--agent', 'copilot', '--speed', '0');
    assert.equal(reported.code, 1, 'how it ended is not in the file');
    assert.equal(printed(reported.stdout).entries.at(-1)?.content, 'All tests pass.');
    const missing = await vitrine('replay', path.join(bench.dir, 'missing'));
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /cannot be replayed/);
  });

  it('runs an agent of a server, resumes it, and stores no token', async () => {
    const at = ['--agent', 'acp-http', '--url', server.url, '--server-agent', 'memory', '--token-env', 'LAB_TOKEN'];
    const first = await vitrine('run', ...at, 'Hello');
    assert.equal(first.code, 0, first.stderr);
    assert.equal(printed(first.stdout).result.data, 'You asked me 0 times before.');
    const id = /ses_[0-9a-f]{12}/.exec((await vitrine('sessions')).stdout)?.[0] ?? '';
    const again = await vitrine('run', '--resume', id, '--url', server.url, '--token-env', 'LAB_TOKEN', 'And now?');
    assert.equal(again.code, 0, again.stderr);
    assert.equal(printed(again.stdout).result.data, 'You asked me 1 times before.');
    const files = readdirSync(bench.dir, { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(bench.dir, name),
    );
    const saved = files.filter((name) => statSync(name).isFile()).map((name) => readFileSync(name, 'utf8'));
    assert.ok(saved.length > 0 && !saved.join('').includes(token));
  });

  it('reports missing server options', async () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [['run', '--agent', 'acp-http', 'Hi'], /--url is missing/],
      [['run', '--agent', 'acp-http', '--url', server.url, '--token-env', 'NOT_SET', 'Hi'], /not set: NOT_SET/],
      [['run', '--agent', 'acp-http', '--url', server.url, 'Hi'], /rejected the credentials[^]*Set the token again/],
      [['run', '--agent', 'codex', '--url', server.url, 'Hi'], /--url applies only to --agent acp-http/],
    ];
    for (const [args, expected] of cases) {
      const { code, stderr } = await vitrine(...args);
      assert.equal(code, 2);
      assert.match(stderr, expected);
    }
  });
});
