import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EngineDeps } from '../../../../src/engine/engineDeps.ts';
import type { SessionHandle, StartRequest } from '../../../../src/engine/api.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { parseRecordLine } from '../../../../src/formats/record.ts';
import type { Budgets } from '../../../../src/model/usage/budget.ts';
import {
  budgetScopes,
  budgetUnits,
  type BudgetScope,
  type BudgetUnit,
} from '../../../../src/model/usage/budgetNames.ts';
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
import { isFullSize } from '../../../support/hostile/fuzz.ts';
import { until } from '../../../support/until.ts';

/** One response of the fake agent: 15 tokens, $0.000105 by the price table. */
const perResponse: Readonly<Record<BudgetUnit, number>> = { usd: 0.000105, tokens: 15, turns: 1, minutes: 0 };
/** Between the second and the third response; minutes pass while the agent thinks. */
const limits: Readonly<Record<BudgetUnit, number>> = { usd: 0.00025, tokens: 36, turns: 2, minutes: 0.05 };
/** Sessions that share such a budget have a part of it used up by another. */
const shared: ReadonlySet<BudgetScope> = new Set(['session', 'tree', 'day', 'agent', 'workspace']);

/** Tested in every unit also in ordinary runs. */
const everyUnit: ReadonlySet<BudgetScope> = new Set(['run', 'day']);

const newer = '2.1.197 (Claude Code)';
const says = (...words: readonly string[]): Step[] => words.map((word) => ({ say: word }));
/** What no model would have said yet when it was to be stopped. */
const much: readonly Step[] = [{ wait: 20_000 }, { say: 'too much' }, { result: {} }];
const done: readonly Step[] = [{ init: true }, { say: 'went on' }, { result: { usd: 0.0002, text: 'went on' } }];

async function texts(handle: SessionHandle): Promise<string[]> {
  return (await readEntries(handle)).flatMap(({ type, content }) =>
    type.kind === 'assistant_message' ? [content] : [],
  );
}

