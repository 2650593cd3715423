import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bound } from '../../../src/model/usage/budget.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';

describe('limits raised through a daemon', () => {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  it('are all kept if two clients raise them at once', async () => {
    const clients = [await place.connect(), await place.connect()];
    const bounds = Array.from({ length: 40 }, (_, index): Bound => {
      return { scope: 'day', unit: 'usd', key: `day-${index}`, limit: index + 1 };
    });
    const raising = clients.flatMap((client, at) =>
      bounds.filter((_, index) => index % 2 === at).map((bound) => client.call('raiseBudget', { bound })),
    );
    await Promise.all(raising);
    const saved: unknown = JSON.parse(await readFile(path.join(place.store, 'budgets.json'), 'utf8'));
    assert.ok(typeof saved === 'object' && saved !== null && 'raises' in saved && Array.isArray(saved.raises));
    assert.deepEqual(
      new Set(saved.raises.map((raise) => JSON.stringify(raise))),
      new Set(bounds.map((bound) => JSON.stringify(bound))),
    );
  });
});
