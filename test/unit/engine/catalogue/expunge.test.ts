import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { indexTranscript } from '../../../../src/engine/catalogue/indexSession.ts';
import { WriteBatch } from '../../../../src/engine/catalogue/writeBatch.ts';
import { said } from '../../../support/sessions/madeEntries.ts';
import { temporaryStore } from '../../../support/sessions/records.ts';
import { searchOf } from '../../../support/sessions/searching.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { until } from '../../../support/until.ts';

describe('the file of the catalogue', () => {
  it('contains nothing of a deleted session', async () => {
    const temporary = await temporaryStore();
    const catalogue = new Catalogue(temporary.dir);
    const search = searchOf(temporary.store, silentLog, { catalogue });
    try {
      const secret = 'zebrafinch';
      const id = (n: number): string => `ses_${n.toString(16).padStart(12, '0')}`;
      await catalogue.use(async (database) => {
        for (let n = 0; n < 8; n += 1) {
          const entries = [said(0, `Fix the flaky retry test ${n}`), said(1, n === 3 ? `It says ${secret}.` : 'No.')];
          const batch = new WriteBatch(database);
          await indexTranscript(database, batch, id(n), { entries, stamp: '1', damaged: false }, { signal: undefined });
          batch.flush();
        }
      });
      const holding = async (): Promise<string[]> => {
        const names = (await readdir(temporary.dir)).filter((name) => name.startsWith('catalogue'));
        const files = await Promise.all(names.map((name) => readFile(path.join(temporary.dir, name))));
        // The index stores in what a word differs from the one before.
        return names.filter((_, at) => files[at]?.includes(secret.slice(1)));
      };
      assert.notDeepEqual(await holding(), []);
      await search.forget(id(3));
      await until('no trace of the word', async () => (await holding()).length === 0);
      const left = await catalogue.use((database) =>
        database.all(`SELECT rowid FROM word_index WHERE word_index MATCH 'retry'`),
      );
      assert.equal(left.length, 7);
    } finally {
      catalogue.close();
      await temporary.remove();
    }
  });
});
