import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addCost, noCosts } from '../../../../src/insight/ledger/money.ts';
import { descendantsOf } from '../../../../src/insight/session/descendants.ts';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { addModels } from '../../../../src/insight/ledger/modelUsage.ts';
import type { PriceTable } from '../../../../src/insight/prices/prices.ts';
import { groupSpent, type RunSpending } from '../../../../src/insight/usage/spending.ts';
import type { MessageUsage } from '../../../../src/model/usage/facts.ts';
import { resultMetadataSchema, type ResultMetadata } from '../../../../src/model/session/result.ts';
import { tokenKinds } from '../../../../src/model/usage/tokenKinds.ts';
import type { ModelUsage, TokenUsage } from '../../../../src/model/usage/usage.ts';
import { message, report, runFacts } from '../../../support/sessions/facts.ts';
import { fuzzOptions, printFuzzTotals } from '../../../support/hostile/fuzz.ts';

/** How an agent prints its totals: of the run; of the session; of the session with the run's own beside it. */
const manners = { '2.0.77': 'run', '2.1.300': 'session', '2.1.328': 'both' } as const;

const prices: PriceTable = {
  name: 'test',
  date: '2026-01-01',
  models: {
    'model-a': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6 },
    'model-b': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, cacheWrite1h: 2 },
  },
  aliases: {},
};

/** US dollars times 10^9 for each token. */
const nano = {
  'model-a': { input: 3000n, output: 15000n, cacheRead: 300n, cacheWrite: 3750n, cacheWrite1h: 2250n },
  'model-b': { input: 1000n, output: 5000n, cacheRead: 100n, cacheWrite: 1250n, cacheWrite1h: 750n },
} as const;

type Model = keyof typeof nano;
type Tokens = Record<keyof (typeof nano)['model-a'], number>;

interface Side {
  readonly model: Model;
  readonly usage: Tokens;
}

interface Step {
  /** `killed`: the agent forgets what it used. `terminated`: it prints nothing, but remembers. `failed`: used nothing. */
  readonly end: 'done' | 'killed' | 'terminated' | 'failed';
  readonly main: readonly Tokens[];
  readonly sides: readonly Side[];
  readonly day: number;
  /** A failed run prints zeros, and not the totals that it began with. */
  readonly forgets: boolean;
}

const tokens = fc.integer({ min: 0, max: 2_000_000 });
const usage = fc
  .record({ input: fc.integer({ min: 1, max: 2_000_000 }), output: tokens, cacheRead: tokens, cacheWrite: tokens })
  .chain((kinds) => fc.integer({ min: 0, max: kinds.cacheWrite }).map((cacheWrite1h) => ({ ...kinds, cacheWrite1h })));
const side: fc.Arbitrary<Side> = fc.record({ model: fc.constantFrom('model-a' as const, 'model-b' as const), usage });
const step: fc.Arbitrary<Step> = fc.record({
  end: fc.constantFrom('done' as const, 'done' as const, 'killed' as const, 'terminated' as const, 'failed' as const),
  main: fc.array(usage, { minLength: 1, maxLength: 3 }),
  sides: fc.array(side, { maxLength: 3 }),
  day: fc.integer({ min: 1, max: 5 }),
  forgets: fc.boolean(),
});
const chain = fc.record({
  version: fc.constantFrom(...(Object.keys(manners) as (keyof typeof manners)[])),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});
type Chain = typeof chain extends fc.Arbitrary<infer T> ? T : never;

function nanoOf(model: Model, used: Tokens): bigint {
  const rates = nano[model];
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const;
  return kinds.reduce((sum, kind) => sum + BigInt(used[kind]) * rates[kind], 0n);
}

const exactly = (usd: number): bigint => BigInt(usd.toFixed(9).replace('.', ''));
const usdOf = (amount: bigint): number => Number(amount) / 1e9;

function modelsOf(parts: readonly Side[]): ModelUsage[] {
  return parts.reduce<ModelUsage[]>(
    (sum, { model, usage: own }) => addModels(sum, [{ model, ...own, usd: usdOf(nanoOf(model, own)) }]),
    [],
  );
}

const sumOf = (models: readonly ModelUsage[]): bigint => models.reduce((sum, { usd }) => sum + exactly(usd ?? 0), 0n);

