import assert from 'node:assert/strict';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { turnsOf } from '../../../../src/insight/ledger/turns.ts';
import type { RunFacts } from '../../../../src/model/usage/facts.ts';
import type { ResultMetadata } from '../../../../src/model/session/result.ts';
import { message, report, runFacts, testPrices } from '../../../support/sessions/facts.ts';

/** A run that printed these numbers of turns, after `userLines` lines of the user's side. */
function run(turns: readonly number[], userLines: number, own: Partial<RunFacts> = {}): RunFacts {
  return runFacts({ reports: turns.map((turn) => report({ turns: turn })), messages: [message()], userLines, ...own });
}

function before(...runs: readonly RunFacts[]): ResultMetadata[] {
  const results: ResultMetadata[] = [];
  for (const facts of runs) {
    const { metadata } = runResult(facts, { code: 0, signal: null }, results, { prices: testPrices });
    if (metadata !== undefined) results.push(metadata);
  }
  return results;
}

describe('turns', () => {
  it("are per run if the run's output explains them", () => {
    const { session, run: own } = turnsOf(run([3], 2), before(run([2], 1)), null);
    assert.deepEqual([session, own], [5, 3]);
  });

  it("are per conversation if the run's output cannot explain them", () => {
    const { session, run: own, scope } = turnsOf(run([3], 0), before(run([1], 0)), null);
    assert.deepEqual([session, own, scope], [3, 2, 'session']);
  });

  it('depend on the version if the output is inconclusive', () => {
    const silent = run([4], 0, { messages: [] });
    assert.deepEqual(turnsOf(silent, before(run([1], 0)), '2.0.77').session, 5);
    assert.deepEqual(turnsOf(silent, before(run([1], 0)), '1.0.128').session, 4);
  });

  it('add up within one process', () => {
    assert.equal(turnsOf(run([1, 2], 1), [], '2.1.0').run, 3);
  });

  it('are unchanged by a run that reported none', () => {
    assert.deepEqual(turnsOf(run([], 0), before(run([2], 1)), null), {
      session: 2,
      run: null,
      printedTurns: null,
      scope: null,
    });
    assert.equal(turnsOf(run([], 0), [], null).session, null);
  });
});
