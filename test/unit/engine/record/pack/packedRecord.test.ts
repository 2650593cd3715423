import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Catalogue } from '../../../../../src/engine/catalogue/catalogue.ts';
import { RecordStore } from '../../../../../src/engine/record/recordStore.ts';
import { verifyRecord } from '../../../../../src/engine/record/chain/verify.ts';
import { Bench, waitForResult } from '../../../../support/fakeAgent/engine.ts';
import { privateMode } from '../../../../support/platform.ts';
import {
  aSession,
  entryLine,
  sessionId,
  storeOfOneRecord,
  type temporaryStore,
} from '../../../../support/sessions/records.ts';
import { searchOf } from '../../../../support/sessions/searching.ts';
import { silentLog } from '../../../../support/silentLog.ts';

describe('a packed record', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let file = '';
  let folder = '';
  let whole: Buffer;
  const entries = 4000;

  beforeEach(async () => {
    ({ place, file, folder, whole } = await storeOfOneRecord(entries));
    // A time that no file made now has.
    await utimes(file, 1_750_000_000, 1_750_000_000);
  });
  afterEach(() => place.remove());

  const fresh = (): RecordStore => new RecordStore(place.dir, { clock: Date.now, log: silentLog });
  const listed = async () => {
    const { ledgers, ...rest } = await fresh().listRecords();
    return { ...rest, ledgers: ledgers.map(({ summary, turns, omitted }) => ({ summary, turns, omitted })) };
  };
  const names = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith('record'));

  it('is one private compressed file with the same bytes, and a copy of its end', async () => {
    const { files, bytes, packed } = await place.store.archive(sessionId);
    assert.deepEqual([files, bytes], [1, whole.length]);
    assert.ok(packed < bytes / 3, `${packed} of ${bytes}`);
    assert.deepEqual(await names(), ['record.end', 'record.head', 'record.jsonl.gz']);
    assert.ok(gunzipSync(await readFile(`${file}.gz`)).equals(whole));
    for (const name of await names())
      assert.equal((await stat(path.join(folder, name))).mode & 0o777, privateMode, name);
    assert.deepEqual(await place.store.archive(sessionId), { files: 0, bytes: 0, packed: 0 });
  });

  it('can be listed, opened and searched', async () => {
    const before = await listed();
    const catalogue = new Catalogue(place.dir);
    const search = searchOf(place.store, silentLog, { catalogue });
    const found = await search.search({ query: 'entry' });
    await place.store.archive(sessionId);
    assert.deepEqual(await listed(), before);
    assert.deepEqual((await search.search({ query: 'entry' })).sessions, found.sessions);
    catalogue.close();
    const reader = await fresh().openReader(sessionId);
    assert.equal(reader.total, entries);
    assert.equal((await reader.read(0, entries)).length, entries);
    assert.equal((await reader.runs()).length, 1);
    await reader.close();
    assert.deepEqual(await names(), ['record.end', 'record.head', 'record.jsonl.gz'], 'reading changes nothing');
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.')),
      [],
      'and leaves nothing',
    );
  });

  it('is listed without the copy of its end', async () => {
    const before = await listed();
    await place.store.archive(sessionId);
    await rm(path.join(folder, 'record.end'));
    assert.deepEqual(await listed(), before);
  });

  it('can be verified, and reveals changes', async () => {
    await place.store.archive(sessionId);
    assert.equal((await verifyRecord(file)).verdict, 'intact');
    assert.equal((await verifyRecord(`${file}.gz`)).verdict, 'intact');
    const text = whole.toString();
    const at = text.indexOf('"content":"', text.length / 2);
    const changed = `${text.slice(0, at + 11)}X${text.slice(at + 12)}`;
    await writeFile(`${file}.gz`, gzipSync(changed));
    const { verdict, breaks } = await verifyRecord(file);
    const line = changed.slice(0, at).split('\n').length;
    assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'altered', line }]]);
    const lines = text.trimEnd().split('\n');
    await writeFile(`${file}.gz`, gzipSync(`${lines.slice(0, -2).join('\n')}\n`));
    assert.equal((await verifyRecord(file)).verdict, 'truncated');
  });

  it('is unpacked byte for byte before writing, and the chain continues', async () => {
    await place.store.archive(sessionId);
    const writer = await fresh().openWriter(sessionId);
    await writer.append(entryLine(entries));
    await writer.close();
    assert.deepEqual(await names(), ['record.head', 'record.jsonl']);
    assert.ok((await readFile(file)).subarray(0, whole.length).equals(whole));
    assert.equal((await verifyRecord(file)).verdict, 'intact');
  });

  it('is unpacked on request, with its time', async () => {
    await place.store.archive(sessionId);
    await place.store.unpack(sessionId);
    assert.deepEqual(await names(), ['record.head', 'record.jsonl']);
    assert.ok((await readFile(file)).equals(whole));
    assert.equal((await stat(file)).mtimeMs, 1_750_000_000_000);
  });

  it('can be followed while it is packed and unpacked', async () => {
    const reader = await place.store.openReader(sessionId);
    await place.store.archive(sessionId);
    await reader.refresh();
    assert.equal((await reader.read(0, entries)).length, entries);
    const writer = await fresh().openWriter(sessionId);
    await writer.append(entryLine(entries));
    await writer.close();
    await reader.refresh();
    assert.equal(reader.total, entries + 1);
    await reader.close();
  });

  it('is complete even if packing or unpacking was interrupted', async () => {
    await place.store.archive(sessionId);
    // Packed, and the original not gone yet; then written on.
    await writeFile(file, whole);
    const writer = await fresh().openWriter(sessionId);
    await writer.append(entryLine(entries));
    await writer.close();
    assert.deepEqual(await names(), ['record.head', 'record.jsonl']);
    const reader = await fresh().openReader(sessionId);
    assert.equal(reader.total, entries + 1);
    await reader.close();
    // Half unpacked.
    await place.store.archive(sessionId);
    await writeFile(`${file}.part`, whole.subarray(0, 1000));
    await place.store.unpack(sessionId);
    assert.equal((await verifyRecord(file)).verdict, 'intact');
  });

  it('reports damage, and is not overwritten', async () => {
    await place.store.archive(sessionId);
    const packed = await readFile(`${file}.gz`);
    await writeFile(`${file}.gz`, packed.subarray(0, -200));
    const damaged = { message: /record\.jsonl\.gz is damaged: unexpected end of file\. .*gzip -dc/ };
    await assert.rejects(place.store.openWriter(sessionId), damaged);
    await assert.rejects(place.store.unpack(sessionId), damaged);
    await assert.rejects(place.store.create(aSession()));
    assert.ok((await readFile(`${file}.gz`)).equals(packed.subarray(0, -200)));
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('is read as far as possible if truncated, and reported as truncated', async () => {
    await place.store.archive(sessionId);
    const packed = await readFile(`${file}.gz`);
    for (const length of [packed.length - 1, packed.length - 200, packed.length >> 1]) {
      await writeFile(`${file}.gz`, packed.subarray(0, length));
      const reader = await fresh().openReader(sessionId);
      const read = await reader.read(0, reader.total);
      await reader.close();
      assert.ok(read.length > 100 && read.length <= entries, String(read.length));
      assert.equal(reader.summary.status, 'stopped', String(length));
      assert.ok(reader.problems.some(({ reason }) => reason === 'cut_off'));
      assert.equal((await verifyRecord(file)).verdict, length === packed.length - 1 ? 'intact' : 'truncated');
    }
    for (const length of [0, 2, 15]) {
      await writeFile(`${file}.gz`, packed.subarray(0, length));
      await assert.rejects(fresh().openReader(sessionId), /record\.jsonl\.gz is damaged: it contains no complete line/);
    }
  });

  it('is not created for active, unfinished or newer records', async () => {
    const writer = await place.store.openWriter(sessionId);
    await assert.rejects(place.store.archive(sessionId), { name: 'RecordBusyError' });
    await writer.close();
    const other = path.join(place.dir, 'sessions', 'ses_0000000000ff');
    await mkdir(other);
    await writeFile(path.join(other, 'record.jsonl'), whole.toString().replace('"version":1', '"version":2'));
    assert.equal((await place.store.archive('ses_0000000000ff')).files, 0);
  });
});

describe('a packed session', () => {
  const bench = new Bench();
  after(() => bench.close());

  it('can be resumed', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request([{ init: true }, { say: 'first' }, { result: { text: 'first' } }]));
    await waitForResult(handle);
    const id = handle.summary().session_id;
    handle.dispose();
    const { files } = await engine.archive.pack([id]);
    assert.ok(files >= 2, `${files} files`);
    assert.equal((await engine.archive.verify(id)).verdict, 'intact');
    const chunks: string[] = [];
    for await (const chunk of (await engine.archive.export(id, { format: 'markdown', redact: true })).chunks) {
      chunks.push(chunk);
    }
    assert.match(chunks.join(''), /first/);
    await engine.archive.pack([id]);
    const next = await engine.resume(id, {
      prompt: JSON.stringify([{ init: true }, { say: 'second' }, { result: {} }]),
    });
    assert.equal((await waitForResult(next)).success, true);
    const texts = (await next.read(0, next.entryCount())).map(({ content }) => content);
    assert.ok(texts.includes('first') && texts.includes('second'));
    assert.equal((await engine.archive.verify(id)).verdict, 'intact');
  });
});
