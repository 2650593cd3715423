import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isObject } from '../../../src/model/text/json.ts';
import { seedStore } from '../../e2e/seed.ts';
import { call, reads, said } from '../../support/sessions/madeEntries.ts';

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
      {
        ...base,
        title: 'Drinks',
        entries: [
          said(0, 'Tea?', 'user_message'),
          {
            ...said(1, 'Tea, then?', 'user_message'),
            origin: 'follow_up',
            metadata: { synthetic: true, trigger_type: 'check_in', trigger_reason: 'Quiet' },
          },
        ],
      },
    ]);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const search = (...args: string[]) => vitrine('search', ...args);
  const show = (...args: string[]) => vitrine('show', ...args);
  async function vitrine(...args: string[]) {
    const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args, '--store', dir], {
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  it('prints results by session, the searched scope, and no terminal escape sequences', async () => {
    const { code, stdout, stderr } = await search('retry');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^ses_000000000000 {2}\S+ \S+ {2}Retry .*delays\n {2}\[0\] user: Why does the retry test fail\?\n/,
    );
    assert.match(stdout, /\n {2}\[1\] Read: /);
    assert.doesNotMatch(stdout, /[\u001b\u202e]/);
    assert.equal(stderr, 'Searched 3 sessions, 5 entries.\n');
  });

  it('prints hits as JSON, reports unknown operators, and exits with 1 without results', async () => {
    const { stdout, stderr } = await search('kind:user', 'tol:x', '--json');
    assert.equal(stdout, '');
    assert.match(stderr, /"tol:x" is not a known operator/);
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

  it('excludes automatic messages, counts them, and marks them on request', async () => {
    const left = 'Hidden follow-ups and child results: 1 (--synthetic).\n';
    const found = await search('tea');
    assert.match(found.stdout, /^ses_000000000002 .*\n {2}\[0\] user: Tea\?\n\n$/);
    assert.ok(found.stderr.endsWith(left), found.stderr);
    assert.match((await search('tea', '--synthetic')).stdout, /\n {2}\[1\] follow_up: Tea, then\?\n/);
    const shown = await show('ses_000000000002');
    assert.match(shown.stdout, /^\[0\] \S+ user message\nTea\?\n\n$/);
    assert.equal(shown.stderr, left);
    const all = await show('ses_000000000002', '--synthetic');
    assert.match(all.stdout, /\[1\] \S+ user message \(follow_up, check_in, Quiet\)\nTea, then\?\n/);
    assert.equal(all.stderr, '');
    assert.equal((await show('ses_000000000002', '--json')).stdout.trim().split('\n').length, 2);
  });

  it('rebuilds its index on request, and when it is damaged', async () => {
    writeFileSync(path.join(dir, 'catalogue.db'), '{');
    assert.equal((await search('retry')).code, 0);
    const { code, stderr } = await search('--rebuild');
    assert.equal(code, 0);
    assert.equal(stderr, 'Searched 3 sessions, 5 entries.\n');
  });
});