function withoutMoney(models: readonly ModelUsage[]): TokenUsage {
  const sum: TokenUsage = {};
  for (const model of models)
    for (const kind of tokenKinds) if (model[kind] !== undefined) sum[kind] = (sum[kind] ?? 0) + model[kind];
  return sum;
}

/** What an agent of that version prints over a session, and what the ledger makes of it. */
function play({ version, steps }: Chain): { results: ResultMetadata[]; truth: bigint[] } {
  const manner = manners[version];
  const results: ResultMetadata[] = [];
  const truth: bigint[] = [];
  let cumulative: ModelUsage[] = [];
  for (const { end, main, sides, forgets } of steps) {
    const ran = end !== 'failed';
    const mine = ran ? main.map((own) => ({ model: 'model-a' as const, usage: own })) : [];
    const beside = ran ? sides : [];
    const own = modelsOf([...mine, ...beside]);
    if (end === 'done' || end === 'terminated') cumulative = addModels(cumulative, own);
    const total = manner === 'run' ? own : cumulative;
    const shown = ran ? total : manner === 'run' || forgets ? [] : cumulative;
    const messages: MessageUsage[] = [
      ...mine.map((fields, at) => message({ ...fields, messageId: `msg_${at}` })),
      ...beside.map((other, at) => message({ ...other, messageId: `side_${at}`, parentCallId: `call_${at}` })),
    ];
    const line = report({
      usd: usdOf(sumOf(shown)),
      usage: ran ? withoutMoney(modelsOf(mine)) : { input: 0, output: 0 },
      models: shown,
      runModels: manner === 'both' ? own : null,
      isError: !ran,
    });
    const printed = end === 'done' || end === 'failed';
    const facts = runFacts({
      agentVersion: version,
      messages,
      sideCalls: beside.length,
      reports: printed ? [line] : [],
    });
    const exit = printed ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' };
    const { metadata } = runResult(facts, exit, results, { prices });
    results.push(resultMetadataSchema.parse(metadata));
    truth.push(sumOf(own));
  }
  return { results, truth };
}

describe('totals over generated sessions with kills and subagents', () => {
  it('are exact for every run, session, day and tree', () => {
    const { numRuns } = fuzzOptions(150);
    let runs = 0;
    fc.assert(
      fc.property(fc.array(chain, { minLength: 1, maxLength: 4 }), (chains) => {
        const spent: RunSpending[] = [];
        const days = new Map<string, bigint>();
        const sessions: {
          session_id: string;
          parent_session_id?: string;
          cost: ResultMetadata['totalCostProvenance'];
        }[] = [];
        let all = 0n;
        for (const [at, example] of chains.entries()) {
          const { results, truth } = play(example);
          let total = 0n;
          for (const [run, { costProvenance: cost, totalCostProvenance: sum, models }] of results.entries()) {
            const where = `session ${at}, run ${run} of ${example.version}`;
            const own = truth[run] ?? -1n;
            total += own;
            runs += 1;
            assert.ok(cost.provenance !== 'unknown' && sum.provenance !== 'unknown', where);
            assert.equal(exactly(cost.usd), own, `cost of ${where}`);
            assert.equal(exactly(sum.usd), total, `total at ${where}`);
            const day = `2026-11-0${example.steps[run]?.day ?? 0}`;
            days.set(day, (days.get(day) ?? 0n) + own);
            spent.push({ sessionId: `s${at}`, runId: `r${run}`, at: day, agent: 'Agent', cost, models });
          }
          all += total;
          const cost = results.at(-1)?.totalCostProvenance ?? { provenance: 'unknown', reason: '' };
          sessions.push({ session_id: `s${at}`, cost, ...(at > 0 && { parent_session_id: `s${(at - 1) >> 1}` }) });
        }
        for (const { key, usd, unknown } of groupSpent(spent, 'day', (at) => at)) {
          assert.deepEqual([exactly(usd ?? NaN), unknown], [days.get(key), 0], key);
        }
        const [root] = sessions;
        const tree = [...(root === undefined ? [] : [root]), ...descendantsOf(sessions, 's0')];
        const { usd, unknown } = tree.map(({ cost }) => cost).reduce(addCost, noCosts);
        assert.deepEqual([exactly(usd ?? NaN), unknown], [all, 0], 'the tree');
      }),
      { numRuns },
    );
    printFuzzTotals(`${numRuns} trees of sessions, ${runs} runs`);
  }).timeout(600_000);
});
