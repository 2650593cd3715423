import assert from 'node:assert/strict';
import { ObservedRows, type ObservedSession } from '../../../../src/engine/catalogue/observedRows.ts';
import { useCatalogue } from '../../../support/sessions/catalogue.ts';
import { searchOf } from '../../../support/sessions/searching.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';

describe('rows of sessions from other programs', () => {
  const fixture = useCatalogue();

  async function sample(): Promise<ObservedSession> {
    const sources = sourcesOf(captureFile('claude-code-2.1.330/print-tools', 'home'));
    const [session] = await searchOf(fixture.store, silentLog, { sources, catalogue: fixture.catalogue }).listObserved(
      [],
    );
    assert.ok(session !== undefined);
    return session;
  }

  it('are read again only if they changed', async () => {
    const { summary, spent } = await sample();
    const row = (id: string, title: string): ObservedSession => ({
      summary: { ...summary, session_id: id, title },
      spent,
    });
    await fixture.catalogue.use((database) => {
      const [reading, writing] = [new ObservedRows(), new ObservedRows()];
      const titles = () =>
        reading
          .read(database)
          .map(({ summary: { session_id: id, title } }) => `${id} ${title}`)
          .sort();
      writing.write(database, [row('a', '1'), row('b', '1')], silentLog);
      assert.deepEqual(titles(), ['a 1', 'b 1']);
      assert.deepEqual(reading.read(database)[0]?.spent, JSON.parse(JSON.stringify(spent)));
      writing.write(database, [row('a', '1'), row('c', '1')], silentLog);
      assert.deepEqual(titles(), ['a 1', 'c 1']);
      const known = reading.read(database).find(({ summary: { session_id: id } }) => id === 'a');
      assert.ok(known !== undefined);
      writing.write(database, [row('a', '1'), row('c', '2'), row('d', '1')], silentLog);
      assert.deepEqual(titles(), ['a 1', 'c 2', 'd 1']);
      assert.ok(reading.read(database).includes(known), 'a is not read again');
      writing.write(database, [row('a', '1')], silentLog);
      assert.deepEqual(titles(), ['a 1']);
    });
  });
});
