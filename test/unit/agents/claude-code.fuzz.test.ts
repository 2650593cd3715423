import assert from 'node:assert/strict';
import fc from 'fast-check';
import { normalizedEntrySchema } from '../../../src/model/entry.ts';
import type { OutputLine } from '../../../src/model/normalizer.ts';
import { claudeCaptures, normalized } from '../../support/captures.ts';

const captures = claudeCaptures().filter(({ stdout }) => stdout.length > 0);

/** Every place of a JSON value where another could stand. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, at) => places(item, [...path, at]))
    : Object.entries(value).flatMap(([key, item]) => places(item, [...path, key]));
  return [path, ...inner];
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === key ? replaced(item, rest, by) : item));
  if (typeof value !== 'object' || value === null) return by;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]: [string, unknown]) => {
      if (name !== key) return [[name, item]];
      const changed = replaced(item, rest, by);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}

const mutation = fc.oneof(
  fc.record({ kind: fc.constant('value' as const), at: fc.nat(), place: fc.nat(), by: fc.jsonValue() }),
  fc.record({ kind: fc.constant('missing' as const), at: fc.nat(), place: fc.nat() }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('again' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('moved' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('lost' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('noise' as const), at: fc.nat(), text: fc.string() }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutated(lines: readonly string[], change: Mutation): string[] {
  if (lines.length === 0) return [];
  const at = change.at % lines.length;
  const line = lines[at]!;
  const rest = lines.filter((_, other) => other !== at);
  switch (change.kind) {
    case 'value':
    case 'missing': {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return [...lines];
      }
      const all = places(value);
      const by = change.kind === 'value' ? change.by : undefined;
      const changed = replaced(value, all[change.place % all.length]!, by);
      return lines.map((other, index) =>
        index === at ? (changed === undefined ? '' : JSON.stringify(changed)) : other,
      );
    }
    case 'cut':
      return lines.map((other, index) => (index === at ? other.slice(0, change.to % (other.length + 1)) : other));
    case 'again':
      return lines.toSpliced(change.to % (lines.length + 1), 0, line);
    case 'moved':
      return rest.toSpliced(change.to % (rest.length + 1), 0, line);
    case 'lost':
      return rest;
    case 'noise':
      return lines.toSpliced(at, 0, change.text);
  }
}

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

  it('never throws, numbers without gaps, closes all, and has each call once', () => {
    fc.assert(
      fc.property(run, ({ capture, changes, exit }) => {
        const stdout = changes.reduce(mutated, [...capture.stdout]);
        const lines: OutputLine[] = stdout.map((text) => ({ stream: 'stdout', text }));
        const { entries, open, facts } = normalized(lines, exit);
        assert.ok(!entries.some(({ type }) => type.kind === 'error' && type.error.code === 'normalizer_fault'));
        entries.forEach(({ index }, at) => assert.equal(index, at));
        for (const entry of entries) normalizedEntrySchema.parse(entry);
        assert.deepEqual(open, []);
        const ids = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.callId] : []));
        assert.equal(new Set(ids).size, ids.length);
        for (const id of calledIn(stdout)) assert.ok(ids.includes(id), id);
        assert.equal(facts.lines.total, stdout.filter((text) => text.trim() !== '').length);
      }),
      { numRuns: 1500 },
    );
  });

  it('never throws on lines of any JSON', () => {
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
        const { entries, open } = normalized(texts.map((text) => ({ stream: 'stdout', text })));
        assert.ok(!entries.some(({ type: { kind } }, at) => kind === 'error' && entries[at]!.index !== at));
        for (const entry of entries) normalizedEntrySchema.parse(entry);
        assert.deepEqual(open, []);
      }),
      { numRuns: 1000 },
    );
  });
});
