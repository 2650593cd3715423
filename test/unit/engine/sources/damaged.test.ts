import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { storeFormats } from '../../../../src/agents/stores/formats.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { fuzzOptions } from '../../../support/hostile/fuzz.ts';
import { turn, uuidOf, writeSession } from '../../../support/stores/claudeStore.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';

const captures = [
  'claude-code-2.1.330/tty-compact/home/.claude/projects/-home-dev-project/3bd90347-9273-4594-a168-d0c00ed99a48.jsonl',
  'claude-code-2.0.77/print-tools-resume/home/.claude/projects/-home-dev-project/d615d453-3181-44bd-9427-84bbb9f58f75.jsonl',
  'codex-0.169.0/tty-permission/home/.codex/sessions/2026/11/23/rollout-2026-11-23T22-58-30-01a20aa1-e1b6-77d1-9402-c4f78c3f58ab.jsonl',
  'copilot-1.0.102/tty-permission/home/.copilot/session-state/0b6b7b9f-267d-4681-8250-ae8224ff7308/events.jsonl',
].map((file) => ({ file, bytes: readFileSync(captureFile(file)) }));

/** A file as it may be found: cut anywhere, with flipped bits, with something else in it. */
const damage = fc.record({
  which: fc.nat(captures.length - 1),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  flips: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), bit: fc.nat(7) }), { maxLength: 20 }),
  insert: fc.option(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), json: fc.json() })),
});

function damaged({ which, cut, flips, insert }: typeof damage extends fc.Arbitrary<infer T> ? T : never): Buffer {
  const bytes = Buffer.from(captures[which]!.bytes.subarray(0, Math.ceil(captures[which]!.bytes.length * cut)));
  for (const { at, bit } of flips) {
    const place = Math.floor(at * (bytes.length - 1));
    if (bytes.length > 0) bytes[place] = bytes[place]! ^ (1 << bit);
  }
  if (insert === null) return bytes;
  const place = Math.floor(insert.at * bytes.length);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(`\n${insert.json}\n`), bytes.subarray(place)]);
}

