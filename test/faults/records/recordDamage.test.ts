import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseRecordLine, serializeRecordLine, type RecordLine } from '../../../src/formats/record.ts';
import { readLines } from '../../../src/engine/record/read/tail.ts';
import { fuzzRuns, printFuzzTotals } from '../../support/hostile/fuzz.ts';
import { recordPieces } from '../../support/hostile/growing.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../support/sessions/records.ts';

/** Repeatable noise: the same seed gives the same damage. */
function noise(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface DamagedRecord {
  readonly bytes: Buffer;
  /** Lines that nothing happened to, in file order. */
  readonly intact: RecordLine[];
  /** Indexes of entries that a damaged line may speak of, too. */
  readonly doubtful: Set<number>;
}

const garbage = [
  '{"kind":"',
  '}{',
  '{"kind":"entry","entry":{"index":',
  '\u0000'.repeat(300),
  '"',
  '\\',
  '{"kind":"tool_use"}',
  ']]]]',
  'null',
  '[[[[{"',
].map((text) => Buffer.from(text));
const badUtf8 = Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xf0]);

/** About one line in six is damaged: torn, glued to the next, with noise before it, changed inside, doubled, lost. */
function damage(lines: readonly RecordLine[], random: (below: number) => number): DamagedRecord {
  const pieces: Buffer[] = [];
  const intact: RecordLine[] = [];
  const doubtful = new Set<number>();
  for (const line of lines) {
    const text = Buffer.from(serializeRecordLine(line));
    const end = Buffer.from('\n');
    const spoil = (...parts: Buffer[]) => {
      pieces.push(...parts);
      if (line.kind === 'entry') doubtful.add(line.entry.index);
    };
    const keep = (...parts: Buffer[]) => {
      pieces.push(...parts);
      intact.push(line);
    };
    const cut = 1 + random(text.length - 1);
    switch (random(60)) {
      case 0:
        spoil(text.subarray(0, cut), end);
        break;
      case 1:
        spoil(text.subarray(0, cut));
        break;
      case 2:
        keep(text);
        break;
      case 3:
        keep(garbage[random(garbage.length)]!, text, end);
        break;
      case 4:
        keep(text, end, garbage[random(garbage.length)]!, end);
        break;
      case 5: {
        const changed = Buffer.from(text);
        changed.fill(random(256), cut, Math.min(text.length, cut + 1 + random(20)));
        spoil(changed, end);
        break;
      }
      case 6:
        keep(text, end, text, end);
        break;
      case 7:
        spoil();
        break;
      case 8:
        spoil(text.subarray(0, cut), badUtf8, text.subarray(cut), end);
        break;
      case 9:
        keep(Buffer.alloc(random(5000)), text, end);
        break;
      default:
        keep(text, end);
    }
  }
  return { bytes: Buffer.concat(pieces), intact, doubtful };
}

/** A whole session as it is when it comes back: keys in the order of the schema. */
function session(entries: number): RecordLine[] {
  return wholeSession(entries).map((line) => parseRecordLine(serializeRecordLine(line)).value ?? line);
}

/** Every intact line is among those found, in order. */
function assertRecovered(found: readonly RecordLine[], intact: readonly RecordLine[]): void {
  const texts = found.map(serializeRecordLine);
  let at = 0;
  for (const line of intact) {
    const next = texts.indexOf(serializeRecordLine(line), at);
    assert.ok(next >= 0, `lost: ${serializeRecordLine(line)}`);
    at = next + 1;
  }
}

function linesIn(bytes: Buffer): RecordLine[] {
  return readLines(bytes, 0, true).flatMap(({ found }) => found.flatMap(({ line }) => (line === null ? [] : [line])));
}

