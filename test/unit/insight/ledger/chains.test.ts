import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { isSameUsd } from '../../../../src/insight/ledger/money.ts';
import type { RunFacts } from '../../../../src/model/usage/facts.ts';
import { resultMetadataSchema, type ResultMetadata } from '../../../../src/model/session/result.ts';
import type { ModelUsage } from '../../../../src/model/usage/usage.ts';
import { message, report, runFacts, testPrices } from '../../../support/sessions/facts.ts';

/** How an agent prints its totals: of the run; of the session; of the session with the run's own beside it. */
const manners = { '2.0.77': 'run', '2.1.300': 'session', '2.1.328': 'both' } as const;

interface Step {
  /** `killed`: the agent forgets what it used. `terminated`: it prints nothing, but remembers. `failed`: used nothing. */
  readonly end: 'done' | 'killed' | 'terminated' | 'failed';
  readonly usage: Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>;
}

const tokens = fc.integer({ min: 1, max: 5_000_000 });
const usage = fc.record({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens });
const step = (...ends: Step['end'][]): fc.Arbitrary<Step> => fc.record({ end: fc.constantFrom(...ends), usage });
const anyVersion = fc.constantFrom(...(Object.keys(manners) as (keyof typeof manners)[]));

const usdOf = (used: Step['usage']): number => (used.input + used.output + used.cacheRead + used.cacheWrite) / 1e6;
const modelOf = (used: Step['usage']): ModelUsage => ({ model: 'model-a', ...used, usd: usdOf(used) });

function plus(a: Step['usage'], b: Step['usage']): Step['usage'] {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** What an agent of that version prints over a session, and what the ledger makes of it. */
function play(version: keyof typeof manners, steps: readonly Step[]): { own: ResultMetadata[]; true: number[] } {
  const manner = manners[version];
  const results: ResultMetadata[] = [];
  const costs: number[] = [];
  let cumulative: Step['usage'] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const { end, usage: own } of steps) {
    const messages = end === 'failed' ? [] : [message({ usage: own })];
    if (end === 'done' || end === 'terminated') cumulative = plus(cumulative, own);
    const nothing = { ...cumulative, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const total = end === 'failed' ? nothing : manner === 'run' ? own : cumulative;
    const line = report({
      usd: usdOf(total),
      usage: end === 'failed' ? nothing : own,
      models: end === 'failed' ? [] : [modelOf(total)],
      runModels: manner !== 'both' ? null : end === 'failed' ? [] : [modelOf(own)],
      isError: end === 'failed',
    });
    const reports = end === 'done' || end === 'failed' ? [line] : [];
    const facts: RunFacts = runFacts({ agentVersion: version, messages, reports });
    const exit = reports.length > 0 ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' };
    const { metadata } = runResult(facts, exit, results, { prices: testPrices });
    results.push(resultMetadataSchema.parse(metadata));
    costs.push(end === 'failed' ? 0 : usdOf(own));
  }
  return { own: results, true: costs };
}

const near = (a: number | null, b: number): boolean => a !== null && Math.abs(a - b) <= 1e-6;

describe('figures over random sessions', () => {
  it('are correct for every run, and add up to the total', () => {
    fc.assert(
      fc.property(anyVersion, fc.array(step('done', 'failed'), { maxLength: 8 }), (version, steps) => {
        const played = play(version, steps);
        let sum = 0;
        for (const [at, { cost, totalCost, costProvenance, totalCostProvenance }] of played.own.entries()) {
          sum += played.true[at] ?? NaN;
          assert.ok(near(cost, played.true[at] ?? NaN), `cost of run ${at}: ${cost}, not ${played.true[at]}`);
          assert.ok(near(totalCost, sum), `total at run ${at}: ${totalCost}, not ${sum}`);
          assert.equal(costProvenance.provenance, 'reported');
          assert.equal(totalCostProvenance.provenance, 'reported');
        }
      }),
    );
  });

  it('are correct if runs were killed, and the total includes these', () => {
    const steps = fc.array(step('done', 'killed', 'terminated', 'failed'), { maxLength: 8 });
    fc.assert(
      fc.property(anyVersion, steps, (version, taken) => {
        const played = play(version, taken);
        let sum = 0;
        for (const [at, { cost, totalCost }] of played.own.entries()) {
          sum += played.true[at] ?? NaN;
          // What two unreported runs left together cannot always be told from what one of them did.
          const clear = version !== '2.1.300' || taken.slice(0, at).every(({ end }) => end === 'done');
          if (clear)
            assert.ok(near(cost, played.true[at] ?? NaN), `cost of run ${at}: ${cost}, not ${played.true[at]}`);
          if (version === '2.0.77') assert.ok(near(totalCost, sum), `total at run ${at}: ${totalCost}, not ${sum}`);
        }
      }),
    );
  });

  it('never decrease in total, and are never negative or NaN', () => {
    const steps = fc.array(step('done', 'killed', 'terminated', 'failed'), { maxLength: 10 });
    fc.assert(
      fc.property(anyVersion, steps, (version, taken) => {
        let before = 0;
        for (const { cost, totalCost, usage: own, totalUsage } of play(version, taken).own) {
          assert.ok(cost !== null && cost >= 0 && totalCost !== null && totalCost >= 0);
          assert.ok(totalCost >= before || isSameUsd(totalCost, before), `${totalCost} after ${before}`);
          assert.ok((totalUsage.input ?? 0) >= (own.input ?? 0));
          before = totalCost;
        }
      }),
    );
  });
});
