import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exportFormats } from '../../src/formats/export/formats.ts';
import { stopDaemon } from '../support/daemon/stop.ts';
import { repository } from '../support/host/install/cache.mjs';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../support/sessions/records.ts';
import { aSecret } from '../support/hostile/secrets.ts';

const cli = path.join(repository, 'dist/cli.js');
const secret = aSecret('github', 1);

describe('vitrine export', function () {
  let place: Awaited<ReturnType<typeof temporaryStore>>;

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--store', place.dir], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '' },
      maxBuffer: 1 << 28,
    });
    return { status, stdout, stderr };
  };
  const vitrine = (...args: string[]) => run('export', ...args);

  before(async () => {
    place = await temporaryStore();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(30).slice(2));
    await appendAll(writer, [entryLine(30, `the token is ${secret}`)]);
    await writer.close();
  });
  after(async () => {
    await stopDaemon(place.dir);
    await place.remove();
  });

  it('writes every format, masks the secret and reports its place', () => {
    for (const { id } of exportFormats) {
      const { status, stdout, stderr } = vitrine('--format', id, sessionId);
      assert.equal(status, 0, `${id}: ${stderr}`);
      assert.ok(stdout.length > 100, id);
      assert.ok(!stdout.includes(secret) && !stderr.includes(secret), id);
    }
    const { stderr } = vitrine('--format', 'markdown', sessionId);
    assert.match(stderr, /1 secret was masked, with the key [0-9a-f]{32}:/);
    assert.match(stderr, /github-token hmac:[0-9a-f]{8}, 40 characters in entry 30, content/);
  });

  it('keeps it with --no-redact, and says so', () => {
    const { stdout, stderr } = vitrine('--format', 'markdown', sessionId, '--no-redact');
    assert.ok(stdout.includes(secret));
    assert.match(stderr, /may contain secrets/);
  });

  it('writes the same bytes with the same key, into a private file', async () => {
    const file = path.join(place.dir, 'out.html');
    const first = vitrine('--format', 'markdown', sessionId, '--out', file);
    const key = /with the key ([0-9a-f]+):/.exec(first.stderr)?.[1] ?? '';
    assert.equal(first.stdout, '');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(vitrine('--format', 'markdown', sessionId, '--key', key).stdout, readFileSync(file, 'utf8'));
    assert.notEqual(vitrine('--format', 'markdown', sessionId).stdout, readFileSync(file, 'utf8'));
    assert.deepEqual(
      readdirSync(place.dir).filter((name) => name.endsWith('.part')),
      [],
    );

    const reader = await place.store.openReader(sessionId);
    const decisions = [];
    for await (const line of reader.lines()) if (line.kind === 'decision') decisions.push(line.decision);
    await reader.close();
    const saved = decisions.find((decision) => decision['key'] === key);
    assert.equal(saved?.type, 'export');
    assert.equal(saved['masked'], 1);
    assert.match(String(saved['sha256']), /^[0-9a-f]{64}$/);
  });

  it('can be read by vitrine import', () => {
    const file = path.join(place.dir, 'messages.json');
    assert.equal(vitrine('--format', 'acp', sessionId, '--out', file).status, 0);
    const { status, stdout, stderr } = run('import', file);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^ses_[0-9a-f]{12}\n$/);
    assert.match(stderr, /Imported \(acp\): 31 entries\./);
    assert.equal(run('import', path.join(place.dir, 'none')).status, 2);
    assert.equal(run('import', file, '--agent', 'nobody').status, 2);
  });

  it('is part of the chain that vitrine verify checks', () => {
    const whole = run('verify', sessionId);
    assert.equal(whole.status, 0, whole.stderr);
    assert.match(whole.stdout, /^intact\nhash [0-9a-f]{64}\nsynced to disk .*, up to line \d+\nnot signed\n$/);
    const file = path.join(place.dir, 'record.jsonl');
    const lines = readFileSync(place.store.path(sessionId), 'utf8').split('\n');
    writeFileSync(file, lines.with(6, lines[6]?.replace('Entry', 'entry') ?? '').join('\n'));
    const altered = run('verify', file);
    assert.equal(altered.status, 1);
    assert.match(altered.stdout, /^line 7 was changed, or lines after it were removed\n/);
    assert.match(run('verify', file, '--json').stdout, /"breaks":\[\{"kind":"altered","line":7\}\]/);
    assert.equal(run('verify', path.join(place.dir, 'none')).status, 2);
  });

  it('is listed by vitrine audit, for a session and a period', () => {
    const own = run('audit', sessionId);
    assert.equal(own.status, 0, own.stderr);
    const [first = ''] = own.stdout.split('\n');
    assert.match(first, /"kind":"record","subject":"intact","status":"intact","detail":"[0-9a-f]{64}"/);
    assert.match(own.stdout, /"kind":"command","subject":"grep -n \\"total \{\\" src\/bill-1\.js"/);
    assert.match(own.stdout, /"kind":"decision","subject":"export"/);
    const period = run('audit', '--from', '2026-01-01', '--to', '2026-01-03', '--format', 'csv');
    assert.match(period.stdout, new RegExp(`,${sessionId},.*,run_start,`));
    assert.doesNotMatch(run('audit', '--from', '2020-01-01', '--to', '2020-02-01').stdout, /ses_/);
    for (const args of [
      ['audit'],
      ['audit', sessionId, '--from', '2026-01-01'],
      ['audit', '--from', 'yesterday'],
      ['audit', sessionId, '--format', 'word'],
    ]) {
      assert.equal(run(...args).status, 2, args.join(' '));
    }
  });

  it('reports invalid usage', () => {
    const calls: [string[], RegExp][] = [
      [[sessionId], /--format is missing\. Formats: html, /],
      [['--format', 'word', sessionId], /Unknown export format: "word"\. Supported formats: html, /],
      [['--format', 'html'], /Specify one session\./],
      [['--format', 'csv', sessionId, '--children'], /--children applies only to --format html/],
      [['--format', 'html', 'ses_000000000000'], /ses_000000000000/],
      [['--format', 'html', sessionId, '--key', 'xyz'], /--key is not a hexadecimal key/],
      [['--format', 'html', sessionId, '--key', '0011223344556677', '--no-redact'], /Use only one of them/],
      [
        ['--format', 'html', sessionId, '--out', '/nowhere/at/all.html'],
        /all\.html cannot be written\. .*Choose another location/,
      ],
    ];
    for (const [args, expected] of calls) {
      const { status, stderr } = vitrine(...args);
      assert.equal(status, 2, args.join(' '));
      assert.match(stderr, expected);
    }
  });
});