describe('budgets', function () {
  let benches: Bench[] = [];
  afterEach(async () => {
    await Promise.all(benches.map((bench) => bench.close()));
    benches = [];
  });

  /** The stand-in holds no limit on its own, and is of a version that is not asked to. */
  async function limited(
    budgets: Budgets,
    change: Partial<EngineDeps> = {},
    version = '2.0.20 (Claude Code)',
  ): Promise<{ bench: Bench; engine: Engine }> {
    const bench = new Bench();
    benches.push(bench);
    const settings = {
      agents: { 'claude-code': { program: fakeAgent, environment: { FAKE_AGENT_VERSION: version } } },
      unreportedChanges: false,
      budgets: () => ({ limits: budgets }),
    };
    return { bench, engine: await bench.engine({ settings: () => settings, ...change }) };
  }

  async function decisions(engine: Engine, id: string): Promise<Record<string, unknown>[]> {
    const lines = (await readFile(engine.recordPath(id), 'utf8')).trim().split('\n');
    return lines.flatMap((line) => {
      const { value } = parseRecordLine(line);
      return value?.kind === 'decision' && value.decision.type.startsWith('budget') ? [value.decision] : [];
    });
  }

  for (const scope of budgetScopes) {
    const units = isFullSize || everyUnit.has(scope) ? budgetUnits : (['usd', 'turns'] as const);
    it(`of a ${scope} are reached, pause, and resume the session when raised, in ${units.join(', ')}`, async () => {
      await Promise.all(units.map((unit) => tripAndRaise(scope, unit)));
    });
  }

  async function tripAndRaise(scope: BudgetScope, unit: BudgetUnit): Promise<void> {
    const limit = limits[unit];
    const { bench, engine } = await limited({ [scope]: { [unit]: limit } });
    const what = `${scope} ${unit}`;
    // Of a shared budget one response goes to an earlier run: of the same session, or of another. Its minutes no one knows.
    let begin = async (steps: readonly Step[]) => engine.start(bench.request(steps));
    let before = 0;
    if (shared.has(scope) && unit !== 'minutes') {
      const first = await engine.start(
        bench.request([{ init: true }, { say: 'before' }, { result: { usd: 0.000105, text: 'before' } }]),
      );
      assert.equal((await waitForResult(first)).success, true, what);
      before = 1;
      if (scope === 'session') begin = async (steps) => engine.resume(first.id, { prompt: prompt(steps) });
      if (scope === 'tree') begin = async (steps) => engine.start({ ...bench.request(steps), parent: first.id });
    }
    // Turns have ended with the third response, the others when the third has used more than is left.
    const responses = ['one', 'two', 'three'].slice(before);
    const handle = await begin([{ init: true }, ...says(...responses), ...much]);
    const from = handle.turns().at(-1)?.firstIndex ?? 0;
    const near: string[] = [];
    handle.onSummary(({ budget }) => {
      if (budget?.near !== undefined) near.push(budget.near.unit);
    });
    const result = await waitForResult(handle);

    // Nothing was said that the limit should have held back; on a slow machine minutes may pass before all is.
    const said = (await texts(handle)).filter((text) => text !== 'before');
    assert.deepEqual(said, unit === 'minutes' ? responses.slice(0, said.length) : responses, what);
    assert.equal(result.success, false, what);
    const reached = result.metadata?.budget;
    assert.ok(reached !== undefined, what);
    assert.deepEqual([reached.scope, reached.unit, reached.limit, reached.by], [scope, unit, limit, 'vitrine'], what);
    assert.ok(reached.spent >= limit && reached.spent <= limit + (perResponse[unit] || 1), `${what}: ${reached.spent}`);
    assert.equal(result.metadata?.isMaxTurns, unit === 'turns', what);
    assert.equal(result.metadata.isMaxBudget, unit !== 'turns', what);
    assert.equal(result.metadata.endReason, unit === 'turns' ? 'max_turns' : 'max_budget', what);
    const summary = handle.summary();
    assert.deepEqual([summary.status, summary.outcome], ['stopped', 'stopped'], what);
    assert.deepEqual(summary.budget?.reached, reached, what);
    assert.match(summary.reason ?? '', /^The budget for .+ is used up: /, what);
    assert.ok(near.includes(unit), `${what}: near`);
    const reported = (await readEntries(handle)).find(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'budget',
    );
    assert.ok(reported !== undefined && reported.index > from, what);
    assert.match(reported.content, /^The budget for .+ is used up: .+ Raise the limit to resume the session\.$/, what);
    const types = (await decisions(engine, handle.id)).map(({ type }) => type);
    assert.ok(types.includes('budget_near') && types.includes('budget_reached'), `${what}: ${types.join()}`);

    if (shared.has(scope)) {
      await assert.rejects(engine.resume(handle.id, { prompt: prompt(done) }), { code: 'budget_used_up' }, what);
      assert.equal(handle.summary().status, 'stopped', what);
      assert.equal((await decisions(engine, handle.id)).at(-1)?.['type'], 'budget_refused', what);
    }
    await engine.budgets.raise(handle.id, { scope, unit, key: reached.key, limit: 1000 });
    const again = await engine.resume(handle.id, { prompt: prompt(done) });
    const ended = await waitForResult(again);
    assert.equal(ended.success, true, `${what}: ${ended.error}`);
    assert.equal(ended.data, 'went on', what);
    assert.deepEqual([again.summary().outcome, again.summary().budget], ['completed', undefined], what);
    assert.equal((await decisions(engine, handle.id)).at(-1)?.['type'], 'budget_raised', what);
    const verified = await engine.archive.verify(handle.id);
    assert.equal(verified.verdict, 'intact', what);
  }

  it('prevent a first run when the daily limit is used up', async () => {
    const { bench, engine } = await limited({ day: { tokens: 10 } });
    await waitForResult(await engine.start(bench.request([{ init: true }, { say: 'all of it' }, { result: {} }])));
    await assert.rejects(engine.start(bench.request(done)), (error: { code: string; budget: unknown }) => {
      assert.equal(error.code, 'budget_used_up');
      assert.ok(error.budget !== undefined);
      return true;
    });
    assert.equal((await engine.list()).length, 1);
  });

  it('cover several agents that run at the same time', async () => {
    const { bench, engine } = await limited({ workspace: { tokens: 40 } });
    const steps = [{ init: true }, ...says('one'), { until: path.join(bench.dir, 'go') }, ...says('two'), ...much];
    const handles = [await engine.start(bench.request(steps)), await engine.start(bench.request(steps))];
    await Promise.all(handles.map((handle) => waitForEntry(handle, 'one')));
    await bench.go();
    const results = await Promise.all(handles.map(waitForResult));
    assert.deepEqual(
      results.map(({ metadata }) => [metadata?.budget?.scope, metadata?.isMaxBudget]),
      [
        ['workspace', true],
        ['workspace', true],
      ],
    );
    for (const handle of handles) assert.ok(!(await texts(handle)).includes('too much'));
  });

  it('of a message restart with the next one, and a queued one waits for the rest', async () => {
    const { bench, engine } = await limited({ message: { tokens: 40 }, run: { turns: 4 } }, { interactive: true });
    const go = path.join(bench.dir, 'go');
    const handle = await engine.start(
      bench.request([
        { init: true },
        ...says('one', 'two'),
        { until: go },
        { result: { text: 'two' } },
        { hear: true },
        ...says('four'),
        { result: { text: 'four' } },
        { hear: true },
        ...much,
      ]),
    );
    await waitForEntry(handle, 'two');
    talk(handle).sendMessage('next', 'queue');
    talk(handle).sendMessage('and more', 'queue');
    await bench.go();
    const result = await waitForResult(handle);
    assert.deepEqual(await texts(handle), ['one', 'two', 'heard next', 'four']);
    const { budget } = result.metadata ?? {};
    assert.deepEqual([budget?.scope, budget?.unit, budget?.spent], ['run', 'turns', 4]);
    const unsaid = (await readEntries(handle)).find(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'unsaid',
    );
    assert.match(unsaid?.content ?? '', /and more/);
  });

  it('do not count minutes spent waiting for the user', async () => {
    let offset = 0;
    const clock = (): number => Date.now() + offset;
    const { bench, engine } = await limited({ run: { minutes: 10 } }, { interactive: true, clock, monotonic: clock });
    const handle = await engine.start(bench.request([{ init: true }, { ask: { id: 'one' } }, { result: {} }]));
    await until('the request', () => talk(handle).pendingRequests().length === 1);
    offset += 3_600_000;
    assert.equal(talk(handle).answer('one', { kind: 'deny' }), true);
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
  });

  describe('without a price', () => {
    const unpriced: readonly Step[] = [{ model: 'mystery-1' }, { init: true }, ...says('one', 'two', 'three')];
    const end: Step = { event: { type: 'result', subtype: 'success', is_error: false, num_turns: 3, result: 'done' } };

    it('in US dollars are not enforced, with a notice; the run continues', async () => {
      const { bench, engine } = await limited({ run: { usd: 0.0001 } });
      const handle = await engine.start(bench.request([...unpriced, end]));
      const result = await waitForResult(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(result.metadata?.cost, null);
      assert.match(
        handle.summary().budget?.unheld ?? '',
        /^No price is known for the model mystery-1.+no other limits/,
      );
      assert.equal((await decisions(engine, handle.id)).map(({ type }) => type).join(), 'budget_unheld');
    });

    it('report before the start that they cannot be enforced, if the model is known', async () => {
      const { bench, engine } = await limited({ run: { usd: 0.0001, tokens: 1000 } });
      const request: StartRequest = { ...bench.request([...unpriced, end]), options: { model: 'mystery-1' } };
      const handle = await engine.start(request);
      await waitForResult(handle);
      const said = (await readEntries(handle))
        .filter(({ type }) => type.kind === 'system_message')
        .map(({ content }) => content);
      assert.match(said[0] ?? '', /^No price is known for the model mystery-1.+Its limits in tokens still apply\.$/);
    });

    it('handle an alias only when the agent has reported the model', async () => {
      const { bench, engine } = await limited({ run: { usd: 5 } });
      const steps = [{ init: true }, ...says('one'), { result: { text: 'one' } }];
      const handle = await engine.start({ ...bench.request(steps), options: { model: 'sonnet' } });
      assert.equal((await waitForResult(handle)).success, true);
      assert.equal(handle.summary().budget?.unheld, undefined);
    });

    it('of one message are enforced by other known costs', async () => {
      const { bench, engine } = await limited({ run: { usd: 0.00025 } });
      const other: Step[] = [{ model: 'mystery-1' }, ...says('helper'), { model: 'claude-sonnet-4-5-20250929' }];
      const steps = [{ init: true }, ...says('one'), ...other, ...says('two', 'three'), ...much];
      const handle = await engine.start(bench.request(steps));
      const { metadata } = await waitForResult(handle);
      assert.deepEqual(await texts(handle), ['one', 'helper', 'two', 'three']);
      assert.equal(metadata?.budget?.unit, 'usd');
      assert.match(
        handle.summary().budget?.unheld ?? '',
        /mystery-1, so limits in US dollars do not include its usage/,
      );
    });

    it('are enforced in tokens and turns', async () => {
      const { bench, engine } = await limited({ run: { usd: 0.0001, tokens: 40 } });
      const result = await waitForResult(await engine.start(bench.request([...unpriced, ...much])));
      assert.equal(result.metadata?.budget?.unit, 'tokens');
      assert.equal(result.metadata.cost, null);
    });
  });

  it('are passed to an agent that can enforce them, whose end is not a failure', async () => {
    const { bench, engine } = await limited({ run: { turns: 7 }, session: { turns: 5, usd: 2 } }, {}, newer);
    const max = { subtype: 'error_max_turns', is_error: true, result: undefined, num_turns: 5, errors: ['Reached it'] };
    const handle = await engine.start({
      ...bench.request([
        { init: true },
        { args: true },
        ...says('1', '2', '3', '4', '5'),
        { result: max },
        { exit: 1 },
      ]),
      options: { maxTurns: 6 },
    });
    const result = await waitForResult(handle);
    const args = (await readEntries(handle)).find(({ metadata }) => metadata?.raw?.includes('"args"') === true)
      ?.metadata?.raw;
    assert.match(args ?? '', /"--max-turns","5","--max-budget-usd","2"/);
    const { metadata } = result;
    assert.deepEqual([metadata?.isMaxTurns, metadata?.budget?.by, metadata?.budget?.scope], [true, 'agent', 'session']);
    assert.deepEqual([handle.summary().outcome, handle.summary().budget?.reached?.spent], ['stopped', 5]);
    assert.equal(handle.turns()[0]?.status, 'stopped');
  });

  it('end an agent that ignores its own limits at the first response, and report the excess', async () => {
    const { bench, engine } = await limited({ run: { usd: 0.000109 } }, {}, newer);
    const handle = await engine.start(bench.request([{ init: true }, ...says('one', 'two'), ...much]));
    const { metadata, error } = await waitForResult(handle);
    assert.deepEqual([metadata?.budget?.unit, metadata?.budget?.by], ['usd', 'vitrine']);
    assert.deepEqual(await texts(handle), ['one', 'two']);
    assert.match(error ?? '', /: \$0\.0002 of \$0\.0001\. \$0\.0001 over the limit\. Agents report/);
  });

  it('in turns end an agent after a last tool call, before the next response', async () => {
    const { bench, engine } = await limited({ run: { turns: 2 } });
    const steps: Step[] = [{ init: true }, { say: 'one' }, { tool: { id: 'call', command: 'ls' } }, ...much];
    const handle = await engine.start(bench.request(steps));
    const { metadata, error } = await waitForResult(handle);
    assert.deepEqual([metadata?.budget?.unit, metadata?.budget?.spent], ['turns', 2]);
    assert.equal(error, 'The budget for this run is used up: 2 of 2 turns.');
    assert.deepEqual(await texts(handle), ['one']);
  });

  it('of a request cannot exceed those of the settings', async () => {
    const { bench, engine } = await limited({ run: { tokens: 40 } });
    const request = {
      ...bench.request([{ init: true }, ...says('one', 'two', 'three'), ...much]),
      limits: { tokens: 4000 },
    };
    assert.equal((await waitForResult(await engine.start(request))).metadata?.budget?.limit, 40);
    const tighter = { ...bench.request([{ init: true }, ...says('one'), ...much]), limits: { tokens: 10 } };
    assert.equal((await waitForResult(await engine.start(tighter))).metadata?.budget?.limit, 10);
  });

  it('can be raised for an active run, and for other windows', async () => {
    const { bench, engine } = await limited({ session: { tokens: 100 } });
    const go = path.join(bench.dir, 'go');
    const steps = [
      { init: true },
      ...says('1', '2', '3', '4', '5', '6'),
      { until: go },
      ...says('7', '8'),
      { result: {} },
    ];
    const handle = await engine.start(bench.request(steps));
    await until('80 %', () => handle.summary().budget?.near !== undefined);
    const raise = { scope: 'session', unit: 'tokens', key: handle.id } as const;
    await engine.budgets.raise(handle.id, { ...raise, limit: 500 });
    assert.equal(handle.summary().budget?.near, undefined);
    // Whoever had not heard of that one.
    await engine.budgets.raise(handle.id, { ...raise, limit: 101 });
    await bench.go();
    assert.equal((await waitForResult(handle)).success, true);
    const settings = {
      agents: { 'claude-code': { program: fakeAgent } },
      budgets: () => ({ limits: { session: { tokens: 100 } } }),
    };
    const other = await bench.engine({ settings: () => settings });
    assert.equal((await waitForResult(await other.resume(handle.id, { prompt: prompt(done) }))).success, true);
  });

  it('do not affect a run that ends with its last response', async () => {
    const { bench, engine } = await limited({ run: { turns: 2, tokens: 31 } });
    const handle = await engine.start(bench.request([{ init: true }, ...says('one', 'two'), { result: {} }]));
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.deepEqual([handle.summary().outcome, handle.summary().budget?.near?.unit], ['completed', 'turns']);
  });
});
