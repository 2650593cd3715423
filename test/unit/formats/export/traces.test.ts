import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  applyLineChange,
  lineChange,
  patchChanges,
  type LineRange,
} from '../../../../src/formats/export/shared/lineRanges.ts';
import { relative } from '../../../../src/formats/export/agentTrace.ts';
import type { ExportSource } from '../../../../src/formats/export/shared/source.ts';
import type { FileChange } from '../../../../src/model/transcript/tool.ts';
import { linesOfCapture } from '../../../support/captures/agentCaptures.ts';
import { claudeCaptures, normalizeLines } from '../../../support/captures/captures.ts';
import {
  aTool,
  exportText,
  exportJson,
  richEntries,
  richSource,
  sourceOf,
} from '../../../support/sessions/exported.ts';
import { assertOtlp } from '../../../support/sessions/otlp.ts';
import { aRun, aSummary, time } from '../../../support/sessions/records.ts';
import { agentTraceSchema } from '../../../support/schemas/agentTrace.ts';
import { atifSchema } from '../../../support/schemas/atif.ts';

const valueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.string().optional(),
  doubleValue: z.number().optional(),
});
const spanSchema = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string().regex(/^\d+$/),
  endTimeUnixNano: z.string().regex(/^\d+$/),
  attributes: z.array(z.object({ key: z.string(), value: valueSchema })),
  status: z.object({ code: z.number().optional() }),
});
const otlpSchema = z.object({
  resourceSpans: z.tuple([z.object({ scopeSpans: z.tuple([z.object({ spans: z.array(spanSchema) })]) })]),
});

const captured = claudeCaptures().map((capture) => ({
  name: capture.name,
  entries: normalizeLines(linesOfCapture(capture), capture.exit).entries,
}));

const spansOf = async (source: ExportSource) =>
  otlpSchema.parse(await exportJson('otlp', source)).resourceSpans[0].scopeSpans[0].spans;

describe('exports: OpenTelemetry', () => {
  const spans = () => spansOf(richSource);

  it('matches the message types of OTLP without unknown fields', async () => {
    for (const source of [richSource, ...captured.slice(0, 10).map(({ entries }) => sourceOf(entries))]) {
      assertOtlp(await exportJson('otlp', source));
    }
  });

  it('has a span per run and per call, with calls of a subagent below the call that started it', async () => {
    const all = await spans();
    assert.deepEqual(all.map(({ name }) => name).sort(), [
      'execute_tool Bash',
      'execute_tool Bash',
      'execute_tool Bash',
      'execute_tool Task',
      'invoke_agent Claude Code',
      'invoke_agent Claude Code',
    ]);
    assert.equal(new Set(all.map(({ traceId }) => traceId)).size, 1);
    assert.equal(new Set(all.map(({ spanId }) => spanId)).size, all.length);
    const idOf = (name: string): string | undefined => all.find((span) => span.name === name)?.spanId;
    const nested = all.find(({ attributes }) => attributes.some(({ value }) => value.stringValue === 'call_6'));
    assert.equal(nested?.parentSpanId, idOf('execute_tool Task'));
    assert.equal(all.find(({ name }) => name === 'execute_tool Task')?.parentSpanId, idOf('invoke_agent Claude Code'));
  });

  it('counts cached tokens as input, and omits an unknown cost', async () => {
    const [first, second] = (await spans())
      .filter(({ name }) => name.startsWith('invoke_agent'))
      .map(({ attributes }) => new Map(attributes.map(({ key, value }) => [key, Object.values(value)[0]])));
    assert.equal(first?.get('gen_ai.usage.input_tokens'), '110');
    assert.equal(first.get('gen_ai.usage.cache_read.input_tokens'), '100');
    assert.equal(first.get('vitrine.cost.usd'), 0.25);
    assert.equal(first.get('gen_ai.provider.name'), 'anthropic');
    assert.equal(second?.get('gen_ai.usage.input_tokens'), undefined);
    assert.equal(second?.get('vitrine.cost.usd'), undefined);
    assert.equal(second?.get('vitrine.cost.provenance'), 'unknown');
    const messages: unknown = JSON.parse(String(first.get('gen_ai.output.messages')));
    assert.equal(
      z.array(z.object({ role: z.literal('assistant'), parts: z.array(z.unknown()) })).parse(messages).length,
      5,
    );
  });
});

