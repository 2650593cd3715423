import assert from 'node:assert/strict';
import fc from 'fast-check';
import { normalizedEntrySchema } from '../../../../src/model/transcript/entry.ts';
import type { OutputLine } from '../../../../src/model/transcript/normalizer.ts';
import { claudeCaptures, normalizeLines } from '../../../support/captures/captures.ts';
import { mutateLines, mutation } from '../../../support/hostile/damage.ts';
import { fuzzOptions } from '../../../support/hostile/fuzz.ts';

const captures = claudeCaptures().filter(({ stdout }) => stdout.length > 0);

/** Ids of all tool calls that a line announces. */
function calledIn(lines: readonly string[]): Set<string> {
  const ids = new Set<string>();
  for (const line of lines) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const { type, message: inner } = (message ?? {}) as { type?: unknown; message?: { content?: unknown } | null };
      if (type !== 'assistant' || !Array.isArray(inner?.content)) continue;
      for (const block of inner.content as ({ type?: unknown; id?: unknown } | null)[]) {
        if (block?.type === 'tool_use' && typeof block.id === 'string' && block.id !== '') ids.add(block.id);
      }
    }
  }
  return ids;
}

describe('damaged output of Claude Code', () => {
  const run = fc.record({
    capture: fc.constantFrom(...captures),
    changes: fc.array(mutation, { minLength: 1, maxLength: 8 }),
    exit: fc.constantFrom({ code: 0, signal: null }, { code: 1, signal: null }, { code: null, signal: 'SIGTERM' }),
  });

  it('never throws, numbers without gaps, closes all entries, and has each call once', () => {
    fc.assert(
      fc.property(run, ({ capture, changes, exit }) => {
        const stdout = changes.reduce(mutateLines, [...capture.stdout]);
        const lines: OutputLine[] = stdout.map((text) => ({ stream: 'stdout', text }));
        const { entries, open, facts } = normalizeLines(lines, exit);
        assert.ok(!entries.some(({ type }) => type.kind === 'error' && type.error.code === 'normalizer_fault'));
        entries.forEach(({ index }, at) => assert.equal(index, at));
        for (const entry of entries) normalizedEntrySchema.parse(entry);
        assert.deepEqual(open, []);
        const ids = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.callId] : []));
        assert.equal(new Set(ids).size, ids.length);
        for (const id of calledIn(stdout)) assert.ok(ids.includes(id), id);
        assert.equal(facts.lines.total, stdout.filter((text) => text.trim() !== '').length);
      }),
      fuzzOptions(1500),
    );
  });

  it('never throws on arbitrary JSON lines', () => {
    const type = fc.constantFrom(
      'system',
      'assistant',
      'user',
      'result',
      'stream_event',
      'control_request',
      'tool_use',
    );
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .tuple(type, fc.dictionary(fc.constantFrom('subtype', 'message', 'event', 'errors', 'tool'), fc.jsonValue()))
        .map(([name, fields]) => JSON.stringify({ type: name, ...fields })),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (texts) => {
        const { entries, open } = normalizeLines(texts.map((text) => ({ stream: 'stdout', text })));
        assert.ok(!entries.some(({ type: { kind } }, at) => kind === 'error' && entries[at]!.index !== at));
        for (const entry of entries) normalizedEntrySchema.parse(entry);
        assert.deepEqual(open, []);
      }),
      fuzzOptions(1000),
    );
  });
});
