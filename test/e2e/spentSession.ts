import path from 'node:path';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import type { RecordLine } from '../../src/formats/record.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { addUsage, type Cost, type ModelUsage } from '../../src/model/usage/usage.ts';
import type { RunFolder } from '../support/host/runFolder.ts';
import { aResult, aRun, aSession, aSummary } from '../support/sessions/records.ts';

export const spentTitle = 'Rename Chunk to Part';
const id = 'ses_c07e41d2c07e';
const model = 'claude-opus-4-5';
const reported = (usd: number): Cost => ({ provenance: 'reported', usd });

/** A session of two runs, the last of them an hour ago: entries, what its messages used, and what it all cost. */
export async function seedSpentSession({ root, workspace }: RunFolder): Promise<void> {
  const folder = path.join(root, 'user-data/User/globalStorage/vitrine.vitrine');
  const store = new RecordStore(folder, { clock: () => Date.now(), log: console });
  const time = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const session = aSession({
    session_id: id,
    status: 'finished',
    created_at: time(90),
    project_dir: workspace,
    title: spentTitle,
    executor_session_id: 'c07e41d2-0000-4000-8000-000000000000',
    executor_session_ids: ['c07e41d2-0000-4000-8000-000000000000'],
  });
  const texts = [
    ['Rename the Chunk types in the code.', 'Renamed in nine files.'],
    ['Good. Rename the remaining Chunk types in the docs as well, then stop.', 'Renamed in both documents.'],
  ] as const;
  const models: ModelUsage[] = [
    { model, input: 1516, output: 4138, cacheRead: 582_600, cacheWrite: 21_120, usd: 0.25, contextWindow: 200_000 },
    { model: 'claude-haiku-4-5', input: 900, output: 120, usd: 0.06 },
  ];
  const runs = texts.flatMap(([prompt, answer], at): RecordLine[] => {
    const began = 90 - at * 30;
    const run = aRun({
      session_id: id,
      run_id: `run_00000000000${at + 1}`,
      type: at === 0 ? 'start_session' : 'resume_session',
      prompt,
      first_index: at * 4,
      created_at: time(began),
      started_at: time(began),
    });
    const result = aResult(0.31, {
      model,
      models,
      totalModels: models.map((modelUsage) => ({
        ...modelUsage,
        ...(at === 0 ? {} : addUsage(modelUsage, modelUsage)),
        usd: (modelUsage.usd ?? 0) * (at + 1),
      })),
      totalCost: 0.31 * (at + 1),
      totalCostProvenance: reported(0.31 * (at + 1)),
      usage: { input: 2416, output: 4258, cacheRead: 582_600, cacheWrite: 21_120 },
    });
    const usage = { input: 300, cacheRead: 70_000, cacheWrite: 900, output: 100 };
    return [
      { kind: 'run', run },
      ...entriesOf(prompt, answer, at * 4, time(began)).map((entry): RecordLine => ({ kind: 'entry', entry })),
      {
        kind: 'usage',
        run_id: run.run_id,
        usage: { messageId: `msg_${at}`, model, usage, parentCallId: null, settled: true },
      },
      { kind: 'result', run_id: run.run_id, result },
      {
        kind: 'run',
        run: { ...run, status: 'completed', completed_at: time(began - 2), end_index: at * 4 + 4, steps: 1 },
      },
    ];
  });
  const turns = runs.flatMap((line) =>
    line.kind === 'run' && line.run.completed_at !== undefined
      ? [
          {
            run_id: line.run.run_id,
            first_index: line.run.first_index,
            status: 'completed' as const,
            steps: 1,
            started_at: line.run.created_at,
            completed_at: line.run.completed_at,
            duration: 1200,
            cost: reported(0.31),
            models,
          },
        ]
      : [],
  );
  const summary = aSummary({
    ...session,
    model,
    prompt: texts[0][0],
    runs: 2,
    entries: 8,
    turns: 12,
    cost: reported(0.31),
    total_cost: reported(0.62),
    usage: { input: 2416, output: 4258, cacheRead: 582_600, cacheWrite: 21_120 },
    total_usage: { input: 4832, output: 8516, cacheRead: 1_165_200, cacheWrite: 42_240 },
    context_window: 200_000,
    context_tokens: 71_300,
    updated_at: time(58),
  });
  const writer = await store.create(session);
  await writer.appendAll([...runs, { kind: 'summary', summary, turns, turns_omitted: 0 }]);
  await writer.close();
}

function entriesOf(prompt: string, answer: string, first: number, timestamp: string): NormalizedEntry[] {
  return [
    { index: first, timestamp, type: { kind: 'user_message' }, content: prompt, origin: 'human' },
    {
      index: first + 1,
      timestamp,
      type: { kind: 'thinking', reasoning: 'Where is it used?' },
      content: 'Where is it used?',
    },
    {
      index: first + 2,
      timestamp,
      type: {
        kind: 'tool_use',
        tool: {
          toolName: 'Bash',
          callId: `call_${first}`,
          action: { kind: 'command_run', command: 'npm run dev', background: true },
          status: 'success',
          startedAt: timestamp,
          endedAt: timestamp,
        },
      },
      content: 'npm run dev',
    },
    { index: first + 3, timestamp, type: { kind: 'assistant_message' }, content: answer },
  ];
}
