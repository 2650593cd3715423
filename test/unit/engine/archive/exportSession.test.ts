import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import assert from 'node:assert/strict';
import path from 'node:path';
import { exportSession } from '../../../../src/engine/archive/exportSession.ts';
import { writeWhole } from '../../../../src/engine/files/writeFiles.ts';
import { aSession, appendAll, sessionId, temporaryStore, wholeSession } from '../../../support/sessions/records.ts';

describe('the export of a session', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    place = await temporaryStore();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(30).slice(2));
    await writer.close();
  });
  afterEach(() => place.remove());

  const deps = { version: '', clock: () => 0, randomHex: (digits: number) => '0'.repeat(digits), prices: loadPrices };
  for (const [where, isWritten] of [
    ['out.csv', true],
    ['none/out.csv', false],
  ] as const) {
    it(`closes the record, ${isWritten ? 'written' : 'or where none of it is'}`, async () => {
      const reader = await place.store.openReader(sessionId);
      const close = reader.close.bind(reader);
      let isClosed = false;
      reader.close = async () => {
        isClosed = true;
        await close();
      };
      const note = (): Promise<void> => Promise.resolve();
      const exported = await exportSession(reader, { format: 'csv', redact: false }, { ...deps, note });
      const writing = writeWhole(path.join(place.dir, where), exported.chunks);
      await (isWritten ? writing : assert.rejects(writing));
      assert.deepEqual([isClosed, exported.report() !== null], [true, isWritten]);
    });
  }
});