describe('a damaged record', function () {
  this.timeout(fuzzRuns(120_000));
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    temporary = await temporaryStore();
    await (await temporary.store.create(aSession())).close();
  });
  after(() => temporary.remove());

  it('cut anywhere opens with every line before the cut', async () => {
    const every = fuzzRuns(1) > 1 ? 1 : 19;
    const lines = session(90);
    const texts = lines.map((line) => Buffer.from(`${serializeRecordLine(line)}\n`));
    const whole = Buffer.concat(texts);
    printFuzzTotals(`${whole.length} bytes, cut at every one`);
    assert.ok(whole.length > 20_000, `${whole.length} bytes`);
    const ends = texts.map((_, index) => texts.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0) - 1);
    const file = temporary.store.path(sessionId);
    await writeFile(file, whole);
    for (let size = whole.length; size >= 0; size -= 1) {
      const expected = lines.slice(0, ends.filter((end) => end <= size).length);
      // The lines before the last two are the same as at the cut before.
      const from = expected.length < 2 ? 0 : ends[expected.length - 2]! + 1;
      assert.deepEqual(linesIn(whole.subarray(from, size)), expected.length < 2 ? expected : expected.slice(-1));
      // Files are slower: every cut near a line's end, and every nineteenth elsewhere; all of them at full size.
      if (size % every !== 0 && !ends.some((end) => Math.abs(end - size) < 2)) continue;
      await truncate(file, size);
      const reader = await temporary.store.openReader(sessionId);
      const entries = expected.flatMap((line) => (line.kind === 'entry' ? [line.entry] : []));
      assert.deepEqual(await reader.read(0, reader.total), entries);
      const wholeLines = size === 0 || ends.includes(size) || ends.includes(size - 1);
      assert.deepEqual(
        reader.problems.map((problem) => problem.reason),
        size === 0 ? ['empty'] : wholeLines ? [] : ['torn'],
        `cut at ${size}`,
      );
      await reader.close();
    }
  });

  it('gives every intact line, whatever happened to the others', () => {
    const lines = session(40);
    const seeds = fuzzRuns(5000);
    for (let seed = 0; seed < seeds; seed += 1) {
      const { bytes, intact } = damage(lines, noise(seed));
      assertRecovered(linesIn(bytes), intact);
    }
  });

  it('opens, small or large, with every intact entry at its place', async () => {
    const file = temporary.store.path(sessionId);
    for (let seed = 0; seed < fuzzRuns(60); seed += 1) {
      // Large ones go beyond what opening reads.
      const size = seed % 6 === 0 ? 3000 : 50;
      const { bytes, intact, doubtful } = damage(session(size), noise(seed));
      await writeFile(file, bytes);
      const reader = await temporary.store.openReader(sessionId);
      const read = new Map((await reader.read(0, reader.total)).map((entry) => [entry.index, entry]));
      for (const line of intact) {
        if (line.kind !== 'entry' || doubtful.has(line.entry.index)) continue;
        assert.deepEqual(read.get(line.entry.index), line.entry, `seed ${seed}`);
      }
      const runs = intact.filter((line) => line.kind === 'run');
      assert.ok(runs.length === 0 || (await reader.runs()).length > 0, `seed ${seed}`);
      const found: RecordLine[] = [];
      for await (const line of reader.lines()) found.push(line);
      assertRecovered(found, intact);
      assert.ok(reader.problems.length > 0);
      await reader.find('entry', 10);
      await reader.close();
      assert.equal((await temporary.store.list()).length, 1);
    }
  });

  it('is shown at its place', async () => {
    const lines = session(4);
    const texts = lines.map(serializeRecordLine);
    const half = texts[6]!.slice(0, 40);
    texts[6] = half;
    await writeFile(temporary.store.path(sessionId), texts.map((text) => `${text}\n`).join(''));
    const reader = await temporary.store.openReader(sessionId);
    const offset = Buffer.byteLength(texts.slice(0, 6).join('\n')) + 1;
    assert.deepEqual(reader.problems, [{ offset, bytes: 40, reason: 'torn', head: half, afterIndex: 1 }]);
    assert.deepEqual(
      (await reader.read(0, 4)).map((entry) => entry.index),
      [0, 1, 3],
    );
    await reader.close();
  });

  it('continues on a new line after a torn end', async () => {
    const file = temporary.store.path(sessionId);
    const lines = session(4);
    await rm(path.join(path.dirname(file), 'record.head'), { force: true });
    await writeFile(file, lines.map((line) => `${serializeRecordLine(line)}\n`).join('') + '{"kind":"entry","ent');
    const writer = await temporary.store.openWriter(sessionId);
    await appendAll(writer, [entryLine(4), entryLine(5)]);
    await writer.close();
    const reader = await temporary.store.openReader(sessionId);
    assert.deepEqual(
      (await reader.read(0, 9)).map((entry) => entry.index),
      [0, 1, 2, 3, 4, 5],
    );
    assert.equal(reader.problems.length, 1);
    await reader.close();
    assert.match(await readFile(file, 'utf8'), /"ent\n\{"kind":"entry"/);
  });

  it('is read to its end, whatever it contains', async () => {
    const file = temporary.store.path(sessionId);
    for (const piece of recordPieces) {
      await writeFile(file, Buffer.alloc(4_000_000, piece));
      const reader = await temporary.store.openReader(sessionId);
      assert.deepEqual(await reader.read(0, 100), []);
      for await (const line of reader.lines()) assert.fail(JSON.stringify(line));
      assert.ok(reader.problems.length <= 1001);
      await reader.close();
    }
  });
});
