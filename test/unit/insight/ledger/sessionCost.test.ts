import assert from 'node:assert/strict';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import type { ResultMetadata } from '../../../../src/model/session/result.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../support/captures/agentCaptures.ts';
import { acp } from '../../../../src/agents/acp/adapter.ts';

const prices = { name: 'none', date: '2026-01-01', models: {}, aliases: {} };

function resultOf(name: string, previous: readonly ResultMetadata[]): ResultMetadata {
  const capture = capturesOf('acp').find((agentCapture) => agentCapture.name === `claude-agent-acp-0.100.0/${name}`)!;
  const { facts } = readBy(acp, linesOfCapture(capture), capture.exit);
  return runResult(facts, capture.exit, previous, { prices }).metadata!;
}

describe('a cost per session in the protocol', () => {
  it('is split by run, and the tokens are those of each run', () => {
    const first = resultOf('basic', []);
    assert.deepEqual(first.costProvenance, { provenance: 'reported', usd: 0.019344 });
    // Two turns, and the title of the session, which the agent asks for beside them.
    assert.deepEqual(first.usage, { input: 36, output: 150, cacheRead: 6000, cacheWrite: 3000, reasoning: 0 });
    const second = resultOf('load', [first]);
    assert.deepEqual(second.costProvenance, { provenance: 'reported', usd: 0.006448 });
    assert.deepEqual(second.totalCostProvenance, { provenance: 'reported', usd: 0.025792000000000002 });
    assert.equal(second.usage.input, 12);
    assert.equal(second.totalUsage.input, 48);
  });

  it('is reported with the tokens of all calls in every capture', () => {
    for (const capture of capturesOf('acp')) {
      const { facts } = readBy(acp, linesOfCapture(capture), capture.exit);
      const { metadata } = runResult(facts, capture.exit, [], { prices });
      assert.equal(metadata?.tokensOf, undefined, capture.name);
    }
  });

  it('is unknown for a run after one that ended without it', () => {
    const first = resultOf('basic', []);
    const killed: ResultMetadata = { ...resultOf('sigterm', [first]), counters: null, endReason: 'interrupted' };
    const third = resultOf('load', [first, killed]);
    assert.equal(third.costProvenance.provenance, 'unknown');
    assert.deepEqual(third.totalCostProvenance, { provenance: 'reported', usd: 0.025792000000000002 });
  });

  it('counts even if its turn did not end', () => {
    const capture = capturesOf('acp').find(({ name }) => name === 'claude-agent-acp-0.100.0/basic')!;
    const reported = capture.stdout.findIndex((line) => line.includes('"usage_update"') && line.includes('"cost"'));
    const cut = capture.stdout.slice(0, reported + 1).filter((line) => !line.includes('"stopReason"'));
    const exit = { code: null, signal: 'SIGKILL' };
    const { facts } = readBy(acp, linesOfCapture({ stdout: cut, stderr: [] }), exit);
    const { metadata } = runResult(facts, exit, [], { prices });
    assert.deepEqual(facts.reports, []);
    assert.ok(facts.sessionUsd !== undefined && facts.sessionUsd > 0);
    assert.deepEqual(metadata?.costProvenance, { provenance: 'reported', usd: facts.sessionUsd });
    const next = resultOf('basic', [metadata]);
    assert.equal(next.totalCostProvenance.provenance, 'reported');
  });
});
