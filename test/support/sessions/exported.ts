/** Sessions for export tests, and their exports. */
import { createHash } from 'node:crypto';
import { exportFormats } from '../../../src/formats/export/formats.ts';
import { exportedPage } from '../../../src/engine/archive/exportedPage.ts';
import type { ExportSource, ExportTools } from '../../../src/formats/export/shared/source.ts';
import type { RecordedRun } from '../../../src/formats/record.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../../src/model/transcript/event.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import { aResult, aRun, aSummary, sessionId, time } from './records.ts';

export const tools: ExportTools = {
  version: '1.2.3',
  at: time(500),
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  page: exportedPage,
  masks: () => ({ total: 0, byRule: {} }),
};

export function sourceOf(
  entries: readonly NormalizedEntry[],
  { events = [], ...change }: Partial<Omit<ExportSource, 'entries' | 'events'>> & { events?: CoordinatorEvent[] } = {},
): ExportSource {
  const run = aRun({ status: 'completed', completed_at: time(100), end_index: entries.length });
  return {
    summary: aSummary({ entries: entries.length, title: 'Add a total', hostname: 'box' }),
    runs: [run],
    results: [{ runId: run.run_id, metadata: aResult(0.25) }],
    ...change,
    entries: async function* () {
      await Promise.resolve();
      yield* entries;
    },
    events: async function* () {
      await Promise.resolve();
      yield* events;
    },
  };
}

export async function exportText(format: string, source: ExportSource): Promise<string> {
  const found = exportFormats.find(({ id }) => id === format);
  if (found === undefined) throw new Error(`no format ${format}`);
  let text = '';
  for await (const chunk of (await found.load()).write(source, tools)) text += chunk;
  return text;
}

export async function exportJson(format: string, source: ExportSource): Promise<unknown> {
  return JSON.parse(await exportText(format, source));
}

export function linesIn(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

export function aTool(index: number, change: Partial<ToolUse>, fields: Partial<NormalizedEntry> = {}): NormalizedEntry {
  return {
    index,
    timestamp: time(index),
    type: {
      kind: 'tool_use',
      tool: {
        toolName: 'Bash',
        callId: `call_${index}`,
        action: { kind: 'command_run', command: 'ls' },
        input: { command: 'ls' },
        status: 'success',
        startedAt: time(index),
        endedAt: time(index + 1),
        result: { text: 'a.txt\n' },
        ...change,
      },
    },
    content: 'ls',
    metadata: { sessionId: 'abc', model: 'claude-sonnet-4-5' },
    ...fields,
  };
}

const text = 'Héllo 🙂 world: the answer is 42.';

/** Every kind of entry, in two runs. */
export const richEntries: readonly NormalizedEntry[] = [
  { index: 0, timestamp: time(0), type: { kind: 'user_message' }, content: 'Do <b>it</b> & "now"', origin: 'human' },
  { index: 1, timestamp: time(1), type: { kind: 'system_message', subtype: 'init' }, content: 'Ready.' },
  {
    index: 2,
    timestamp: time(2),
    type: { kind: 'thinking', reasoning: 'Let me think.' },
    content: 'Let me think.',
    metadata: { sessionId: 'abc', model: 'claude-sonnet-4-5' },
  },
  aTool(3, {}),
  aTool(4, { status: 'failed', result: { text: 'no such file', isError: true }, input: 'raw' }),
  aTool(5, { toolName: 'Task', action: { kind: 'task', description: 'look' }, input: { description: 'look' } }),
  aTool(
    6,
    { parentCallId: 'call_5', status: 'cancelled', result: undefined },
    {
      metadata: { parentCallId: 'call_5', model: 'claude-haiku-4-5' },
    },
  ),
  {
    index: 7,
    timestamp: time(7),
    type: { kind: 'assistant_message' },
    content: text,
    metadata: {
      sessionId: 'abc',
      model: 'claude-sonnet-4-5',
      annotations: [
        { kind: 'citation', start_index: 8, end_index: 13, url: 'https://world.test/a?b=1', title: 'World' },
        { kind: 'citation', start_index: 15, end_index: 32, url: 'https://answer.test/', description: 'quote' },
        { kind: 'citation', start_index: 10, end_index: 20, title: 'Overlaps' },
        { kind: 'trajectory', tool_name: 'lookup', tool_input: { q: 1 }, tool_output: { a: 42 } },
      ],
    },
  },
  {
    index: 8,
    timestamp: time(8),
    type: { kind: 'user_message' },
    content: 'Check in about the incomplete task we discussed.',
    origin: 'follow_up',
    metadata: { synthetic: true, trigger_type: 'task_incomplete', trigger_reason: 'no activity for 30 seconds' },
  },
  {
    index: 9,
    timestamp: time(9),
    type: { kind: 'assistant_message' },
    content:
      '# Done\n\n- <script>alert(1)</script>\n- [here](javascript:alert(1)) and [there](https://x.test)\n\n```js\n1 < 2\n```',
  },
  {
    index: 10,
    timestamp: time(10),
    type: { kind: 'error', error: { message: 'Rate limited', code: '429' } },
    content: 'x',
  },
];

const secondRun = 'run_ba9876543210';

export const richSource: ExportSource = sourceOf(richEntries, {
  runs: [
    aRun({ status: 'completed', completed_at: time(8), end_index: 8 }),
    aRun({
      run_id: secondRun,
      type: 'resume_session',
      status: 'failed',
      error: 'It failed.',
      first_index: 8,
      end_index: 11,
      started_at: time(8),
      completed_at: time(12),
      session_id: sessionId,
    }),
  ] satisfies RecordedRun[],
  results: [
    {
      runId: aRun().run_id,
      metadata: aResult(0.25, {
        usage: { input: 10, output: 20, cacheRead: 100 },
        models: [{ model: 'claude-sonnet-4-5', input: 10, output: 20, cacheRead: 100, usd: 0.25 }],
      }),
    },
    {
      runId: secondRun,
      metadata: aResult(0, {
        cost: null,
        costProvenance: { provenance: 'unknown', reason: 'no price' },
        usage: { output: 5 },
        endReason: 'error',
        models: [{ model: 'new-model', output: 5 }],
      }),
    },
  ],
});
