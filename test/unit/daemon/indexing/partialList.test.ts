import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PlaceListener } from '../../../../src/daemon/indexing/indexThread.ts';
import { RemoteSessions } from '../../../../src/daemon/indexing/remoteSessions.ts';
import { WatchedPlaces } from '../../../../src/daemon/indexing/watchedPlaces.ts';
import { RepositoryLookup, SessionScope } from '../../../../src/daemon/sources/scope.ts';
import { SourcesWatch } from '../../../../src/daemon/sources/sourcesWatch.ts';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { wasmDriver, type DatabaseDriver } from '../../../../src/engine/catalogue/database.ts';
import { newestObserved, ObservedRows } from '../../../../src/engine/catalogue/observedRows.ts';
import { StoredFacts } from '../../../../src/engine/catalogue/storedFacts.ts';
import type { SourcesChange } from '../../../../src/engine/sources/sources.ts';
import type { ObservedSummary } from '../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { isObject } from '../../../../src/model/text/json.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';
import { until } from '../../../support/until.ts';

const quiet = (): void => undefined;
const sessions = 2300;

/** Sessions of Claude Code below a home, newest first. */
async function rowsIn(home: string): Promise<ObservedSummary[]> {
  const [row] = await sourcesOf(captureFile('claude-code-2.1.330/print-tools', 'home')).list(await loadPrices());
  assert(row !== undefined);
  const file = path.join(home, '.claude/projects/-home-dev-project/session.jsonl');
  return Array.from({ length: sessions }, (_, n) => {
    const id = n.toString(16).padStart(12, '0');
    return {
      ...row,
      session_id: `ses_${id}`,
      executor_session_ids: [`native-${id}`],
      updated_at: new Date(Date.UTC(2026, 0, 1) - n * 60_000).toISOString(),
      source: { ...row.source, path: file },
    };
  });
}

function idsOf(rows: readonly { readonly session_id: string }[]): string[] {
  return rows.map(({ session_id: id }) => id);
}

