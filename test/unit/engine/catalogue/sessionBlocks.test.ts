import assert from 'node:assert/strict';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import type { Database } from '../../../../src/engine/catalogue/database.ts';
import { indexedSession, indexTranscript } from '../../../../src/engine/catalogue/indexSession.ts';
import { entryId } from '../../../../src/engine/catalogue/schema.ts';
import { WriteBatch } from '../../../../src/engine/catalogue/writeBatch.ts';
import { said } from '../../../support/sessions/madeEntries.ts';
import { temporaryStore } from '../../../support/sessions/records.ts';

describe('ids of entries', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let catalogues: Catalogue[];
  beforeEach(async () => {
    temporary = await temporaryStore();
    catalogues = [new Catalogue(temporary.dir), new Catalogue(temporary.dir)];
  });
  afterEach(async () => {
    for (const catalogue of catalogues) catalogue.close();
    await temporary.remove();
  });

  /** Queues the index of a session whose entries contain their own number as a word. */
  async function index(database: Database, id: string, count: number): Promise<WriteBatch> {
    const batch = new WriteBatch(database);
    const entries = Array.from({ length: count }, (_, n) => said(n, `${id} n${n}`));
    await indexTranscript(database, batch, id, { entries, stamp: `${count}`, damaged: false }, { signal: undefined });
    return batch;
  }

  /** Indexes of the session's entries with that word. */
  function found(database: Database, id: string, word: string): number[] {
    const session = indexedSession(database, id);
    assert.ok(session !== undefined);
    return database
      .all(
        'SELECT id FROM entries WHERE session = ? AND id IN (SELECT rowid FROM word_index WHERE word_index MATCH ?)',
        ...[session.no, word],
      )
      .map((row) => Number(row['id']) - entryId(session, 0));
  }

  const count = (database: Database, table: 'entries' | 'word_index_docsize' | 'sessions'): number =>
    Number(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']);

  it('move to other blocks with a session that outgrew its own', async () => {
    await catalogues[0]?.use(async (database) => {
      for (const id of ['one', 'two', 'three']) (await index(database, id, 256)).flush();
      const before = indexedSession(database, 'one');
      (await index(database, 'one', 257)).flush();
      const after = indexedSession(database, 'one');
      assert.deepEqual([before?.blocks, after?.blocks], [1, 2]);
      assert.notEqual(after?.block, before?.block);
      (await index(database, 'one', 512)).flush();
      assert.equal(indexedSession(database, 'one')?.no, after?.no);
      for (const id of ['one', 'two', 'three']) assert.deepEqual(found(database, id, 'n255'), [255]);
      assert.deepEqual(found(database, 'one', 'n511'), [511]);
      assert.deepEqual([count(database, 'entries'), count(database, 'word_index_docsize')], [1024, 1024]);
      assert.equal(count(database, 'sessions'), 3);
    });
  });

  it('are not used after another process moved or removed the session', async () => {
    const [ours, theirs] = catalogues;
    await ours?.use(async (database) => {
      (await index(database, 'one', 10)).flush();
      const late = await index(database, 'one', 20);
      await theirs?.use(async (other) => (await index(other, 'one', 300)).flush());
      late.flush();
      assert.equal(indexedSession(database, 'one')?.entries, 300);
      assert.deepEqual([count(database, 'entries'), count(database, 'word_index_docsize')], [300, 300]);
      assert.deepEqual(found(database, 'one', 'n19'), [19]);
    });
  });
});
