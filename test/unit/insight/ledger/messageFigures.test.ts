import assert from 'node:assert/strict';
import { MessageFigures } from '../../../../src/insight/ledger/messageFigures.ts';
import { claudeCaptures, normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';
import { message, testPrices } from '../../../support/sessions/facts.ts';

const runs = [
  { runId: 'run_1', firstIndex: 0, status: 'completed' },
  { runId: 'run_2', firstIndex: 10, status: 'completed' },
  { runId: 'run_3', firstIndex: 20, status: 'running' },
];

describe('figures of single messages', () => {
  it('appear once, at the first text or call of a message; other entries say why they have none', () => {
    const reported = { ...message({ model: 'm', usage: { input: 5, output: 2 }, entries: [3, 5] }), runId: 'run_1' };
    const figures = new MessageFigures([reported], testPrices, null);
    const first = figures.figureOf(3, runs);
    assert.ok(typeof first !== 'string');
    assert.deepEqual(first.usage, { input: 5, output: 2 });
    assert.deepEqual(
      [5, 4, 12, 21].map((index) => figures.figureOf(index, runs)),
      ['counted_before', 'not_this', 'not_per_message', 'not_yet'],
    );
  });

  it('belong to texts and calls of the model, each to one message, in every capture', () => {
    let [tied, calls] = [0, 0];
    for (const { name, stdout, exit } of claudeCaptures()) {
      const { facts, entries } = normalizeLines(stdoutLines(...stdout), exit);
      const kinds = new Map(entries.map(({ index, type }) => [index, type.kind]));
      const all = facts.messages.flatMap(({ entries: own = [] }) => own);
      assert.deepEqual(
        [...new Set(all.map((index) => kinds.get(index)))].filter(
          (kind) => kind !== 'assistant_message' && kind !== 'tool_use',
        ),
        [],
        name,
      );
      calls += all.filter((index) => kinds.get(index) === 'tool_use').length;
      assert.equal(new Set(all).size, all.length, name);
      tied += all.length;
    }
    assert.ok(tied > 100, String(tied));
    assert.ok(calls > 50, String(calls));
  });
});
