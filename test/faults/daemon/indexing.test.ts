import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Catalogue } from '../../../src/engine/catalogue/catalogue.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import type { News } from '../../../src/protocol/daemon/calls.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { searchOf } from '../../support/sessions/searching.ts';
import { silentLog } from '../../support/silentLog.ts';
import { turn, uuidOf, writeSession } from '../../support/stores/claudeStore.ts';
import { WorkedHome } from '../../support/stores/workedHome.ts';
import { until } from '../../support/until.ts';

describe('the catalogue of a daemon', () => {
  let place: DaemonBench;
  let worked: WorkedHome;
  let news: News[] = [];

  beforeEach(() => {
    place = new DaemonBench();
    worked = new WorkedHome('claude-code-2.1.330/tty-tools');
    news = [];
  });
  afterEach(async () => {
    worked.dispose();
    await place.close();
  });

  const onNews = (update: News): Promise<void> => {
    news.push(update);
    return Promise.resolve();
  };
  const params = () => ({ home: worked.home, variables: {}, scope: 'everything' as const, folders: [], limit: 100 });
  const write = (session: number, text: string): void => {
    const id = uuidOf(session);
    writeSession(worked.home, id, turn(id, 0, { id: `msg_${session}`, text }));
  };

  /** Sessions with a word, as a process finds them that looks for none itself. */
  async function found(query: string): Promise<number> {
    const catalogue = new Catalogue(place.store);
    try {
      const store = new RecordStore(place.store, { clock: Date.now, log: silentLog });
      const { sessions } = await searchOf(store, silentLog, { catalogue }).search({ query });
      return sessions.length;
    } finally {
      catalogue.close();
    }
  }

  it('includes sessions from other programs without a request', async () => {
    write(1, 'a giraffe at the window');
    const client = await place.connect({ onNews });
    await client.call('watch', { events: false });
    await client.call('watchSources', params());
    await until('the first session', async () => (await found('giraffe')) === 1);
    write(2, 'a second giraffe');
    await until('the second', async () => (await found('giraffe')) === 2);
    await until('the news that all is indexed', () => news.some(({ indexing }) => indexing === null));
  });

  it('is updated at once on request, and rebuilt if damaged or deleted', async () => {
    write(1, 'a giraffe at the window');
    const client = await place.connect({ onNews });
    await client.call('watchSources', params());
    assert.deepEqual(await client.call('updateCatalogue', {}), { unreadable: [] });
    assert.equal(await found('giraffe'), 1);
    const file = path.join(place.store, 'catalogue.db');
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    await client.call('updateCatalogue', {});
    assert.equal(await found('giraffe'), 1);
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    writeFileSync(file, 'This is no database.'.repeat(500));
    await client.call('updateCatalogue', {});
    assert.equal(await found('giraffe'), 1);
  });

  it('indexes only the sessions that a client asks for', async () => {
    write(1, 'a giraffe at the window');
    const client = await place.connect({ onNews });
    const { sessions } = await client.call('watchSources', params());
    await client.call('updateCatalogue', { sessions: sessions.map(({ session_id: id }) => id) });
    assert.equal(await found('giraffe'), 1);
  });
});