describe('the first list of many sessions from the catalogue', () => {
  let home = '';

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'vitrine-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const drivers: Readonly<Record<string, (() => Promise<DatabaseDriver>) | undefined>> = {
    'the SQLite of the runtime': undefined,
    WebAssembly: wasmDriver,
  };
  for (const [name, driver] of Object.entries(drivers)) {
    it(`reads the newest, with ${name}`, async () => {
      const rows = await rowsIn(home);
      const store = path.join(home, 'store');
      mkdirSync(store);
      const catalogue = new Catalogue(store, driver);
      try {
        await catalogue.use((database) => {
          new ObservedRows().write(
            database,
            rows.toReversed().map((summary) => ({ summary, spent: [] })),
            silentLog,
          );
          assert.deepEqual(newestObserved(database, 3), rows.slice(0, 3));
          assert.equal(newestObserved(database, Number.MAX_SAFE_INTEGER).length, sessions);
        });
      } finally {
        catalogue.close();
      }
    });
  }

  /** Rows of the catalogue, and a thread that answers `watch` when told to. */
  function remote(saved: readonly ObservedSummary[]) {
    const listeners: PlaceListener[] = [];
    const asked: (readonly string[])[] = [];
    let reply: (rows: readonly ObservedSummary[]) => void = quiet;
    const thread = {
      listen: (_: string, listener: PlaceListener) => void listeners.push(listener),
      notify: quiet,
      request: async (_: unknown, params: unknown): Promise<never> => {
        assert(isObject(params) && Array.isArray(params['known']));
        asked.push(params['known'].map(String));
        const rows = await new Promise<readonly ObservedSummary[]>((resolve) => (reply = resolve));
        return rows as never;
      },
    };
    const changes: SourcesChange[] = [];
    const sessions = new RemoteSessions({
      place: { key: 'here', home, variables: {} },
      thread,
      saved: (most) => Promise.resolve(saved.slice(0, most)),
      log: silentLog,
    });
    sessions.subscribe((change) => void changes.push(change));
    const report = (change: SourcesChange): void => listeners[0]?.changed(change);
    return { sessions, asked, changes, report, reply: (rows: readonly ObservedSummary[]) => reply(rows) };
  }

  it('has the newest before the indexing thread answers, and then only what is different', async () => {
    const rows = await rowsIn(home);
    const { sessions, asked, changes, report, reply } = remote(rows);
    assert.deepEqual(idsOf(await sessions.list()), idsOf(rows.slice(0, 400)));
    assert.deepEqual(asked, [idsOf(rows.slice(0, 400))]);
    const renamed = { ...rows[1]!, title: 'Another title' };
    reply([rows[0]!, renamed]);
    await until('the answer of the thread', () => changes.length > 0);
    report({ changed: rows.slice(300, 500), removed: [] });
    report({ changed: [], removed: [rows[5]!.session_id, 'ses_of_nobody'] });
    report({ changed: [renamed], removed: [rows[5]!.session_id] });
    assert.deepEqual(changes, [
      { changed: [renamed], removed: [] },
      { changed: rows.slice(400, 500), removed: [] },
      { changed: [], removed: [rows[5]!.session_id] },
    ]);
    assert.equal((await sessions.list()).length, 499);
    sessions.dispose();
  });

  it('leaves out sessions that may still run, and those of other folders', async () => {
    const rows = await rowsIn(home);
    const [first, second, third] = rows;
    const running = { ...second!, live: { ...second!.live, state: 'running' as const } };
    const otherFolder = { ...third!, source: { ...third!.source, path: path.join(home, 'other/session.jsonl') } };
    const { sessions } = remote([first!, running, otherFolder]);
    assert.deepEqual(await sessions.list(), [first]);
    sessions.dispose();
  });

  it('waits for the indexing thread if the catalogue has no sessions', async () => {
    const rows = await rowsIn(home);
    const { sessions, asked, changes, reply } = remote([]);
    const list = sessions.list();
    await until('the request', () => asked.length > 0);
    reply(rows.slice(0, 2));
    assert.deepEqual(await list, rows.slice(0, 2));
    assert.deepEqual([asked, changes], [[[]], []]);
    sessions.dispose();
  });

  it('is corrected when the stores are read: known sessions without files are removed', async () => {
    const changes: SourcesChange[] = [];
    const places = new WatchedPlaces({
      cache: new StoredFacts(new Catalogue(path.join(home, 'none')), silentLog),
      prices: () => loadPrices(),
      log: silentLog,
      onChange: (_, change) => void changes.push(change),
      onPaths: quiet,
    });
    const place = { key: 'here', home: captureFile('claude-code-2.1.330/print-tools', 'home'), variables: {} };
    try {
      const rows = await places.watch(place, ['ses_gone']);
      assert.equal(rows.length, 1);
      await until('the removed session', () => changes.length > 0);
      assert.deepEqual(changes, [{ changed: [], removed: ['ses_gone'] }]);
    } finally {
      places.unwatch(place);
    }
  });

  it('fills the list of a client up to its limit', async () => {
    const rows = await rowsIn(home);
    const reported: string[] = [];
    const listeners: ((change: SourcesChange) => void)[] = [];
    const watch = new SourcesWatch({
      sessions: {
        folders: () => [],
        subscribe: (listener) => {
          listeners.push(listener);
          return { dispose: quiet };
        },
        onPaths: () => ({ dispose: quiet }),
        list: () => Promise.resolve(rows.slice(0, 10)),
        find: () => Promise.resolve(undefined),
        history: () => Promise.resolve(undefined),
        dispose: quiet,
      },
      scope: new SessionScope('everything', [], new RepositoryLookup()),
      feed: { summary: ({ session_id: id }) => void reported.push(id), removed: quiet },
      own: { recordedIds: () => Promise.resolve(new Map()), onRecorded: () => ({ dispose: quiet }) },
      joinedSessions: { describeSession: (summary) => summary, onChange: () => ({ dispose: quiet }) },
      copier: { look: () => Promise.resolve(), isCopy: () => false, isRunning: () => false },
      copiesAll: false,
      log: silentLog,
      onDispose: quiet,
    });
    const { sessions: first } = await watch.begin(12);
    assert.deepEqual(idsOf(first), idsOf(rows.slice(0, 10)));
    const [changed] = listeners;
    changed?.({ changed: rows.slice(10, 20), removed: [] });
    const newer = { ...rows[20]!, updated_at: '2027-01-01T00:00:00.000Z' };
    changed?.({ changed: [newer], removed: [] });
    await until('the newer one', () => reported.includes(newer.session_id));
    assert.deepEqual(reported, [...idsOf(rows.slice(10, 12)), newer.session_id]);
    watch.dispose();
  });
});
