import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CachedFacts, CachedPart, FactsCache } from '../../../../src/engine/sources/reading/factsCache.ts';
import type { SourcesChange } from '../../../../src/engine/sources/sources.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { turn, uuidOf, writeSession } from '../../../support/stores/claudeStore.ts';
import { sourcesOf } from '../../../support/stores/homes.ts';

const [root, fork] = [uuidOf(901), uuidOf(902)];
const old = new Date('2026-01-01T00:00:00Z');

/** Facts in memory. `loaded`: ids whose whole facts were asked for. */
class MemoryCache implements FactsCache {
  readonly loaded: string[] = [];
  readonly #facts = new Map<string, CachedFacts>();

  brief(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  packed(id: string): Promise<Uint8Array | undefined> {
    this.loaded.push(id);
    return Promise.resolve(this.#facts.get(id)?.packed);
  }

  save(changed: ReadonlyMap<string, CachedFacts>): Promise<boolean> {
    for (const [id, facts] of changed) this.#facts.set(id, facts);
    return Promise.resolve(true);
  }

  keepOnly(): Promise<void> {
    return Promise.resolve();
  }

  parts(): Promise<ReadonlyMap<string, CachedPart>> {
    return Promise.resolve(new Map());
  }

  saveParts(): Promise<void> {
    return Promise.resolve();
  }
}

function idsOf({ changed, removed }: SourcesChange): object {
  return { changed: changed.map(({ executor_session_ids: [id] }) => id), removed };
}

describe('a complete scan after the first list', () => {
  let home = '';
  beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'vitrine-refresh-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  /** With the turns of these numbers. */
  function write(id: string, turns: readonly number[], at: Date): string {
    const records = turns.flatMap((n) => turn(id, n, { id: `msg_${n}` }));
    const file = writeSession(home, id, records);
    utimesSync(file, at, at);
    return file;
  }

  it('computes the rows of changed sessions only', async () => {
    const prices = await loadPrices();
    write(root, [1], old);
    const other = write(fork, [2], old);
    const cache = new MemoryCache();
    const sources = sourcesOf(home, undefined, undefined, cache);
    await sources.list(prices);
    cache.loaded.length = 0;
    const all = new Set(sources.folders());
    assert.deepEqual(idsOf(await sources.refresh(all, prices)), { changed: [], removed: [] });
    assert.deepEqual(cache.loaded, []);
    write(root, [1, 3], new Date('2026-01-02T00:00:00Z'));
    assert.deepEqual(idsOf(await sources.refresh(all, prices)), { changed: [root], removed: [] });
    assert.equal(cache.loaded.filter((id) => id === cache.loaded[0]).length, cache.loaded.length, 'one session');
    rmSync(other);
    assert.equal((await sources.refresh(all, prices)).removed.length, 1);
  });

  it('computes all rows if the prices changed', async () => {
    const prices = await loadPrices();
    write(root, [1], old);
    write(fork, [2], old);
    const sources = sourcesOf(home);
    const [row] = await sources.list(prices);
    const before = row?.total_cost;
    assert.ok(before?.provenance === 'estimated');
    const rates = Object.fromEntries(Object.keys(prices.models).map((name) => [name, { input: 1000, output: 1000 }]));
    const own = await loadPrices({ date: '2026-11-01', models: rates });
    const { changed } = await sources.refresh(new Set(sources.folders()), own);
    assert.equal(changed.length, 2);
    for (const { total_cost: cost } of changed) {
      assert.ok(cost.provenance === 'estimated' && cost.usd > before.usd);
    }
  });

  it('finds the parent of a known session', async () => {
    const prices = await loadPrices();
    const copied = turn(fork, 1, { id: 'msg_1', from: root });
    writeSession(home, fork, [...copied, ...turn(fork, 2, { id: 'msg_2' })]);
    const sources = sourcesOf(home);
    const [alone] = await sources.list(prices);
    assert.equal(alone?.parent_session_id, undefined);
    const file = writeSession(home, root, turn(root, 1, { id: 'msg_1' }));
    const { changed } = await sources.refresh(new Set(sources.folders()), prices);
    const parent = changed.find(({ executor_session_ids: [id] }) => id === root);
    const child = changed.find(({ executor_session_ids: [id] }) => id === fork);
    assert.ok(parent !== undefined);
    assert.equal(child?.parent_session_id, parent.session_id);
    rmSync(file);
    const after = await sources.refresh(new Set(sources.folders()), prices);
    assert.deepEqual(idsOf(after), { changed: [fork], removed: [parent.session_id] });
    assert.equal(after.changed[0]?.parent_session_id, undefined);
  });
});

describe("a user's prices", () => {
  it('are the same table as long as they are the same value', async () => {
    const own = { date: '2026-11-01', models: { 'my-model': { input: 1, output: 2 } } };
    const table = await loadPrices(own);
    assert.equal(await loadPrices(own), table);
    assert.notEqual(await loadPrices({ ...own, date: '2026-11-02' }), table);
    assert.equal((await loadPrices()).models['my-model'], undefined);
  });
});
