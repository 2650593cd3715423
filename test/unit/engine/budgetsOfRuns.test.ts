import assert from 'node:assert/strict';
import path from 'node:path';
import type { EngineDeps } from '../../../src/engine/api.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Budgets } from '../../../src/model/budget.ts';
import { talk } from '../../support/agents/talk.ts';
import { Bench, fakeAgent, outcome, prompt, seen } from '../../support/fakeAgent/engine.ts';
import { until } from '../../support/until.ts';

describe('what budgets count of single runs', function () {
  this.timeout(60_000);
  const benches: Bench[] = [];
  after(async () => {
    for (const bench of benches) await bench.close();
  });

  async function limited(
    limits: Budgets,
    change: Partial<EngineDeps> = {},
    environment = { FAKE_AGENT_VERSION: '2.0.20 (Claude Code)' },
  ): Promise<{ bench: Bench; engine: Engine }> {
    const bench = new Bench();
    benches.push(bench);
    const agents = { 'claude-code': { program: fakeAgent, environment } };
    const settings = { agents, unreportedChanges: false, budgets: () => ({ limits }) };
    return { bench, engine: await bench.engine({ settings: () => settings, ...change }) };
  }
  const costs = (usd: number) => [{ init: true }, { say: 'done' }, { result: { usd, text: 'done' } }];

  it('the run before is counted once while a resumed one has not said anything yet', async () => {
    const { bench, engine } = await limited({ day: { usd: 10 } });
    const first = await engine.start(bench.request(costs(6)));
    await outcome(first);
    const go = path.join(bench.dir, 'go');
    const resumed = await engine.resume(first.id, { prompt: prompt([{ until: go }, ...costs(2.5)]) });
    const other = await outcome(await engine.start(bench.request(costs(1))));
    assert.equal(other.success, true, other.error);
    await bench.go();
    const after = await outcome(resumed);
    assert.equal(after.success, true, after.error);
  });

  it('the time in which it waits for a person is not that of the others', async () => {
    let offset = 0;
    const clock = (): number => Date.now() + offset;
    const { bench, engine } = await limited({ day: { minutes: 30 } }, { interactive: true, clock });
    const steps = [{ init: true }, { ask: { id: 'one' } }, { result: { text: 'a' } }];
    const asking = await engine.start(bench.request(steps));
    await until('the question', () => talk(asking).pending().length > 0);
    offset += 3_600_000;
    const other = await outcome(await engine.start(bench.request(costs(1))));
    assert.equal(other.success, true, other.error);
    talk(asking).answer('one', { kind: 'deny' });
    await outcome(asking);
  });

  it('a run that goes on after midnight has the next day for itself', async () => {
    // The last minute of a day of this machine, which the clock leaves when it is told to.
    let offset = new Date(2026, 10, 22, 23, 59, 0).getTime() - Date.now();
    const { bench, engine } = await limited({ day: { tokens: 40 } }, { clock: () => Date.now() + offset });
    await outcome(await engine.start(bench.request([{ init: true }, { say: 'a' }, { say: 'b' }, { result: {} }])));
    const go = path.join(bench.dir, 'go');
    const late = [{ say: 'three' }, { wait: 2000 }, { say: 'four' }, { result: {} }];
    const handle = await engine.start(bench.request([{ init: true }, { say: 'one' }, { until: go }, ...late]));
    await seen(handle, 'one');
    offset += 3_600_000;
    await bench.go();
    const result = await outcome(handle);
    assert.equal(result.metadata?.budget, undefined);
    assert.equal(result.success, true, result.error);
  });

  it('an end by the limit that the program was given is told with that limit, though it was raised since', async () => {
    const environment = { FAKE_AGENT_VERSION: '2.1.197 (Claude Code)' };
    const { bench, engine } = await limited({ run: { usd: 1 } }, {}, environment);
    const max = {
      subtype: 'error_max_budget_usd',
      is_error: true,
      result: undefined,
      total_cost_usd: 1.02,
      errors: ['Reached it'],
    };
    const go = path.join(bench.dir, 'go');
    const steps = [{ init: true }, { say: 'one' }, { until: go }, { result: max }, { exit: 1 }];
    const handle = await engine.start(bench.request(steps));
    await seen(handle, 'one');
    await engine.budgets.raise(handle.id, { scope: 'run', unit: 'usd', key: handle.id, limit: 5 });
    await bench.go();
    const { metadata } = await outcome(handle);
    assert.deepEqual([metadata?.budget?.by, metadata?.budget?.limit], ['agent', 1]);
  });
});
