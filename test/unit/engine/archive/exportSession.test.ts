import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import assert from 'node:assert/strict';
import path from 'node:path';
import { ChildRecords } from '../../../../src/engine/archive/childRecords.ts';
import { exportSession } from '../../../../src/engine/archive/exportSession.ts';
import { writeWhole } from '../../../../src/engine/files/writeFiles.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  time,
  wholeSession,
} from '../../../support/sessions/records.ts';

describe('the export of a session', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    place = await temporaryStore();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(30).slice(2));
    await writer.close();
  });
  afterEach(() => place.remove());

  const deps = {
    version: '',
    clock: () => 0,
    randomHex: (digits: number) => '0'.repeat(digits),
    prices: loadPrices,
    children: new ChildRecords(
      () => place.store.list(),
      (id) => place.store.openReader(id),
    ),
  };
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

  describe('with children', () => {
    const id = (number: number): string => `ses_${String(number).padStart(12, '0')}`;
    async function child(number: number, parent: string): Promise<void> {
      const session = { session_id: id(number), parent_session_id: parent, created_at: time(number) };
      const writer = await place.store.create(aSession(session));
      const secret = number === 2 ? ' AKIAIOSFODNN7EXAMPLE' : '';
      await writer.append(entryLine(0, `From child ${number}.${secret}`));
      await writer.close();
    }
    async function exportedBlocks(children: boolean) {
      const noted: string[] = [];
      const note = (_: unknown, session: string): Promise<void> => Promise.resolve(void noted.push(session));
      const reader = await place.store.openReader(sessionId);
      const written = await exportSession(reader, { format: 'html', redact: true, children }, { ...deps, note });
      let text = '';
      for await (const chunk of written.chunks) text += chunk;
      const found = [...text.matchAll(/<script type="application\/json" data-part="(\w+)">(.*?)<\/script>/g)];
      const blocks = found.map(([, part, json = '']) => ({ part, data: JSON.parse(json) as unknown }));
      return { noted, blocks, text, masked: written.report()?.redaction?.total };
    }
    const sessionsIn = (blocks: readonly { readonly part: string | undefined; readonly data: unknown }[]) =>
      blocks.flatMap(({ part, data }) =>
        part === 'session' ? [(data as { summary: { session_id: string } }).summary.session_id] : [],
      );

    it('holds each of them with its entries, masked, and their records say so', async () => {
      await child(1, sessionId);
      await child(2, id(1));
      await child(3, 'ses_ffffffffffff');
      const { blocks, noted, text, masked } = await exportedBlocks(true);
      assert.deepEqual(sessionsIn(blocks), [sessionId, id(1), id(2)]);
      assert.deepEqual(noted, [sessionId, id(1), id(2)]);
      assert.match(text, /From child 1\.[^]*From child 2\./);
      assert.doesNotMatch(text, /From child 3|AKIAIOSFODNN7EXAMPLE/);
      assert.equal(masked, 1);
      assert.deepEqual(
        blocks.map(({ part }) => part),
        ['session', 'entries', 'session', 'entries', 'session', 'entries', 'omitted', 'masks'],
      );
      assert.deepEqual(sessionsIn((await exportedBlocks(false)).blocks), [sessionId]);
    });

    it('omits those beyond the limit, and says how many', async () => {
      for (let number = 1; number <= 103; number += 1) await child(number, sessionId);
      const { blocks } = await exportedBlocks(true);
      assert.equal(sessionsIn(blocks).length, 101);
      assert.equal(blocks.find(({ part }) => part === 'omitted')?.data, 3);
    });
  });
});
