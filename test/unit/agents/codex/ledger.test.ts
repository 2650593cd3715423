import assert from 'node:assert/strict';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import type { ResultMetadata } from '../../../../src/model/session/result.ts';
import type { TokenUsage } from '../../../../src/model/usage/usage.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../support/captures/agentCaptures.ts';

const captures = new Map(capturesOf('codex').map((capture) => [capture.name, capture]));
const prices = await loadPrices();

function resultOf(name: string, previous: readonly ResultMetadata[], agentVersion: string | null): ResultMetadata {
  const capture = captures.get(name);
  assert.ok(capture !== undefined, name);
  const { facts } = readBy(codex, linesOfCapture(capture), capture.exit);
  const { metadata } = runResult(facts, capture.exit, previous, { prices, agentVersion });
  assert.ok(metadata !== undefined);
  return metadata;
}

/** One session of four runs, of which the third asks its model seven times and the others once. */
function session(version: string, agentVersion: string | null): ResultMetadata[] {
  const runs: ResultMetadata[] = [];
  for (const at of [0, 1, 2, 3]) runs.push(resultOf(`${version}/chain-${at}`, runs, agentVersion));
  return runs;
}

describe('tokens of a session of Codex', () => {
  const requests = [1, 1, 7, 1];
  const sums = [1, 2, 9, 10];
  const once = { input: 400, output: 60, cacheRead: 800 };
  const times = (usage: Readonly<Record<string, number>>, count: number): TokenUsage =>
    Object.fromEntries(Object.entries(usage).map(([kind, tokens]) => [kind, tokens * count]));

  for (const [version, scope, reasoning] of [
    ['0.44.0', 'run', {}],
    ['0.77.0', 'run', {}],
    ['0.110.0', 'session', {}],
    ['0.142.0', 'session', { reasoning: 20 }],
  ] as const) {
    for (const reported of [version, null]) {
      it(`are those of the ${scope === 'run' ? 'run' : 'thread'} in ${version}${reported === null ? ', also where nobody says so' : ''}`, () => {
        const runs = session(version, reported);
        const usage = { ...once, ...reasoning };
        assert.deepEqual(
          runs.map((run) => run.usage),
          requests.map((count) => times(usage, count)),
        );
        assert.deepEqual(
          runs.map((run) => run.totalUsage),
          sums.map((count) => times(usage, count)),
        );
        assert.equal(runs.at(-1)?.counters?.scope, scope);
        assert.ok(runs.every(({ cost, costProvenance }) => cost === null && costProvenance.provenance === 'unknown'));
      });
    }
  }

  it('are counted per request in the event format if the model has a price', () => {
    const runs = session('0.42.0', '0.42.0');
    assert.deepEqual(
      runs.map((run) => run.usage),
      requests.map((count) => times({ ...once, reasoning: 20 }, count)),
    );
    assert.ok(runs.every(({ costProvenance }) => costProvenance.provenance === 'estimated'));
  });

  it("are unknown if the thread's total did not change in a completed turn", () => {
    const first = resultOf('0.142.0/chain-0', [], '0.142.0');
    const second = resultOf('0.142.0/chain-0', [first], '0.142.0');
    assert.deepEqual(second.usage, {});
    assert.deepEqual(second.totalUsage, first.totalUsage);
    assert.match(
      second.costProvenance.provenance === 'unknown' ? second.costProvenance.reason : '',
      /did not change in this run/,
    );
  });
});
