import assert from 'node:assert/strict';
import { UnrestoredCount } from '../../../../src/insight/session/unrestored.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { ToolUse } from '../../../../src/model/transcript/tool.ts';

const entry = (index: number, rest: Omit<NormalizedEntry, 'index' | 'timestamp' | 'content'>): NormalizedEntry => ({
  index,
  timestamp: '2026-11-21T10:00:00Z',
  content: '',
  ...rest,
});
const call = (index: number, tool: Partial<ToolUse>): NormalizedEntry =>
  entry(index, {
    type: {
      kind: 'tool_use',
      tool: { toolName: 'Bash', callId: `c${index}`, action: { kind: 'tool' }, status: 'success', ...tool },
    },
  });
const command = (text: string, background = true) => ({ kind: 'command_run' as const, command: text, background });
const request = (index: number, scope: 'once' | 'session'): NormalizedEntry =>
  entry(index, {
    type: { kind: 'system_message', subtype: 'request' },
    metadata: {
      request: { id: `r${index}`, kind: 'permission', title: 'Run', asked_at: 'a', expires_at: 'b' },
      decision: { by: 'user', at: 'c', answer: { kind: 'allow', scope } },
    },
  });

describe('what a resume does not restore', () => {
  it('includes background commands, interrupted calls, and approvals for the run', () => {
    const count = new UnrestoredCount();
    for (const type of [
      call(1, { action: command('npm run dev') }),
      call(2, { action: command('npm test', false) }),
      call(3, { action: command('rm -rf x'), status: 'denied' }),
      call(4, { status: 'cancelled' }),
      request(5, 'session'),
      request(6, 'once'),
      entry(7, { type: { kind: 'system_message', subtype: 'compact_boundary' } }),
    ]) {
      count.add(type);
    }
    assert.deepEqual(count.all(), { background: ['npm run dev'], cutOff: 1, allowed: 1, compactions: 1 });
  });

  it('uses the latest state of a call', () => {
    const count = new UnrestoredCount();
    count.add(call(1, { status: 'cancelled' }));
    count.add(call(1, { status: 'success' }));
    assert.equal(count.all().cutOff, 0);
  });

  it('covers only the newest run, except for compactions', () => {
    const count = new UnrestoredCount();
    count.add(call(1, { action: command('npm run dev') }));
    count.add(entry(2, { type: { kind: 'system_message', subtype: 'compact_boundary' } }));
    count.nextRun();
    assert.deepEqual(count.all(), { background: [], cutOff: 0, allowed: 0, compactions: 1 });
  });
});
