import assert from 'node:assert/strict';
import path from 'node:path';
import type { EngineDeps } from '../../../../src/engine/engineDeps.ts';
import type { SessionHandle } from '../../../../src/engine/api.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import type { Budgets } from '../../../../src/model/usage/budget.ts';
import { talk } from '../../../support/agents/talk.ts';
import {
  Bench,
  readEntries,
  fakeAgent,
  waitForResult,
  prompt,
  waitForEntry,
  type Step,
} from '../../../support/fakeAgent/engine.ts';
import { until } from '../../../support/until.ts';

describe('budgets of single runs', function () {
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
  const says = (...words: readonly string[]): Step[] => words.map((word) => ({ say: word }));
  /** What no model would have said yet when it was to be stopped. */
  const much: readonly Step[] = [{ wait: 20_000 }, { say: 'too much' }, { result: {} }];
  const texts = async (handle: SessionHandle): Promise<string[]> =>
    (await readEntries(handle)).flatMap(({ type, content }) => (type.kind === 'assistant_message' ? [content] : []));
  const costs = (usd: number) => [{ init: true }, { say: 'done' }, { result: { usd, text: 'done' } }];

  it('count the previous run until a resumed one reports usage', async () => {
    const { bench, engine } = await limited({ day: { usd: 10 } });
    const first = await engine.start(bench.request(costs(6)));
    await waitForResult(first);
    const go = path.join(bench.dir, 'go');
    const resumed = await engine.resume(first.id, { prompt: prompt([{ until: go }, ...costs(2.5)]) });
    const other = await waitForResult(await engine.start(bench.request(costs(1))));
    assert.equal(other.success, true, other.error);
    await bench.go();
    const after = await waitForResult(resumed);
    assert.equal(after.success, true, after.error);
  });

  it('exclude time spent waiting for the user, while others run', async () => {
    let offset = 0;
    const clock = (): number => Date.now() + offset;
    const { bench, engine } = await limited({ day: { minutes: 30 } }, { interactive: true, clock, monotonic: clock });
    const steps = [{ init: true }, { ask: { id: 'one' } }, { result: { text: 'a' } }];
    const asking = await engine.start(bench.request(steps));
    await until('the question', () => talk(asking).pendingRequests().length > 0);
    offset += 3_600_000;
    const other = await waitForResult(await engine.start(bench.request(costs(1))));
    assert.equal(other.success, true, other.error);
    talk(asking).answer('one', { kind: 'deny' });
    await waitForResult(asking);
  });

  it("apply the next day's limits to an active run after midnight", async () => {
    // The last minute of a day of this machine, which the clock leaves when it is told to.
    let offset = new Date(2026, 10, 22, 23, 59, 0).getTime() - Date.now();
    // Each message uses 15 tokens: the limits of the first day would allow three.
    const { bench, engine } = await limited({ day: { tokens: 50 } }, { clock: () => Date.now() + offset });
    await waitForResult(
      await engine.start(bench.request([{ init: true }, { say: 'a' }, { say: 'b' }, { result: {} }])),
    );
    const go = path.join(bench.dir, 'go');
    const late = [{ say: 'three' }, { wait: 2000 }, { say: 'four' }, { result: {} }];
    const handle = await engine.start(bench.request([{ init: true }, { say: 'one' }, { until: go }, ...late]));
    await waitForEntry(handle, 'one');
    offset += 3_600_000;
    await bench.go();
    const result = await waitForResult(handle);
    assert.equal(result.metadata?.budget, undefined);
    assert.equal(result.success, true, result.error);
  });

  it("include usage of another daemon's run when something else is used", async () => {
    const { bench, engine } = await limited({ day: { tokens: 100 } });
    const go = path.join(bench.dir, 'go');
    const steps = [{ init: true }, { say: 'one' }, { until: go }, { say: 'two' }, { wait: 60_000 }, { result: {} }];
    const handle = await engine.start(bench.request(steps));
    await waitForEntry(handle, 'one');
    const agents = { 'claude-code': { program: fakeAgent } };
    const other = await bench.engine({ settings: () => ({ agents, unreportedChanges: false }) });
    const usage = { input_tokens: 70, output_tokens: 10 };
    await waitForResult(
      await other.start(bench.request([{ init: true }, { say: 'b' }, { result: { text: 'b', usage } }])),
    );
    const nothing = { input_tokens: 0, output_tokens: 0 };
    await waitForResult(await engine.start(bench.request([{ init: true }, { result: { text: 'c', usage: nothing } }])));
    await bench.go();
    const { metadata } = await waitForResult(handle);
    assert.deepEqual([metadata?.budget?.scope, metadata?.budget?.spent], ['day', 110]);
  });

  it('of a message are not passed to an agent that may get several', async () => {
    const environment = { FAKE_AGENT_VERSION: '2.1.197 (Claude Code)' };
    const argsOf = async (interactive: boolean): Promise<string> => {
      const { bench, engine } = await limited({ message: { usd: 1 } }, { interactive }, environment);
      const handle = await engine.start(bench.request([{ init: true }, { args: true }, { result: { text: 'a' } }]));
      await waitForResult(handle);
      const all = await readEntries(handle);
      return all.find(({ metadata }) => metadata?.raw?.includes('"args"') === true)?.metadata?.raw ?? '';
    };
    assert.match(await argsOf(false), /"--max-budget-usd","1"/);
    assert.doesNotMatch(await argsOf(true), /max-budget/);
  });

  it('are reported as passed to the program, even if they were raised since', async () => {
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
    await waitForEntry(handle, 'one');
    await engine.budgets.raise(handle.id, { scope: 'run', unit: 'usd', key: handle.id, limit: 5 });
    await bench.go();
    const { metadata } = await waitForResult(handle);
    assert.deepEqual([metadata?.budget?.by, metadata?.budget?.limit], ['agent', 1]);
  });

  describe('reached at the closing line', () => {
    const usage = { input_tokens: 500, output_tokens: 5 };
    const begin = async (last: Step, after: readonly Step[]): Promise<SessionHandle> => {
      const { bench, engine } = await limited({ run: { tokens: 100 } });
      const go = path.join(bench.dir, 'go');
      const handle = await engine.start(
        bench.request([{ init: true }, ...says('one'), { result: { usage, ...last } }, { until: go }, ...after]),
      );
      await until('the limit', () => handle.summary().budget?.near !== undefined);
      assert.equal(handle.summary().status, 'running');
      await bench.go();
      return handle;
    };

    it('do not affect an agent that is about to exit', async () => {
      const handle = await begin({ text: 'one' }, []);
      const result = await waitForResult(handle);
      assert.equal(result.success, true, result.error);
      assert.deepEqual([handle.summary().outcome, result.metadata?.budget], ['completed', undefined]);
    });

    it('end an agent that continues', async () => {
      const result = await waitForResult(await begin({ text: 'one' }, [...says('again'), ...much]));
      assert.deepEqual([result.success, result.metadata?.budget?.by], [false, 'vitrine']);
    });

    it("do not replace the agent's error", async () => {
      const error = { subtype: 'error_during_execution', is_error: true, result: undefined, errors: ['disk full'] };
      const handle = await begin(error, [{ exit: 1 }]);
      const result = await waitForResult(handle);
      assert.match(result.error ?? '', /disk full/);
      assert.deepEqual([handle.summary().outcome, result.metadata?.budget], ['failed', undefined]);
    });
  });

  it('apply to the second message of a conversation', async () => {
    const { bench, engine } = await limited({ message: { tokens: 40 } }, { interactive: true });
    const go = path.join(bench.dir, 'go');
    const handle = await engine.start(
      bench.request([
        { init: true },
        ...says('one'),
        { until: go },
        { result: { text: 'one' } },
        { hear: true },
        ...says('two', 'three'),
        ...much,
      ]),
    );
    await waitForEntry(handle, 'one');
    talk(handle).sendMessage('next', 'queue');
    await bench.go();
    const { metadata } = await waitForResult(handle);
    assert.deepEqual(await texts(handle), ['one', 'heard next', 'two', 'three']);
    assert.deepEqual([metadata?.budget?.scope, metadata?.budget?.spent], ['message', 45]);
  });

  it('that hold a message back pause a successful run', async () => {
    const { bench, engine } = await limited({ run: { turns: 1 } }, { interactive: true });
    const go = path.join(bench.dir, 'go');
    const handle = await engine.start(
      bench.request([
        { init: true },
        { leave: ['SIGINT', 'SIGTERM'] },
        ...says('one'),
        { until: go },
        { result: { text: 'one' } },
        { hear: true },
        ...much,
      ]),
    );
    await waitForEntry(handle, 'one');
    talk(handle).sendMessage('next', 'queue');
    await bench.go();
    const result = await waitForResult(handle);
    assert.deepEqual([result.success, result.metadata?.budget?.unit], [false, 'turns']);
    assert.equal(handle.summary().outcome, 'stopped');
  });
});
