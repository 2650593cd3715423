import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ChainBreak } from '../../../../../src/engine/record/chain/chainBreaks.ts';
import { verifyRecord } from '../../../../../src/engine/record/chain/verify.ts';
import { serializeRecordLine } from '../../../../../src/formats/record.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../../../support/sessions/records.ts';

type Tampering = (lines: readonly string[]) => readonly string[];
/** What is said first: how, and of which line; or after which one the end is missing. */
type Statement = readonly [ChainBreak['kind'] | 'truncated', number];

const count = 21;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const foreign = (link: string | null): string => {
  const line = serializeRecordLine(entryLine(3, 'I was never said'));
  return link === null ? line : line.replace(/\}$/, `,"prev":"${link}"}`);
};
/** Lines count from 1, as they are told. */
const change =
  (line: number, how: (text: string) => string): Tampering =>
  (lines) =>
    lines.with(line - 1, how(lines[line - 1] ?? ''));
const put =
  (line: number, what: (lines: readonly string[]) => string): Tampering =>
  (lines) =>
    lines.toSpliced(line - 1, 0, what(lines));
const drop =
  (line: number, many = 1): Tampering =>
  (lines) =>
    lines.toSpliced(line - 1, many);
const swap =
  (one: number, other: number): Tampering =>
  (lines) =>
    lines.with(one - 1, lines[other - 1] ?? '').with(other - 1, lines[one - 1] ?? '');
const move =
  (from: number, to: number): Tampering =>
  (lines) =>
    lines.toSpliced(from - 1, 1).toSpliced(to - 1, 0, lines[from - 1] ?? '');
const copyOf =
  (line: number) =>
  (lines: readonly string[]): string =>
    lines[line - 1] ?? '';

const fitting = 'one with a prev that fits is';

