import assert from 'node:assert/strict';
import path from 'node:path';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { temporaryStore } from '../../../support/sessions/records.ts';
import { searchOf } from '../../../support/sessions/searching.ts';
import { turn, uuidOf, writeSession } from '../../../support/stores/claudeStore.ts';
import { sourcesOf } from '../../../support/stores/homes.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const sessions = 5;

describe('an update in the background', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let catalogue: Catalogue;
  beforeEach(async () => {
    temporary = await temporaryStore();
    catalogue = new Catalogue(temporary.dir);
  });
  afterEach(async () => {
    catalogue.close();
    await temporary.remove();
  });

  function search() {
    const home = path.join(temporary.dir, 'home');
    for (let n = 0; n < sessions; n += 1) {
      const id = uuidOf(n);
      writeSession(home, id, turn(id, 0, { id: `msg_${n}`, text: 'a hippopotamus' }));
    }
    return searchOf(temporary.store, log, { catalogue, sources: sourcesOf(home) });
  }

  it('indexes everything if no request waits', async () => {
    const { left } = await search().updateMeanwhile(60_000, {});
    assert.equal(left, 0);
  });

  it('ends after one session if a search waits, which finds everything', async () => {
    const searching = search();
    const update = searching.updateMeanwhile(60_000, {});
    const found = await searching.search({ query: 'hippopotamus' });
    assert.equal((await update).left, sessions - 1);
    assert.equal(found.sessions.length, sessions);
  });

  it('ends after the given time', async () => {
    const { left } = await search().updateMeanwhile(-1, {});
    assert.equal(left, sessions);
  });
});
