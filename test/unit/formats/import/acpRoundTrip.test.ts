import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acpMessageSchema, entriesOfMessage } from '../../../../src/formats/import/acpMessages.ts';
import { codePoints } from '../../../../src/model/text/codePoints.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { exportJson, sourceOf } from '../../../support/sessions/exported.ts';

const at = '2026-11-22T12:00:00.000Z';

async function throughVitrine(message: unknown): Promise<{ entries: NormalizedEntry[]; messages: unknown }> {
  const entries = entriesOfMessage(acpMessageSchema.parse(message), 0, at);
  return { entries, messages: await exportJson('acp', sourceOf(entries)) };
}

/** What the protocol's own defaults add. */
const times = { created_at: at, completed_at: at };
const encoding = { content_encoding: 'plain' };

const cited = {
  content_type: 'text/plain',
  content: 'According to a recent study, AI adoption has increased by 40% this year.',
  metadata: {
    kind: 'citation',
    url: 'https://example.com/ai-study-2024',
    title: 'AI Adoption Report 2024',
    description: 'Comprehensive analysis of AI adoption trends across industries',
    start_index: 15,
    end_index: 27,
  },
};
const step = {
  content_type: 'text/plain',
  content: "It's currently 72°F and sunny in San Francisco.",
  metadata: {
    kind: 'trajectory',
    tool_name: 'weather_api',
    tool_input: { location: 'San Francisco, CA' },
    tool_output: { temperature: 72, condition: 'sunny' },
  },
};

describe('ACP messages after import and export', () => {
  it('are the same, with a citation of a whole part', async () => {
    const message = { role: 'agent/researcher', parts: [cited] };
    const { messages } = await throughVitrine(message);
    assert.deepEqual(messages, [{ ...message, ...times, parts: [{ ...cited, ...encoding }] }]);
  });

  it('are the same, with a step of a part, which stays with its sentence', async () => {
    const message = { role: 'agent/assistant', parts: [step] };
    const { messages, entries } = await throughVitrine(message);
    assert.deepEqual(
      entries.map(({ type, metadata }) => [type.kind, metadata?.annotations]),
      [['assistant_message', [step.metadata]]],
    );
    assert.deepEqual(messages, [{ ...message, ...times, parts: [{ ...step, ...encoding }] }]);
  });

  it('are the same with several parts, one with a step', async () => {
    const message = { role: 'agent/assistant', parts: [{ content_type: 'text/plain', content: 'Before. ' }, step] };
    const { messages, entries } = await throughVitrine(message);
    assert.deepEqual(entries[0]?.metadata?.annotations?.[0], { ...step.metadata, start_index: 8, end_index: 55 });
    const parts = message.parts.map((part) => ({ ...part, ...encoding }));
    assert.deepEqual(messages, [{ ...message, ...times, parts }]);
  });

  it('keep a step without content', async () => {
    const alone = { content_type: 'text/plain', content: '', ...encoding, metadata: step.metadata };
    const { messages } = await throughVitrine({ role: 'agent/assistant', parts: [alone] });
    assert.deepEqual(messages, [{ role: 'agent/assistant', ...times, parts: [alone] }]);
  });

  it('have ranges over the same text, for any characters and parts', async () => {
    const piece = fc.constantFrom('a', ' word', '🙂', '👩‍👩‍👧', 'é', 'e\u0301', '日本', '\n');
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
    const part = fc.record({ text, from: fc.nat(11), long: fc.nat(11), marked: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const covered: string[] = [];
        const messageParts = parts.map(({ text: content, from, long, marked }) => {
          const length = codePoints(content);
          const start = Math.min(from, length - 1);
          const end = Math.min(length, start + 1 + long);
          if (!marked) return { content_type: 'text/plain', content };
          covered.push(Array.from(content).slice(start, end).join(''));
          const url = `https://example.com/${covered.length}`;
          return {
            content_type: 'text/plain',
            content,
            metadata: { kind: 'citation', url, start_index: start, end_index: end },
          };
        });
        const first = await throughVitrine({ role: 'agent/a', parts: messageParts });
        const second = await throughVitrine((first.messages as unknown[])[0]);
        for (const { entries } of [first, second]) {
          const [entry] = entries;
          const points = Array.from(entry?.content ?? '');
          const shown = (entry?.metadata?.annotations ?? []).map(({ start_index: a, end_index: b }) =>
            points.slice(a ?? 0, b ?? points.length).join(''),
          );
          assert.deepEqual(shown, covered);
        }
      }),
      { numRuns: 100 },
    );
  });
});