const otherPrev = (text: string): string =>
  text.replace(/"prev":"(.)/, (_, digit) => `"prev":"${digit === 'a' ? 'b' : 'a'}`);

const inAnyLine: [string, (text: string) => string][] = [
  ['has another value', (text) => text.replace(/"(kind|created_at)":"/, '"x":1,"$1":"')],
  ['has another prev', otherPrev],
  ['has a prev that is none', (text) => text.replace(/"prev":"./, '"prev":"G')],
  ['has no prev', (text) => text.replace(/,"prev":"[0-9a-f]{64}"/, '')],
  ['has lost its last brace', (text) => text.slice(0, -1)],
  ['has lost its first one', (text) => text.slice(1)],
  ['has lost a quote', (text) => text.replace('":"', '":')],
  ['is cut in half', (text) => text.slice(0, text.length / 2)],
  ['is blocks of zeros', () => '\u0000'.repeat(100)],
  ['is blank', () => ''],
];

const cases: [string, Tampering, Statement][] = [
  ...[1, 8, count].flatMap((line) =>
    inAnyLine.map(([name, how]): [string, Tampering, Statement] => [
      `line ${line} ${name}`,
      change(line, how),
      ['altered', line],
    ]),
  ),
  ['lines 5 and 9 were changed', (lines) => change(9, otherPrev)(change(5, otherPrev)(lines)), ['altered', 5]],
  ['line 1 was taken out', drop(1), ['missing_before', 1]],
  ['line 8 was taken out', drop(8), ['altered', 7]],
  ['lines 5 to 8 were taken out', drop(5, 4), ['altered', 4]],
  ['the last line was taken out', drop(count), ['truncated', count - 1]],
  ['the last five were taken out', drop(count - 4, 5), ['truncated', count - 5]],
  ['the first two changed places', swap(1, 2), ['moved', 1]],
  ['lines 8 and 9 changed places', swap(8, 9), ['moved', 8]],
  ['lines 5 and 10 changed places', swap(5, 10), ['moved', 5]],
  ['the last two changed places', swap(count - 1, count), ['moved', count - 1]],
  ['line 5 was moved behind line 10', move(5, 10), ['moved', 5]],
  ['line 10 was moved before line 5', move(10, 5), ['moved', 5]],
  ...[1, 2, 8, count].flatMap((line): [string, Tampering, Statement][] => [
    [`a line without prev is put in as ${line}`, put(line, () => foreign(null)), ['inserted', line]],
    [`one with a prev of nothing as ${line}`, put(line, () => foreign('ab'.repeat(32))), ['inserted', line]],
    [`one with a prev of zeros as ${line}`, put(line, () => foreign('0'.repeat(64))), ['inserted', line]],
    [
      `one with the prev of another line as ${line}`,
      put(line, (lines) => foreign(sha256(lines[14] ?? ''))),
      ['inserted', line],
    ],
    [
      `one with a prev that fits as ${line}`,
      put(line, (lines) => foreign(line === 1 ? '0'.repeat(64) : sha256(lines[line - 2] ?? ''))),
      ['inserted', line],
    ],
  ]),
  ['two lines without prev are put in first', (lines) => [foreign(null), foreign(null), ...lines], ['inserted', 1]],
  ['a copy of line 5 is put in as 11', put(11, copyOf(5)), ['inserted', 11]],
  ['a copy of line 10 is put in as 5', put(5, copyOf(10)), ['inserted', 5]],
  ['a copy of line 8 stands behind it', put(9, copyOf(8)), ['inserted', 9]],
  ['a copy of line 1 stands behind it', put(2, copyOf(1)), ['inserted', 2]],
  ['a copy of line 5 is appended', put(count + 1, copyOf(5)), ['inserted', count + 1]],
  ['a copy of the last line is appended', put(count + 1, copyOf(count)), ['inserted', count + 1]],
  ['a line without prev is appended', put(count + 1, () => foreign(null)), ['inserted', count + 1]],
  ['one with a prev of nothing is', put(count + 1, () => foreign('ab'.repeat(32))), ['inserted', count + 1]],
  ['one with a prev of zeros is', put(count + 1, () => foreign('0'.repeat(64))), ['inserted', count + 1]],
  [fitting, put(count + 1, (lines) => foreign(sha256(lines.at(-1) ?? ''))), ['inserted', count + 1]],
  ['text with a NUL is put in', put(8, () => 'I was never said\u0000'), ['inserted', 8]],
  ['text behind a NUL is put in', put(8, () => '\u0000I was never said'), ['inserted', 8]],
  ['nothing is left', () => [], ['truncated', 0]],
];

describe('tampering with a record', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let file = '';
  let lines: readonly string[] = [];
  before(async () => {
    place = await temporaryStore();
    file = place.store.path(sessionId);
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(14).slice(2));
    await writer.close();
    lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, count);
  });
  after(() => place.remove());

  const asText = (some: readonly string[]): string => some.map((line) => `${line}\n`).join('');
  const first = async (): Promise<Statement> => {
    const { verdict, breaks, lines: left, damaged } = await verifyRecord(file, { session: sessionId });
    assert.deepEqual(damaged, [], 'what was altered is not told as torn by a crash');
    assert.notEqual(verdict, 'intact');
    return verdict === 'truncated' ? [verdict, left] : [breaks[0]?.kind ?? 'altered', breaks[0]?.line ?? 0];
  };

  for (const [name, tamper, reported] of cases) {
    it(`is located: ${name}`, async () => {
      await writeFile(file, asText(tamper(lines)));
      assert.deepEqual(await first(), reported);
    });
  }

  it('is located at its first line, whichever lines it affects', async () => {
    const reported = async (tamper: Tampering, line: number, name: string): Promise<void> => {
      await writeFile(file, asText(tamper(lines)));
      assert.equal((await first())[1], line, name);
    };
    for (let one = 1; one <= count; one += 1) {
      for (let other = one + 1; other <= count; other += 1) {
        await reported(swap(one, other), one, `swapped ${one} and ${other}`);
        await reported(move(one, other), one, `moved ${one} to ${other}`);
        await reported(move(other, one), one, `moved ${other} to ${one}`);
        await reported(put(one, copyOf(other)), one, `copied ${other} to ${one}`);
        await reported(put(other + 1, copyOf(one)), other + 1, `copied ${one} to ${other + 1}`);
        const isStart = one === 1 && other < count;
        await reported(drop(one, other - one + 1), isStart ? 1 : one - 1, `took out ${one} to ${other}`);
      }
    }
  });

  it('is reported in the same way for a packed record', async () => {
    await writeFile(file, asText(lines));
    await place.store.archive(sessionId);
    for (const [name, tamper, reported] of cases) {
      if (tamper(lines).length === 0) continue;
      await writeFile(`${file}.gz`, gzipSync(asText(tamper(lines))));
      assert.deepEqual(await first(), reported, name);
    }
    await writeFile(`${file}.gz`, gzipSync(asText(lines)));
    assert.equal((await verifyRecord(file)).verdict, 'intact');
    await place.store.unpack(sessionId);
  });

  it('is detected after a crashed writer, except in its last lines', async () => {
    const [lease = ''] = (await readdir(path.dirname(file))).filter((name) => name.startsWith('writer.'));
    const leaseFile = path.join(path.dirname(file), lease);
    const leaseText = await readFile(leaseFile, 'utf8');
    await writeFile(leaseFile, leaseText.replace(',"released":true', ''));
    for (const [name, tamper, reported] of cases) {
      await writeFile(file, asText(tamper(lines)));
      if (name === fitting) assert.equal((await verifyRecord(file)).verdict, 'intact');
      else assert.deepEqual(await first(), reported, name);
    }
    await writeFile(leaseFile, leaseText);
  });

  it('is not confused with remains of a crash: line beginnings, and empty sectors', async () => {
    const at = Buffer.byteLength(asText(lines.slice(0, 7)));
    const hole = (text: string): string => `{"kind":"${'\u0000'.repeat(1024 - ((at + 9) % 512))}${text}`;
    for (const torn of ['{"kind":"entry","entry":{"in', '\u0000'.repeat(99), hole('ddle of a line"}'), hole('')]) {
      await writeFile(file, asText(lines.toSpliced(7, 0, torn)));
      const { verdict, breaks, damaged } = await verifyRecord(file);
      assert.deepEqual([verdict, breaks, damaged], ['intact', [], [8]]);
    }
  });

  it('is detected if the head was removed with the end', async () => {
    const head = path.join(path.dirname(file), 'record.head');
    const saved = await readFile(head);
    for (const rest of [lines, lines.slice(0, -5)]) {
      await rm(head, { force: true });
      await writeFile(file, asText(rest));
      assert.deepEqual(await first(), ['truncated', rest.length]);
      await writeFile(head, '');
      assert.deepEqual(await first(), ['truncated', rest.length]);
    }
    await writeFile(head, saved);
  });

  it('is detected after the end of each closed record, whatever was changed since', async () => {
    await writeFile(file, asText(lines));
    await place.store.archive(sessionId);
    await place.store.unpack(sessionId);
    await (await place.store.openWriter(sessionId)).close();
    const last = lines.at(-1) ?? '';
    await writeFile(file, asText([...lines, foreign(sha256(last))]));
    assert.deepEqual(await first(), ['inserted', count + 1]);
    assert.equal((await readdir(path.dirname(file))).filter((name) => name.startsWith('writer.')).length, 1);
  });

  it('of the last line is reported as a missing end if an earlier version kept only its hash', async () => {
    const head = path.join(path.dirname(file), 'record.head');
    await writeFile(head, `${JSON.stringify({ hash: sha256(lines.at(-1) ?? ''), at: '2026-01-02T03:04:05.000Z' })}\n`);
    await writeFile(file, asText(lines));
    assert.equal((await verifyRecord(file)).verdict, 'intact');
    await writeFile(file, asText(change(count, otherPrev)(lines)));
    assert.deepEqual(await first(), ['altered', count]);
    await writeFile(file, asText(change(count, (text) => text.replace('Claude', 'Klaude'))(lines)));
    assert.deepEqual(await first(), ['truncated', count]);
  });
});
