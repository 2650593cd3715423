import assert from 'node:assert/strict';
import { capabilitiesOf } from '../../../../src/agents/adapter.ts';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { CapabilityCount } from '../../../../src/insight/session/sessionCapabilities.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { ToolAction } from '../../../../src/model/transcript/tool.ts';

let index = 0;
const entry = (type: NormalizedEntry['type'], overrides: Partial<NormalizedEntry> = {}): NormalizedEntry => ({
  index: index++,
  timestamp: '2026-01-01T00:00:00.000Z',
  type,
  content: '',
  ...overrides,
});
const call = (callId: string, action: ToolAction, overrides: { parentCallId?: string; answered?: boolean } = {}) =>
  entry({
    kind: 'tool_use',
    tool: {
      toolName: 'tool',
      callId,
      action,
      status: 'success',
      ...(overrides.parentCallId !== undefined && { parentCallId: overrides.parentCallId }),
      ...(overrides.answered !== false && { result: { text: 'ok' } }),
    },
  });
const unknown = { provenance: 'unknown', reason: 'It printed none.' } as const;

function count(entries: readonly NormalizedEntry[]): CapabilityCount {
  const counted = new CapabilityCount();
  for (const next of entries) counted.add(next);
  return counted;
}

describe('capabilities used in a session', () => {
  it('are counted from its entries', () => {
    const counted = count([
      entry({ kind: 'user_message' }, { origin: 'human' }),
      entry({ kind: 'thinking' }, { metadata: { model: 'one' } }),
      entry({ kind: 'system_message', subtype: 'request' }),
      call('c1', { kind: 'task', description: 'look' }),
      call('c2', { kind: 'search', query: 'x' }, { parentCallId: 'c1' }),
      call('c3', { kind: 'mcp', server: 's', tool: 't' }, { answered: false }),
      entry({ kind: 'user_message' }, { origin: 'human' }),
      entry({ kind: 'user_message' }, { origin: 'system' }),
      entry({ kind: 'user_message' }, { origin: 'human', metadata: { model: 'two' } }),
    ]);
    const total_cost = { provenance: 'reported', usd: 0.5 } as const;
    const found = counted.all({ runs: 2, total_usage: { input: 3, output: 4 }, total_cost }, claudeCode.capabilities);
    const counts = Object.fromEntries(found.map((capability) => [capability.name, capability.count]));
    assert.deepEqual(counts, {
      resume: 1,
      fork: 0,
      approvals: 1,
      thinking: 1,
      toolResults: 2,
      usage: 2,
      cost: 1,
      subagents: 1,
      midRunMessages: 1,
      modelChoice: 2,
      mcp: 1,
    });
    assert.equal(found.find(({ name }) => name === 'toolResults')?.of, 3);
  });

  it('distinguish unused from unsupported', () => {
    const found = count([]).all({ runs: 1, total_usage: {}, total_cost: unknown }, capabilitiesOf(codex, '0.77.0'));
    const state = (name: string) => found.find((capability) => capability.name === name);
    assert.equal(state('resume')?.state, 'absent');
    assert.equal(state('approvals')?.state, 'unsupported');
    assert.match(state('approvals')?.reason ?? '', /cannot ask for approval/);
    assert.deepEqual([state('cost')?.state, state('cost')?.reason], ['unsupported', 'It printed none.']);
  });

  it('prefer evidence over declarations', () => {
    const counted = count([entry({ kind: 'system_message', subtype: 'request' })]);
    const found = counted.all({ runs: 1, total_usage: {}, total_cost: unknown }, codex.capabilities);
    assert.equal(found.find(({ name }) => name === 'approvals')?.state, 'carried');
  });

  it('count a new conversation as no resume, and an estimate as no reported cost', () => {
    const counted = count([entry({ kind: 'system_message', subtype: 'fresh_start' })]);
    const priceTable = { name: 'prices', date: '2026-01-01' };
    const total_cost = { provenance: 'estimated', usd: 1, priceTable } as const;
    const found = counted.all({ runs: 2, total_usage: {}, total_cost }, claudeCode.capabilities);
    for (const name of ['resume', 'cost']) assert.equal(found.find((capability) => capability.name === name)?.count, 0);
  });
});
