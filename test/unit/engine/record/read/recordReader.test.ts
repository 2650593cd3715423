import assert from 'node:assert/strict';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { RecordIndex } from '../../../../../src/engine/record/read/recordIndex.ts';
import { serializeRecordLine } from '../../../../../src/formats/record.ts';
import type { RecordReader } from '../../../../../src/engine/record/contract.ts';
import { isWindows } from '../../../../support/platform.ts';
import { skip } from '../../../../support/skip.ts';
import {
  aResult,
  aRun,
  aSession,
  anEntry,
  appendAll,
  entryLine,
  runId,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../../../support/sessions/records.ts';

describe('reading a record', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  const readers: RecordReader[] = [];

  beforeEach(async () => {
    temporary = await temporaryStore();
  });
  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.close()));
    await temporary.remove();
  });

  async function written(lines = wholeSession(10)): Promise<void> {
    const writer = await temporary.store.create(aSession());
    await appendAll(writer, lines.slice(2));
    await writer.close();
  }

  async function opened(): Promise<RecordReader> {
    const reader = await temporary.store.openReader(sessionId);
    readers.push(reader);
    return reader;
  }

  it('returns what was written', async () => {
    await written();
    const reader = await opened();
    assert.equal(reader.total, 10);
    assert.equal(reader.summary.outcome, 'completed');
    assert.deepEqual(
      await reader.read(0, 10),
      Array.from({ length: 10 }, (_, index) => anEntry(index)),
    );
    assert.deepEqual(
      (await reader.runs()).map((run) => run.status),
      ['completed'],
    );
    assert.deepEqual(await reader.results(), [{ runId, metadata: aResult(0.25) }]);
    assert.equal((await reader.lastRun())?.end_index, 10);
    assert.deepEqual(reader.problems, []);
    assert.equal(reader.interrupted, false);
  });

  it('succeeds after a failed read', async () => {
    await written(wholeSession(3000));
    const reader = await opened();
    const extend: unknown = Reflect.get(RecordIndex.prototype, 'extend');
    Reflect.set(RecordIndex.prototype, 'extend', () => Promise.reject(new Error('EIO')));
    await assert.rejects(reader.read(0, 10), /EIO/).finally(() => Reflect.set(RecordIndex.prototype, 'extend', extend));
    assert.equal((await reader.read(0, 10)).length, 10);
  });

  it('reads any page of a record much larger than its tail', async () => {
    await written(wholeSession(20_000));
    const reader = await opened();
    assert.equal(reader.total, 20_000);
    for (const from of [19_990, 0, 7_777, 19_000]) {
      assert.deepEqual(
        await reader.read(from, from + 10),
        Array.from({ length: 10 }, (_, index) => anEntry(from + index)),
      );
    }
    assert.deepEqual(await reader.read(20_000, 20_010), []);
    assert.deepEqual(await reader.read(-5, 1), [anEntry(0)]);
    assert.equal((await reader.runs()).length, 1);
  });

  it('takes the last line of an index', async () => {
    const lines = wholeSession(3000);
    await written([...lines.slice(0, -3), entryLine(5, 'settled late'), ...lines.slice(-3)]);
    const reader = await opened();
    assert.equal((await reader.read(5, 6))[0]?.content, 'settled late');
    assert.equal((await reader.read(6, 7))[0]?.content, anEntry(6).content);
  });

  it('follows a record that another window writes', async () => {
    const writer = await temporary.store.create(aSession());
    await writer.append({ kind: 'run', run: aRun() });
    const reader = await opened();
    assert.equal(reader.total, 0);
    assert.equal(reader.interrupted, false);
    assert.equal(await reader.refresh(), false);
    for (let index = 0; index < 6000; index += 1) {
      await writer.append(entryLine(index));
      if (index % 1500 === 0) assert.equal(await reader.refresh(), true);
    }
    await reader.refresh();
    assert.equal(reader.total, 6000);
    assert.deepEqual(await reader.read(0, 1), [anEntry(0)]);
    assert.deepEqual(await reader.read(5999, 6000), [anEntry(5999)]);
    assert.equal(reader.summary.entries, 6000);
    await writer.append({ kind: 'session', session: aSession({ title: 'Renamed' }) });
    await reader.refresh();
    assert.equal(reader.summary.title, 'Renamed');
    await writer.close();
    assert.equal(await reader.refresh(), true);
    assert.equal(reader.interrupted, true);
    assert.equal(reader.summary.outcome, 'interrupted');
  });

  it('reads a line only when it is complete', async () => {
    const writer = await temporary.store.create(aSession());
    const reader = await opened();
    const line = `${serializeRecordLine(entryLine(0))}\n`;
    const file = temporary.store.path(sessionId);
    await appendFile(file, line.slice(0, 50));
    await reader.refresh();
    assert.equal(reader.total, 0);
    assert.deepEqual(reader.problems, [], 'half a line is no damage while somebody writes');
    await appendFile(file, line.slice(50));
    await reader.refresh();
    assert.deepEqual(await reader.read(0, 1), [anEntry(0)]);
    await writer.close();
  });

  it('reopens a replaced file', async function () {
    if (isWindows) skip(this, 'a file that is open cannot be replaced or deleted there');
    await written(wholeSession(10));
    const reader = await opened();
    const file = temporary.store.path(sessionId);
    const text = wholeSession(20).map((line) => `${serializeRecordLine(line)}\n`);
    await writeFile(`${file}.new`, text.join(''));
    await rename(`${file}.new`, file);
    assert.equal(await reader.refresh(), true);
    assert.equal(reader.total, 20);
    assert.equal((await reader.read(0, 20)).length, 20);
  });

  it('finds text in any case, in content, commands, names and results', async () => {
    await written(wholeSession(5000));
    const reader = await opened();
    assert.deepEqual(await reader.find('"ENTRY 4321:"', 10), { indexes: [4321], truncated: false });
    assert.deepEqual(await reader.find('bill-4.js', 10), { indexes: [4], truncated: false });
    assert.deepEqual(await reader.find('NAÏVE "quoted"', 2), { indexes: [1, 4], truncated: true });
    assert.deepEqual((await reader.find('bash', 10_000)).indexes.length, 1667);
    assert.deepEqual(await reader.find('toolName', 10), { indexes: [], truncated: false });
    assert.deepEqual(await reader.find('', 10), { indexes: [], truncated: false });
    await assert.rejects(reader.find('x', 10, { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  });

  it('finds a line glued to another one, and reports it', async () => {
    const usage = { messageId: 'm', model: 'x', usage: { input: 1, output: 2 }, parentCallId: null, settled: true };
    const all = wholeSession(3000);
    const needle = entryLine(6, 'the needle');
    await written([...all.slice(0, 10), needle, ...all.slice(11, 20), { kind: 'usage', run_id: runId, usage }]);
    const file = temporary.store.path(sessionId);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    // Far from the end, which is read whole.
    const rest = all.slice(20).map(serializeRecordLine);
    const at = lines.findIndex((line) => line.includes('the needle'));
    const torn = ['{"kind":"ent', '{"kind":"entry","entry":{"index":2,"type":', '{"kind":"run","run":{"a":[', 'x'];
    for (const before of [...torn, '{"kind":"entry","entry":{"in', '\u0000', serializeRecordLine(entryLine(2)), '}']) {
      const glued = lines.map((line, index) => (index === at || index === lines.length - 1 ? before + line : line));
      await writeFile(file, [...glued, ...rest, ''].join('\n'));
      const reader = await opened();
      assert.deepEqual((await reader.find('needle', 10)).indexes, [6], before);
      assert.equal((await reader.usage()).length, 1, before);
      if (!before.endsWith('}') || before === '}') assert.equal(reader.problems.length, 2, before);
    }
  });

  it('finds only the last state of an entry', async () => {
    const lines = wholeSession(10);
    await written([...lines.slice(0, -3), entryLine(5, 'settled late'), ...lines.slice(-3)]);
    const reader = await opened();
    assert.deepEqual((await reader.find('"entry 5"', 10)).indexes, []);
    assert.deepEqual((await reader.find('settled', 10)).indexes, [5]);
  });

  it('streams every line', async () => {
    const lines = wholeSession(3000);
    await written(lines);
    const seen = [];
    for await (const line of (await opened()).lines()) seen.push(line);
    assert.deepEqual(seen, lines);
  });

  it("reads the agent's output", async () => {
    const writer = await temporary.store.create(aSession());
    const raw = writer.rawStream(runId, 'stdout');
    await raw.write(Buffer.from([0, 255, 10, 13]));
    await raw.write(Buffer.alloc(700_000, 7));
    await raw.close();
    await writer.close();
    const reader = await opened();
    const chunks = [];
    for await (const chunk of reader.raw(runId, 'stdout')) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), Buffer.concat([Buffer.from([0, 255, 10, 13]), Buffer.alloc(700_000, 7)]));
    assert.equal(await reader.rawSize(runId, 'stdout'), 700_004);
    assert.equal(await reader.rawSize(runId, 'stderr'), 0);
    for await (const chunk of reader.raw(runId, 'stderr')) assert.fail(`nothing was printed: ${chunk.length}`);
    assert.throws(() => writer.rawStream('run_../../../x', 'stdout'));
  });

  it('ignores additions of a newer version', async () => {
    await written();
    const file = temporary.store.path(sessionId);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"version":1', '"version":2') + '{"kind":"colour","is":"blue"}\n');
    const reader = await opened();
    assert.equal(reader.newerVersion, 2);
    assert.equal(reader.unknownLines, 1);
    assert.equal((await reader.read(0, 10)).length, 10);
    assert.deepEqual(reader.problems, []);
    await assert.rejects(temporary.store.openWriter(sessionId), { name: 'RecordVersionError', version: 2 });
  });

  it('reports a missing record', async () => {
    await assert.rejects(temporary.store.openReader(sessionId), { name: 'RecordNotFoundError' });
    await assert.rejects(temporary.store.openWriter(sessionId), { name: 'RecordNotFoundError' });
    await assert.rejects(temporary.store.openReader('../x'));
  });
});
