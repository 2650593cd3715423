import path from 'node:path';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import type { RecordLine } from '../../../src/formats/record.ts';
import type { EntryType, NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../src/model/transcript/metadata.ts';
import type { ToolAction, ToolResult } from '../../../src/model/transcript/tool.ts';
import { aRun, aSession, aSummary, time } from '../sessions/records.ts';
import type { RunFolder } from '../host/runFolder.ts';
import type { Payload } from './payloads.ts';

type NewEntry = Omit<NormalizedEntry, 'index' | 'timestamp'>;

export function hostileEntries(payloads: readonly Payload[]): NormalizedEntry[] {
  return payloads.flatMap(entriesOf).map((entry, index) => ({ ...entry, index, timestamp: time(index) }));
}

/** Entries with a payload in every field that an agent can write. */
function entriesOf({ text }: Payload): NewEntry[] {
  const entry = (type: EntryType, content = text, metadata?: NormalizedEntryMetadata): NewEntry => ({
    type,
    content,
    ...(metadata !== undefined && { metadata }),
  });
  const call = (toolName: string, action: ToolAction, result: ToolResult): NewEntry =>
    entry({
      kind: 'tool_use',
      tool: { toolName, callId: `call ${toolName} ${text}`, action, status: 'success', result },
    });
  const end = Array.from(text).length;
  return [
    entry({ kind: 'user_message' }),
    entry({ kind: 'thinking', reasoning: text }),
    call(
      'Bash',
      { kind: 'command_run', command: text, exitCode: 1, stdout: text, stderr: text },
      { text, isError: true },
    ),
    call(
      text.slice(0, 200),
      { kind: 'mcp', server: text, tool: text, input: { [text]: text } },
      { data: { [text]: [text] } },
    ),
    call('Read', { kind: 'file_read', path: text }, { text }),
    call(
      'Edit',
      {
        kind: 'file_edit',
        changes: [
          { path: text, kind: 'update', oldText: text, newText: `${text}!`, patch: `@@ -1 +1 @@\n-${text}\n+${text}` },
        ],
      },
      { text },
    ),
    call('Fetch', { kind: 'web_fetch', url: text }, { text }),
    call('Search', { kind: 'web_search', query: text, results: [{ url: text, title: text }] }, { text }),
    call('Todo', { kind: 'todo', todos: [{ text, status: 'pending' }] }, { text }),
    call('Task', { kind: 'task', description: text, prompt: text, agentType: text }, { text }),
    entry({ kind: 'assistant_message' }, `Said. ${text}`, {
      annotations: [{ kind: 'citation', start_index: 0, end_index: end, url: text, title: text, description: text }],
    }),
    entry({ kind: 'error', error: { message: text, code: text.slice(0, 100), stack: text } }),
    entry({ kind: 'system_message', subtype: 'unknown' }, text, { raw: text }),
    entry({ kind: 'system_message', subtype: text.slice(0, 100) }),
  ];
}

/** Session id and number of entries. */
export interface HostileSession {
  readonly id: string;
  readonly entries: number;
}

/** One session per payload, named after it, and a first one with all payloads. */
export async function seedHostile(folder: RunFolder, payloads: readonly Payload[]): Promise<HostileSession[]> {
  const store = new RecordStore(path.join(folder.root, 'user-data/User/globalStorage/vitrine.vitrine'), {
    clock: () => Date.now(),
    log: {
      warn: (message) => {
        throw new Error(message);
      },
    },
  });
  const sessions: HostileSession[] = [];
  const write = async (title: string, contents: readonly NewEntry[]): Promise<void> => {
    const id = `ses_${sessions.length.toString(16).padStart(12, '0')}`;
    const entries = contents.map((content, index): NormalizedEntry => ({ ...content, index, timestamp: time(index) }));
    const of = { session_id: id, project_dir: folder.workspace };
    const writer = await store.create(aSession({ ...of, title }));
    await writer.appendAll(linesOf(of, title, entries));
    await writer.close();
    sessions.push({ id, entries: entries.length });
  };
  await write('Everything', payloads.flatMap(entriesOf));
  for (const payload of payloads) await write(payload.text, entriesOf(payload).slice(0, 3));
  return sessions;
}

function linesOf(
  of: { readonly session_id: string; readonly project_dir: string },
  title: string,
  entries: readonly NormalizedEntry[],
): RecordLine[] {
  const run = aRun({ ...of, prompt: title });
  const ended = { ...run, status: 'failed' as const, completed_at: time(100), end_index: entries.length };
  const summary = aSummary({
    ...of,
    title,
    prompt: title,
    entries: entries.length,
    outcome: 'failed',
    reason: title,
    model: title,
    agent_label: title,
    agent_version: title,
    updated_at: new Date().toISOString(),
  });
  const turn = {
    run_id: run.run_id,
    first_index: 0,
    end_index: entries.length,
    status: 'failed' as const,
    steps: 3,
    started_at: time(1),
    completed_at: time(100),
    duration: 1200,
    cost: summary.cost,
  };
  return [
    { kind: 'run', run },
    ...entries.map((entry): RecordLine => ({ kind: 'entry', entry })),
    { kind: 'run', run: ended },
    { kind: 'summary', summary, turns: [turn], turns_omitted: 0 },
  ];
}