describe('damaged stores', () => {
  it('never make a parser throw, and count every line', () => {
    fc.assert(
      fc.property(damage, (how) => {
        const { file } = captures[how.which]!;
        const format = storeFormats.find(({ agent }) => file.startsWith(agent));
        assert(format !== undefined);
        const lines = damaged(how).toString('utf8').split('\n');
        for (const needsEntries of [true, false]) {
          const parser = format.createParser({ needsEntries, session: uuidOf(1), notes: new Map() });
          const part = { role: 'main', session: uuidOf(1) } as const;
          const updates = lines.flatMap((text) => [...parser.push({ kind: 'line', part, path: file, text })]);
          updates.push(...parser.end(false));
          const facts = parser.facts();
          assert.equal(facts.records.total, lines.filter((line) => line.trim() !== '').length);
          assert.ok(updates.every((update) => update.op === 'append' || update.entry.index >= 0));
          JSON.stringify([facts, updates]);
        }
      }),
      fuzzOptions(100),
    );
  });

  let home = '';

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'vitrine-sources-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('become rows with the reason', async () => {
    const good = uuidOf(1);
    writeSession(home, good, turn(good, 1, { id: 'msg_1' }));
    const file = writeSession(home, uuidOf(2), []);
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x7b, 0x0a]));
    const huge = writeSession(home, uuidOf(3), turn(uuidOf(3), 3, { id: 'msg_3' }));
    writeFileSync(huge, `${'x'.repeat(9 << 20)}\n`, { flag: 'a' });
    const rows = await sourcesOf(home).list(await loadPrices());
    const problems = rows.map(({ executor_session_ids: [id], problem }) => [id, problem]);
    assert.deepEqual(problems.sort(), [
      [uuidOf(1), null],
      [uuidOf(2), 'Damaged: 2 of 2 records cannot be read.'],
      [uuidOf(3), 'Damaged: 1 of 3 records cannot be read.'],
    ]);
    const damagedRow = rows.find(({ executor_session_ids: [id] }) => id === uuidOf(3));
    const shown = await sourcesOf(home).read(damagedRow!.session_id);
    assert.ok(shown?.entries.some(({ type }) => type.kind === 'error' && type.error.code === 'oversize_line'));
  });

  it('become rows if a session file has no session', async () => {
    for (const capture of ['gemini-0.61.0/prompt-tools', 'copilot-1.0.102/prompt-tools', 'codex-0.169.0/exec-tools'])
      cpSync(captureFile(capture, 'home'), home, { recursive: true });
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((name) => /session-[^/]+\.jsonl?$|events\.jsonl$|rollout-[^/]+$/.test(name))
      .map((name) => path.join(home, name));
    const problemsOf = async (): Promise<(string | null)[]> =>
      (await sourcesOf(home).list(await loadPrices())).map(({ problem }) => problem);
    assert.deepEqual(
      await problemsOf(),
      files.map(() => null),
    );
    for (const content of ['', 'noise', '[1]']) {
      for (const file of files) {
        chmodSync(file, 0o644);
        writeFileSync(file, content);
      }
      const problems = await problemsOf();
      assert.equal(problems.length, files.length);
      for (const problem of problems) assert.match(problem ?? 'none', /empty|Damaged/);
    }
  });

  it('report a truncated record that is not read otherwise', async () => {
    const id = uuidOf(1);
    const file = writeSession(home, id, turn(id, 1, { id: 'msg_1' }));
    const whole = readFileSync(file);
    for (const end of ['{"trackedFile', '{}', '{"a":{}']) {
      writeFileSync(file, Buffer.concat([whole, Buffer.from(`{"type":"file-history-snapshot","snapshot":${end}`)]));
      const [row] = await sourcesOf(home).list(await loadPrices());
      assert.match(row?.problem ?? '', /^Damaged: 1 of \d+ records/, end);
    }
  });

  it('tolerate link cycles, broken links and missing permissions', async function () {
    const id = uuidOf(1);
    const file = writeSession(home, id, turn(id, 1, { id: 'msg_1' }));
    const folder = path.dirname(file);
    symlinkSync(path.dirname(folder), path.join(folder, 'round'));
    symlinkSync(path.join(folder, 'nothing'), path.join(folder, `${uuidOf(2)}.jsonl`));
    symlinkSync(path.join(folder, `${uuidOf(4)}.jsonl`), path.join(folder, `${uuidOf(4)}.jsonl`));
    const closed = path.join(folder, `${uuidOf(3)}.jsonl`);
    copyFileSync(file, closed);
    chmodSync(closed, 0);
    mkdirSync(path.join(folder, `${uuidOf(5)}.jsonl`));
    const rows = await sourcesOf(home).list(await loadPrices());
    const isRoot = process.getuid?.() === 0;
    const problems = rows.flatMap(({ problem }) => problem ?? []);
    assert.deepEqual(problems.sort(), [
      'A folder with the name of a session file.',
      'A link to a file that does not exist.',
      ...(isRoot ? [] : ['No permission to read it.']),
      'The links form a loop.',
    ]);
    assert.equal(rows.length, 5);
  });

  it('appear and disappear while watched', async () => {
    const id = uuidOf(1);
    const folder = path.dirname(writeSession(home, id, turn(id, 1, { id: 'msg_1' })));
    const prices = await loadPrices();
    const sources = sourcesOf(home);
    await sources.list(prices);
    const link = path.join(folder, `${uuidOf(2)}.jsonl`);
    const problemsAfter = async (changed: string): Promise<(string | null)[]> => {
      await sources.refresh(new Set([changed]), prices);
      return (await sources.list(prices)).flatMap(({ problem }) => problem ?? []);
    };
    symlinkSync(path.join(folder, 'nothing'), link);
    const reasons = ['A link to a file that does not exist.'];
    const { changed } = await sources.refresh(new Set([link]), prices);
    assert.deepEqual(
      changed.map(({ problem }) => problem),
      reasons,
    );
    assert.deepEqual(await problemsAfter(folder), reasons);
    rmSync(link);
    const { removed } = await sources.refresh(new Set([folder]), prices);
    assert.equal(removed.length, 1);
    assert.deepEqual(await problemsAfter(folder), []);
  });

  it('are not modified', async () => {
    for (const capture of [
      'claude-code-2.1.330/tty-permission',
      'codex-0.169.0/exec-fork',
      'copilot-1.0.102/tty-permission',
    ])
      cpSync(captureFile(capture, 'home'), home, { recursive: true });
    mkdirSync(path.join(home, '.claude/sessions'), { recursive: true });
    const before = fingerprint(home);
    const sources = sourcesOf(home);
    for (const { session_id } of await sources.list(await loadPrices())) await sources.read(session_id);
    assert.deepEqual(fingerprint(home), before);
  });
});

/** Every file below a folder with its bytes. */
function fingerprint(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return entry.isFile() ? `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}` : file;
    })
    .sort();
}
