import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { StoredFacts } from '../../../../src/engine/catalogue/storedFacts.ts';
import { localDay } from '../../../../src/engine/usage/localDay.ts';
import { observedSpent } from '../../../../src/insight/observed/spent.ts';
import { spentByDay } from '../../../../src/insight/observed/spentByDay.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import type { StoreRequest } from '../../../../src/model/session/observed.ts';
import { useCatalogue } from '../../../support/sessions/catalogue.ts';
import { call, edits, reads, said } from '../../../support/sessions/madeEntries.ts';
import { aSession, aSummary, appendAll } from '../../../support/sessions/records.ts';
import { searchOf } from '../../../support/sessions/searching.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';

describe('aggregates of the catalogue', () => {
  const fixture = useCatalogue();

  const id = (n: number): string => `ses_${n.toString(16).padStart(12, '0')}`;

  async function keep(n: number, folder: string, file: string, recording = false): Promise<void> {
    const session = aSession({ session_id: id(n), status: 'finished', project_dir: folder });
    const writer = await fixture.store.create(session);
    const entries = [said(0, 'Please.', 'user_message'), call(1, reads('/w/read.ts')), call(2, edits(file, 'x', 'y'))];
    const summary = aSummary({ ...session, entries: 3, recording });
    await appendAll(writer, [
      ...entries.map((entry) => ({ kind: 'entry' as const, entry })),
      { kind: 'summary', summary, turns: [], turns_omitted: 0 },
    ]);
    await writer.close();
  }

  it('tell which files agents changed last, and which sessions touched one', async () => {
    await keep(1, '/w', 'src/a.ts');
    await keep(2, '/w', path.resolve('/w/src/a.ts'));
    await keep(3, '/other', 'b.ts');
    await keep(4, '/w', 'played.ts', true);
    const sources = sourcesOf(captureFile('claude-code-2.1.330/print-tools', 'home'));
    const search = searchOf(fixture.store, silentLog, { sources, catalogue: fixture.catalogue });
    const found = await search.recentEdits({}, 10);
    assert.deepEqual(found.map((edit) => path.basename(edit.path)).sort(), ['a.ts', 'b.ts', 'parse.js']);
    assert.equal(found.find((edit) => edit.path.endsWith('a.ts'))?.entry, 2);
    const touching = async (file: string) =>
      (await search.findSessionsTouching(path.resolve(file), {})).sessions.map(({ session_id }) => session_id);
    assert.deepEqual((await touching('/w/src/a.ts')).sort(), [id(1), id(2)]);
    assert.deepEqual(await touching('/w/nothing.ts'), []);
    assert.equal((await touching('/home/dev/project/src/parse.js')).length, 1);
  });

  it('keep usage of other programs for processes that do not scan their stores', async () => {
    const sources = sourcesOf(captureFile('claude-code-2.1.330/print-fork', 'home'));
    const looking = searchOf(fixture.store, silentLog, { sources, catalogue: fixture.catalogue });
    const seen = await looking.listObserved([]);
    assert.equal(seen.length, 2);
    const other = new Catalogue(fixture.dir);
    const reading = searchOf(fixture.store, silentLog, { catalogue: other });
    assert.deepEqual(await reading.listObserved([]), JSON.parse(JSON.stringify(seen)));
    other.close();
    const used = seen.flatMap(({ spent }) => spent.flatMap(({ models }) => models));
    const listed = seen.map(({ summary }) => summary.total_usage);
    const sum = (all: readonly { readonly output?: number | undefined }[]): number =>
      all.reduce((total, { output = 0 }) => total + output, 0);
    assert.ok(sum(listed) > 0);
    assert.equal(sum(used), sum(listed));
  });

  it('keep facts of stores, so that another process reads only changes', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'vitrine-home-'));
    try {
      await cp(captureFile('claude-code-2.1.330/print-tools', 'home'), home, { recursive: true });
      const old = new Date('2026-01-01T00:00:00Z');
      const [project = ''] = await readdir(path.join(home, '.claude/projects'));
      const folder = path.join(home, '.claude/projects', project);
      const files = (await readdir(folder))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => path.join(folder, name));
      for (const file of files) await utimes(file, old, old);
      const list = () =>
        sourcesOf(home, undefined, undefined, new StoredFacts(fixture.catalogue, silentLog)).list(prices);
      const prices = await loadPrices();
      const first = await list();
      const stamps = () => fixture.catalogue.use((database) => database.all('SELECT id, stamp FROM facts'));
      const before = await stamps();
      assert.equal(before.length, 1);
      await fixture.catalogue.use((database) => database.run("UPDATE facts SET problem = 'kept'"));
      assert.equal((await list())[0]?.problem, 'kept', 'it comes from the catalogue');
      for (const file of files) await utimes(file, new Date('2026-01-02T00:00:00Z'), new Date('2026-01-02T00:00:00Z'));
      assert.deepEqual((await list())[0]?.total_usage, first[0]?.total_usage);
      assert.notDeepEqual(await stamps(), before);
      await rm(folder, { recursive: true });
      assert.deepEqual(await list(), []);
      assert.deepEqual(await stamps(), []);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });

  it('divide a known cost among the days of a session', async () => {
    const [first] = await searchOf(fixture.store, silentLog, {
      sources: sourcesOf(captureFile('claude-code-2.1.330/print-tools', 'home')),
      catalogue: fixture.catalogue,
    }).listObserved([]);
    assert(first !== undefined);
    const request = (key: string, at: string, output: number): StoreRequest => ({
      key,
      at,
      model: 'claude-sonnet-4-5',
      usage: { output },
    });
    const requests = [
      request('a', '2026-01-02T12:00:00Z', 100),
      request('b', '2026-01-02T13:00:00Z', 200),
      request('c', '2026-01-03T12:00:00Z', 100),
    ];
    const total = { provenance: 'reported' as const, usd: 4 };
    const days = spentByDay({ total, requests, updatedAt: '2026-01-03T12:00:00Z' }, await loadPrices(), localDay);
    const spent = observedSpent(first.summary, days);
    assert.deepEqual(
      spent.map(({ at, cost }) => [localDay(at), cost]),
      [
        ['2026-01-02', { provenance: 'reported', usd: 3 }],
        ['2026-01-03', { provenance: 'reported', usd: 1 }],
      ],
    );
  });
});
