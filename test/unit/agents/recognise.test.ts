import assert from 'node:assert/strict';
import { recognizeAgents, adapters } from '../../../src/agents/registry.ts';
import { capturesOf } from '../../support/captures/agentCaptures.ts';

const named = (lines: readonly string[]): string[] => recognizeAgents(lines, adapters).map(({ type }) => type);

describe('output of an agent', () => {
  for (const { type, label } of adapters) {
    it(`of ${label} is recognised by its lines`, () => {
      let known = 0;
      const captures = capturesOf(type).filter(
        ({ stdout }) => stdout.length > 2 && stdout.every((line) => line.startsWith('{')),
      );
      for (const { name, stdout } of captures) {
        const found = named(stdout.slice(0, 200));
        assert.ok(found.includes(type), `${type} ${name}: ${found.join(', ')}`);
        if (found.length === 1) known += 1;
      }
      assert.ok(known >= captures.length * 0.9, `${known} of ${captures.length} beyond doubt`);
    });
  }

  it('is not recognized if it is plain text or unknown JSON', () => {
    assert.deepEqual(named(['Done.', 'All tests pass.']), []);
    assert.deepEqual(named([]), []);
    assert.deepEqual(named(['{"name":"left-pad","version":"1.0.0"}']), []);
  });

  it("of Cursor is not mistaken for Claude Code's, which has the same format", () => {
    const lines = [
      {
        type: 'system',
        subtype: 'init',
        apiKeySource: 'login',
        cwd: '/w',
        session_id: 's',
        model: 'Auto',
        permissionMode: 'default',
      },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] }, session_id: 's' },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
        session_id: 's',
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 5,
        result: 'Hello.',
        session_id: 's',
        request_id: 'r',
      },
    ];
    assert.deepEqual(named(lines.map((line) => JSON.stringify(line))), ['cursor']);
  });
});
