/** Sessions, runs and entries for tests, as the engine writes them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordVersion, type RecordedRun, type RecordLine } from '../../../src/formats/record.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ResultMetadata } from '../../../src/model/session/result.ts';
import type { Session } from '../../../src/model/session/session.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import type { RecordWriter } from '../../../src/engine/record/contract.ts';

export const sessionId = 'ses_0123456789ab';
export const runId = 'run_0123456789ab';
export const start = Date.UTC(2026, 0, 2, 3, 4, 5);

export function time(seconds: number): string {
  return new Date(start + seconds * 1000).toISOString();
}

export function aSession(change: Partial<Session> = {}): Session {
  return {
    session_id: sessionId,
    status: 'running',
    created_at: time(0),
    execution_mode: 'sync',
    executor_session_ids: [],
    executor_type: 'claude-code',
    agent_name: 'Claude Code',
    project_dir: '/project',
    ...change,
  };
}

export function aRun(change: Partial<RecordedRun> = {}): RecordedRun {
  return {
    run_id: runId,
    type: 'start_session',
    session_id: sessionId,
    prompt: 'Add a total to the bill.',
    execution_mode: 'sync',
    status: 'running',
    created_at: time(0),
    started_at: time(1),
    first_index: 0,
    ...change,
  };
}

export function anEntry(index: number, content = `Entry ${index}: what was said here.`): NormalizedEntry {
  if (index % 3 !== 1) return { index, timestamp: time(index), type: { kind: 'assistant_message' }, content };
  return {
    index,
    timestamp: time(index),
    type: {
      kind: 'tool_use',
      tool: {
        toolName: 'Bash',
        callId: `toolu_${index}`,
        action: { kind: 'command_run', command: `grep -n "total {" src/bill-${index}.js`, exitCode: 0 },
        status: 'success',
        result: { text: 'const total = 3; // naïve "quoted" } {' },
      },
    },
    content,
  };
}

export function entryLine(index: number, content?: string): RecordLine {
  return { kind: 'entry', entry: anEntry(index, content) };
}

export function aResult(usd: number, change: Partial<ResultMetadata> = {}): ResultMetadata {
  return {
    sessionId: 'abc',
    originalSessionId: 'abc',
    model: 'claude-sonnet-4-5',
    cost: usd,
    totalCost: usd,
    turns: 3,
    runTurns: 3,
    duration: 1200,
    apiDuration: 800,
    isMaxTurns: false,
    isMaxBudget: false,
    costProvenance: { provenance: 'reported', usd },
    totalCostProvenance: { provenance: 'reported', usd },
    usage: { input: 10, output: 20 },
    totalUsage: { input: 10, output: 20 },
    models: [],
    totalModels: [],
    counters: null,
    exitCode: 0,
    signal: null,
    endReason: 'completed',
    lines: { total: 10, unknown: 0, malformed: 0, oversize: 0 },
    ...change,
  };
}

export function aSummary(change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ...aSession({ status: 'finished' }),
    agent_label: 'Claude Code',
    agent_version: '2.1.300',
    model: 'claude-sonnet-4-5',
    permission_mode: null,
    prompt: 'Add a total to the bill.',
    outcome: 'completed',
    runs: 1,
    entries: 0,
    turns: 3,
    cost: { provenance: 'reported', usd: 0.25 },
    total_cost: { provenance: 'reported', usd: 0.25 },
    usage: {},
    total_usage: {},
    duration: 1200,
    api_duration: 800,
    context_window: null,
    updated_at: time(100),
    recording: false,
    ...change,
  };
}

/** A complete session: a run with this many entries, its result and the summary. */
export function wholeSession(entries: number, id = sessionId): RecordLine[] {
  const run = aRun({ session_id: id });
  const ended: RecordedRun = {
    ...run,
    status: 'completed',
    completed_at: time(100),
    end_index: entries,
    steps: Math.floor(entries / 3),
  };
  return [
    { kind: 'header', format: 'vitrine-record', version: recordVersion, session_id: id, created_at: time(0) },
    { kind: 'session', session: aSession({ session_id: id }) },
    { kind: 'run', run },
    { kind: 'event', event: { event_type: 'session_start', session_id: id, timestamp: time(1) } },
    ...Array.from({ length: entries }, (_, index) => entryLine(index)),
    { kind: 'run', run: ended },
    { kind: 'result', run_id: run.run_id, result: aResult(0.25) },
    {
      kind: 'summary',
      summary: aSummary({ session_id: id, entries }),
      turns: [
        {
          run_id: run.run_id,
          first_index: 0,
          end_index: entries,
          status: 'completed',
          steps: 2,
          started_at: time(1),
          completed_at: time(100),
          duration: 1200,
          cost: { provenance: 'reported', usd: 0.25 },
        },
      ],
      turns_omitted: 0,
    },
  ];
}

/** A store in a temporary folder; call `remove` in an after hook. */
export async function temporaryStore(now: () => number = Date.now) {
  const dir = await mkdtemp(path.join(tmpdir(), 'vitrine-record-'));
  const warnings: string[] = [];
  const store = new RecordStore(dir, { clock: now, log: { warn: (message) => warnings.push(message) } });
  const remove = () => rm(dir, { recursive: true, force: true });
  return { dir, store, warnings, remove };
}

export async function appendAll(writer: RecordWriter, lines: readonly RecordLine[]): Promise<void> {
  for (const line of lines) await writer.append(line);
}

/** A store with one closed record, and the bytes of that record. */
export async function storeOfOneRecord(entries: number) {
  const place = await temporaryStore();
  const writer = await place.store.create(aSession());
  await appendAll(writer, wholeSession(entries).slice(2));
  await writer.close();
  const file = place.store.path(sessionId);
  return { place, file, folder: path.dirname(file), whole: await readFile(file) };
}
