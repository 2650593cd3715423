import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isObject } from '../../src/model/json.ts';
import { seedStore } from '../e2e/seed.ts';
import { call, reads, said } from '../support/madeEntries.ts';

describe('vitrine search', function () {
  let dir: string;
  const base = { daysAgo: 0, usd: 0.1, turns: 1, seconds: 60 };
  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-search-'));
    await seedStore(dir, '/project', [
      {
        ...base,
        title: 'Retry \u001b[2Jdelays',
        entries: [
          said(0, 'Why does the retry test fail?', 'user_message'),
          call(1, reads('/p/retry.ts'), { toolName: 'Read', result: { text: 'a \u202eretry in the output' } }),
        ],
      },
      { ...base, title: 'Other', entries: [said(0, 'Nothing of it')] },
    ]);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function search(...args: string[]) {
    const child = spawn(process.execPath, [path.resolve('src/cli/main.ts'), 'search', ...args, '--store', dir], {
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  it('prints what it found by session, what it looked at, and no control of a terminal', async () => {
    const { code, stdout, stderr } = await search('retry');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^ses_000000000000 {2}\S+ \S+ {2}Retry .*delays\n {2}\[0\] user: Why does the retry test fail\?\n/,
    );
    assert.match(stdout, /\n {2}\[1\] Read: /);
    assert.doesNotMatch(stdout, /[\u001b\u202e]/);
    assert.equal(stderr, 'Searched 2 sessions, 3 entries.\n');
  });

  it('prints hits as JSON, tells of what it did not understand, and exits with 1 where there is nothing', async () => {
    const { stdout, stderr } = await search('kind:user', 'tol:x', '--json');
    assert.equal(stdout, '');
    assert.match(stderr, /"tol:x" begins with no operator/);
    const hits = (await search('kind:tool', '--json')).stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    assert.equal(hits.length, 1);
    const [hit] = hits;
    assert.ok(isObject(hit));
    assert.deepEqual([hit['sessionId'], hit['entry'], hit['tool']], ['ses_000000000000', 1, 'Read']);
    assert.equal((await search('nowhere')).code, 1);
    assert.equal((await search()).code, 2);
  });

  it('makes its index again when it is told to, and whenever it is broken', async () => {
    writeFileSync(path.join(dir, 'search/manifest.json'), '{');
    assert.equal((await search('retry')).code, 0);
    const { code, stderr } = await search('--rebuild');
    assert.equal(code, 0);
    assert.equal(stderr, 'Searched 2 sessions, 3 entries.\n');
  });
});