describe('exports: OpenTelemetry, unusual sessions', () => {
  it('distinguishes calls of different runs with the same id', async () => {
    const first = aRun({ status: 'completed', completed_at: time(9), end_index: 1 });
    const second = aRun({ ...first, run_id: 'run_ba9876543210', first_index: 1, end_index: 2 });
    const source = sourceOf([aTool(0, { callId: 'item_0' }), aTool(1, { callId: 'item_0' })], {
      runs: [first, second],
    });
    const spans = await spansOf(source);
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 4);
  });

  it('ends nothing before its start, even if the clock was set back', async () => {
    const runs = [aRun({ status: 'completed', started_at: time(50), completed_at: time(10) })];
    for (const span of await spansOf(sourceOf([aTool(0, { startedAt: time(10), endedAt: time(1) })], { runs })))
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);
  });

  it('has no broken surrogate pairs, even in nested texts', async () => {
    const [call] = await spansOf(sourceOf([aTool(0, { input: { broken: 'a\ud83d', kept: '\\ud83d' } })]));
    const input = call?.attributes.find(({ key }) => key === 'gen_ai.tool.call.arguments')?.value.stringValue;
    assert.deepEqual(JSON.parse(input ?? ''), { broken: 'a\ufffd', kept: '\\ud83d' });
  });
});

describe('exports: ATIF', () => {
  it('fits the format, for every recorded transcript', async () => {
    for (const { name, entries } of captured) {
      const parsed = atifSchema.safeParse(await exportJson('atif', sourceOf(entries)));
      assert.ok(parsed.success, `${name}: ${parsed.error?.message ?? ''}`);
      assert.equal(parsed.data.steps.length, Math.max(1, entries.length));
    }
  });

  it('keeps calls with their results, thoughts and triggers', async () => {
    const { steps, final_metrics } = atifSchema.parse(await exportJson('atif', richSource));
    assert.equal(steps.length, richEntries.length);
    assert.equal(steps[2]?.reasoning_content, 'Let me think.');
    assert.equal(steps[3]?.observation?.results[0]?.content, 'a.txt\n');
    assert.deepEqual(steps[4]?.tool_calls?.[0]?.arguments, { input: 'raw' });
    assert.equal(steps[8]?.extra?.['trigger_type'], 'task_incomplete');
    assert.equal(final_metrics?.total_cost_usd, 0.25);
  });

  it('omits an unknown cost', async () => {
    const summary = aSummary({ total_cost: { provenance: 'unknown', reason: 'no price' } });
    const { final_metrics } = atifSchema.parse(await exportJson('atif', sourceOf([], { summary })));
    assert.equal(final_metrics?.total_cost_usd, undefined);
  });
});

