import assert from 'node:assert/strict';
import type { Database } from '../../../../src/engine/catalogue/database.ts';
import { entryLengths } from '../../../../src/engine/catalogue/entryLengths.ts';
import { indexedSession, indexTranscript } from '../../../../src/engine/catalogue/indexSession.ts';
import { numbersIn } from '../../../../src/engine/catalogue/database.ts';
import { entryId } from '../../../../src/engine/catalogue/schema.ts';
import { WriteBatch } from '../../../../src/engine/catalogue/writeBatch.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { useCatalogue } from '../../../support/sessions/catalogue.ts';
import { said } from '../../../support/sessions/madeEntries.ts';

describe('lengths of entries', () => {
  const fixture = useCatalogue();

  async function index(database: Database, entries: readonly NormalizedEntry[]): Promise<void> {
    const batch = new WriteBatch(database);
    await indexTranscript(database, batch, 'one', { entries, stamp: 'x', damaged: false }, { signal: undefined });
    batch.flush();
  }

  it('are those of their rows, with gaps, large numbers and automatic messages', async () => {
    const automatic: NormalizedEntry = { ...said(3, 'go on please', 'user_message'), metadata: { synthetic: true } };
    await fixture.catalogue.use(async (database) => {
      await index(database, [
        said(0, 'one'),
        said(1, ''),
        automatic,
        said(7, 'a '.repeat(40_000)),
        said(300, 'two words'),
      ]);
      const session = indexedSession(database, 'one');
      assert.ok(session !== undefined);
      const lengths = entryLengths(database, [session]).get(session.no);
      assert.deepEqual(
        [0, 1, 3, 7, 300].map((at) => [lengths?.words(at), lengths?.isSynthetic(at)]),
        [
          [1, false],
          [0, false],
          [3, true],
          [32_767, false],
          [2, false],
        ],
      );
    });
  });

  it('come from the row of an entry that was added after they were stored', async () => {
    await fixture.catalogue.use(async (database) => {
      await index(database, [said(0, 'one')]);
      const session = indexedSession(database, 'one');
      assert.ok(session !== undefined);
      database.run(
        `INSERT INTO entries (id, session, kind, synthetic, words, cut) VALUES (?, ?, 0, 1, 5, 0)`,
        entryId(session, 1),
        session.no,
      );
      const lengths = entryLengths(database, [session]).get(session.no);
      assert.deepEqual([lengths?.words(1), lengths?.isSynthetic(1)], [5, true]);
      assert.deepEqual([lengths?.words(2), lengths?.isSynthetic(2)], [0, false]);
    });
  });

  it('are none for a session that is not in the catalogue', async () => {
    await fixture.catalogue.use((database) => {
      assert.equal(entryLengths(database, [{ no: 99, block: 4, blocks: 1 }]).size, 0);
    });
  });
});

describe('numbers in a list of SQLite', () => {
  it('are read in their order', () => {
    assert.deepEqual([...numbersIn('', 0)], []);
    assert.deepEqual([...numbersIn('7', 1)], [7]);
    assert.deepEqual([...numbersIn('0,12,9007199254740991', 3)], [0, 12, Number.MAX_SAFE_INTEGER]);
  });
});
