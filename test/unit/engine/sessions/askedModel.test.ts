import assert from 'node:assert/strict';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import type { AgentOptions } from '../../../../src/agents/adapter.ts';
import { Bench, fakeAgent, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

const thread = '01980000-0000-7000-8000-000000000001';
const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100 };
/** A run of Codex, which says nothing of its model. */
const turn = prompt([
  { print: `${JSON.stringify({ type: 'thread.started', thread_id: thread })}\n` },
  { print: `${JSON.stringify({ type: 'turn.started' })}\n` },
  { print: `${JSON.stringify({ type: 'turn.completed', usage })}\n` },
]);

describe('the model that the user selected', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('prices a run whose agent does not report its model, live, in the record, and in the next run', async () => {
    const engine = await bench.engine({
      adapters: [codex],
      settings: () => ({
        agents: { codex: { program: fakeAgent, environment: { FAKE_AGENT_VERSION: 'codex-cli 0.77.0' } } },
        unreportedChanges: false,
      }),
    });
    const start = (options: AgentOptions) => engine.start({ agent: 'codex', cwd: bench.cwd, prompt: turn, options });
    const handle = await start({ model: 'gpt-5' });
    const { metadata } = await waitForResult(handle);
    assert.deepEqual(metadata?.usage, { input: 1000, output: 100, cacheRead: 0 });
    assert.equal(metadata.askedModel, 'gpt-5');
    const { cost } = handle.summary();
    assert.equal(cost.provenance, 'estimated');
    assert.ok(cost.usd > 0);
    assert.match(cost.reason ?? '', /price of gpt-5, which you selected\.$/);

    const again = await waitForResult(await engine.resume(handle.id, { prompt: turn }));
    assert.equal(again.metadata?.cost, metadata.cost);
    assert.match(JSON.stringify(again.metadata.costProvenance), /selected for the earlier runs/);

    const unknown = await waitForResult(await start({}));
    assert.equal(unknown.metadata?.cost, null);
    assert.match(JSON.stringify(unknown.metadata.costProvenance), /did not report its model/);
  });

  it("uses the user's price from then on", async () => {
    const own: { prices?: unknown } = {};
    const engine = await bench.engine({
      adapters: [codex],
      settings: () => ({
        agents: { codex: { program: fakeAgent, environment: { FAKE_AGENT_VERSION: 'codex-cli 0.77.0' } } },
        unreportedChanges: false,
        ...own,
      }),
    });
    const request = { agent: 'codex' as const, cwd: bench.cwd, prompt: turn, options: { model: 'tea-1' } };
    const before = await waitForResult(await engine.start(request));
    assert.equal(before.metadata?.cost, null, 'no table knows it');
    own.prices = { date: '2026-01-31', models: { 'tea-1': { input: 1000, output: 0 } } };
    const { metadata } = await waitForResult(await engine.start(request));
    assert.equal(metadata?.cost, 1);
    const cost = metadata.costProvenance;
    assert.ok(cost.provenance === 'estimated');
    assert.equal(cost.priceTable.date, '2026-01-31');
    assert.match(cost.priceTable.name, /^your own, else .+ of \d{4}-\d\d-\d\d$/);
  });
});
