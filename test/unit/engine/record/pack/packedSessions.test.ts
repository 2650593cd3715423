import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { RecordStore } from '../../../../../src/engine/record/recordStore.ts';
import { verifyRecord } from '../../../../../src/engine/record/chain/verify.ts';
import { sessionId, storeOfOneRecord, type temporaryStore } from '../../../../support/sessions/records.ts';
import { silentLog } from '../../../../support/silentLog.ts';

describe('a damaged packed record', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let file = '';
  let folder = '';
  let whole: Buffer;
  const entries = 4000;

  beforeEach(async () => {
    ({ place, file, folder, whole } = await storeOfOneRecord(entries));
  });
  afterEach(() => place.remove());

  const fresh = (): RecordStore => new RecordStore(place.dir, { clock: Date.now, log: silentLog });
  const listed = async () => {
    const { summaries, ledgers } = await fresh().listRecords();
    return { summaries, turns: ledgers.map(({ turns, omitted }) => ({ turns, omitted })) };
  };

  it('is listed without its end, or with a damaged one', async () => {
    const before = await listed();
    await place.store.archive(sessionId);
    const end = path.join(folder, 'record.end');
    const own = await readFile(end);
    for (const other of ['', own.subarray(0, -1), own.subarray(0, -300), Buffer.alloc(own.length), '{}\n']) {
      await writeFile(end, other);
      assert.deepEqual(await listed(), before);
    }
    await rm(end);
    assert.deepEqual(await listed(), before);
  });

  it('is reported as changed if its end was, with the line', async () => {
    await place.store.archive(sessionId);
    const end = path.join(folder, 'record.end');
    const own = (await readFile(end)).toString();
    await writeFile(end, own.replaceAll('"usd":0.25', '"usd":9.25'));
    const result = whole.toString().trimEnd().split('\n').length - 1;
    assert.deepEqual((await verifyRecord(file)).breaks, [{ kind: 'end_copy', line: result }]);
    for (const other of [own.slice(0, -300), own.slice(1), `${own}{}\n`, `${own}${own}`, '']) {
      await writeFile(end, other);
      const { verdict, breaks } = await verifyRecord(file);
      assert.deepEqual([verdict, breaks.map(({ kind }) => kind)], ['altered', ['end_copy']]);
    }
    await writeFile(end, own.slice(own.indexOf('\n') + 1));
    assert.equal((await verifyRecord(file)).verdict, 'intact', 'how much of the end is kept is free');
    await rm(end);
    assert.equal((await verifyRecord(file)).verdict, 'intact');
  });

  it('with a flipped bit is read as far as possible, and reported as changed', async () => {
    await place.store.archive(sessionId);
    const packed = await readFile(`${file}.gz`);
    const opened = async () => {
      const reader = await fresh().openReader(sessionId);
      const read = await reader.read(0, reader.total);
      const { problems, interrupted } = reader;
      await reader.close();
      assert.ok(problems.some(({ reason }) => reason === 'cut_off'));
      return { read, interrupted };
    };
    // Of the checksum; of the first bytes.
    for (const at of [packed.length - 7, 0]) {
      await writeFile(`${file}.gz`, flipped(packed, at));
      const { read, interrupted } = await opened();
      assert.deepEqual([read.length, interrupted], [entries, false]);
      const { verdict, breaks, lines } = await verifyRecord(file);
      assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'archive', line: lines }]]);
      await assert.rejects(place.store.openWriter(sessionId), /record\.jsonl\.gz is damaged/);
    }
    // Zeros are no data from there on.
    const half = packed.length >> 1;
    await writeFile(`${file}.gz`, Buffer.concat([packed.subarray(0, half), Buffer.alloc(half)]));
    const { read, interrupted } = await opened();
    assert.ok(read.length > entries * 0.4 && interrupted, String(read.length));
    assert.equal((await verifyRecord(file)).verdict, 'truncated');
  });

  it('compressed by another program, with a file name inside, is readable', async () => {
    const named = Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3, ...Buffer.from('record.jsonl\0')]);
    const packed = Buffer.concat([named, gzipSync(whole).subarray(10)]);
    await rm(file);
    for (const bytes of [packed, flipped(packed, packed.length - 7)]) {
      await writeFile(`${file}.gz`, bytes);
      const reader = await fresh().openReader(sessionId);
      assert.equal((await reader.read(0, entries)).length, entries);
      await reader.close();
    }
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 16;
  return changed;
}
