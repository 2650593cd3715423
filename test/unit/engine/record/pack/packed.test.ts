import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  aSession,
  appendAll,
  runId,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../../../support/sessions/records.ts';

describe('compressed output', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let runs = '';
  const printed = Buffer.concat([Buffer.from('{"type":"x"}\n'.repeat(60_000)), randomBytes(100_000)]);
  beforeEach(async () => {
    place = await temporaryStore();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(6).slice(2));
    const log = writer.rawStream(runId, 'stdout');
    await log.write(printed);
    await log.close();
    await writer.close();
    runs = path.join(path.dirname(place.store.path(sessionId)), 'runs');
  });
  afterEach(() => place.remove());

  const raw = async (): Promise<{ bytes: Buffer; size: number }> => {
    const reader = await place.store.openReader(sessionId);
    const chunks: Buffer[] = [];
    for await (const chunk of reader.raw(runId, 'stdout')) chunks.push(chunk);
    const size = await reader.rawSize(runId, 'stdout');
    await reader.close();
    return { bytes: Buffer.concat(chunks), size };
  };

  it('reads the same, byte for byte, and takes less space', async () => {
    const { files, bytes, packed } = await place.store.pack(sessionId);
    assert.deepEqual([files, bytes], [1, printed.length]);
    assert.ok(packed < bytes / 4, `${packed} of ${bytes}`);
    assert.deepEqual(await readdir(runs), [`${runId}.stdout.gz`]);
    assert.ok(gunzipSync(await readFile(path.join(runs, `${runId}.stdout.gz`))).equals(printed));
    const { bytes: read, size } = await raw();
    assert.ok(read.equals(printed) && size === printed.length);
    assert.deepEqual(await place.store.pack(sessionId), { files: 0, bytes: 0, packed: 0 });
  });

  it('can be unpacked', async () => {
    await place.store.pack(sessionId);
    await place.store.unpack(sessionId);
    assert.deepEqual(await readdir(runs), [`${runId}.stdout`]);
    assert.ok((await readFile(path.join(runs, `${runId}.stdout`))).equals(printed));
  });

  it('is not touched while there is a writer', async () => {
    const writer = await place.store.openWriter(sessionId);
    await assert.rejects(place.store.pack(sessionId), { name: 'RecordBusyError' });
    await writer.close();
    assert.deepEqual(await readdir(runs), [`${runId}.stdout`]);
  });

  it('exists once, even if packing was interrupted', async () => {
    await place.store.pack(sessionId);
    await writeFile(path.join(runs, `${runId}.stdout`), printed);
    assert.ok((await raw()).bytes.equals(printed));
    await rm(path.join(runs, `${runId}.stdout`));
    await writeFile(path.join(runs, `${runId}.stdout.gz.part`), 'torn');
    assert.ok((await raw()).bytes.equals(printed));
  });

  it('reports damage', async () => {
    await place.store.pack(sessionId);
    const file = path.join(runs, `${runId}.stdout.gz`);
    await writeFile(file, (await readFile(file)).subarray(0, -20));
    const { bytes } = await raw();
    assert.ok(bytes.length > 0 && bytes.equals(printed.subarray(0, bytes.length)));
    await assert.rejects(place.store.unpack(sessionId), /\.stdout\.gz is damaged/);
    await writeFile(file, 'x');
    assert.equal((await raw()).bytes.length, 0);
    const reader = await place.store.openReader(sessionId);
    await reader.close();
    assert.deepEqual(await readdir(runs), [`${runId}.stdout.gz`]);
  });
});