describe('exports: Agent Trace', () => {
  const edit = (index: number, changes: FileChange[], model = 'claude-sonnet-4-5') =>
    aTool(index, { toolName: 'Edit', action: { kind: 'file_edit', changes } }, { metadata: { model } });
  const write = (index: number, path: string, content: string) =>
    aTool(index, { toolName: 'Write', action: { kind: 'file_write', path, content } });
  const trace = async (...entries: Parameters<typeof sourceOf>[0][number][]) =>
    agentTraceSchema.parse(await exportJson('agent-trace', sourceOf(entries)));

  it('fits the schema, for every recorded transcript', async () => {
    for (const { entries } of captured) agentTraceSchema.parse(await exportJson('agent-trace', sourceOf(entries)));
  });

  it('names the lines at the end of the session', async () => {
    const { files } = await trace(
      write(0, '/project/src/a.js', 'one\ntwo\nthree\n'),
      edit(1, [{ path: '/project/src/a.js', kind: 'update', oldText: 'one\n', newText: 'one\nand\nmore\n' }], 'gpt-5'),
      edit(2, [{ path: '/project/src/b.js', kind: 'update', patch: '@@ -10,3 +10,4 @@\n a\n-b\n+c\n+d\n e\n' }]),
      edit(3, [{ path: '/project/src/b.js', kind: 'update', patch: '@@ -1,0 +1,2 @@\n+x\n+y\n' }]),
      aTool(4, { action: { kind: 'file_write', path: '/project/no.js', content: 'x' }, status: 'denied' }),
    );
    const ranges = (path: string) =>
      files
        .find((file) => file.path === path)
        ?.conversations.map(({ contributor, ranges: lines }) => [
          contributor?.model_id,
          ...lines.map(({ start_line, end_line }) => [start_line, end_line]),
        ]);
    assert.deepEqual(ranges('src/a.js'), [
      ['anthropic/claude-sonnet-4-5', [1, 1], [4, 5]],
      ['openai/gpt-5', [2, 3]],
    ]);
    assert.deepEqual(ranges('src/b.js'), [['anthropic/claude-sonnet-4-5', [1, 2], [13, 14]]]);
    assert.equal(files.length, 2);
  });

  it('marks what is unknown instead of guessing', async () => {
    const { files, metadata } = await trace(
      edit(0, [{ path: '/project/a.js', kind: 'update', oldText: 'x', newText: 'y\nz' }]),
      write(1, '/elsewhere/b.js', 'b\n'),
      write(2, '/project/../c.js', 'c\n'),
    );
    assert.deepEqual(files, []);
    assert.deepEqual(metadata?.['vitrine.unplaced'], { 'a.js': 1 });
    assert.equal(metadata['vitrine.outside'], 2);
  });

  it('gives an edit the lines that it changed, and none if it only removed lines', () => {
    const text = 'one\ntwo\nthree';
    const change = (from: string, to: string) => lineChange(text, text.indexOf(from), from, to);
    assert.deepEqual(change('two\n', 'TWO\n'), { at: 2, removed: 1, added: 1 });
    assert.deepEqual(change('two\n', ''), { at: 2, removed: 1, added: 0 });
    assert.deepEqual(change('w', 'W'), { at: 2, removed: 1, added: 1 });
    assert.deepEqual(change('one\ntwo', 'one\nand\ntwo'), { at: 2, removed: 0, added: 1 });
    assert.deepEqual(change('two\n', 'two '), { at: 2, removed: 2, added: 1 });
    assert.deepEqual(change('three', 'three\nfour\n'), { at: 3, removed: 1, added: 2 });
    assert.deepEqual(change(text, ''), { at: 1, removed: 3, added: 0 });
  });

  it('shifts lines with changes before them', () => {
    const by = 'a';
    const before: LineRange[] = [{ start: 5, end: 10, by }];
    assert.deepEqual(applyLineChange(before, { at: 1, removed: 1, added: 3, by: 'b' }), [
      { start: 1, end: 3, by: 'b' },
      { start: 7, end: 12, by },
    ]);
    assert.deepEqual(applyLineChange(before, { at: 7, removed: 2, added: 0, by: 'b' }), [{ start: 5, end: 8, by }]);
    assert.deepEqual(applyLineChange(before, { at: 11, removed: 0, added: 1, by }), [{ start: 5, end: 11, by }]);
    assert.equal(patchChanges('no hunk', by), null);
    assert.equal(relative('C:\\project\\src\\a.ts', 'C:\\project'), 'src/a.ts');
    assert.equal(relative('../a.ts', '/project'), null);
  });

  it('is deterministic', async () => {
    assert.equal(await exportText('agent-trace', richSource), await exportText('agent-trace', richSource));
  });
});
