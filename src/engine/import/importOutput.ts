import path from 'node:path';
import type { AgentAdapter } from '../../agents/adapter.ts';
import type { RecordedRun } from '../../formats/record.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import { Transcript } from '../../model/transcript/transcript.ts';
import { runId } from '../ids.ts';
import { LineSplitter, type SplitLine } from '../output/lineSplitter.ts';
import { addSteps, reportedFigures, noSteps, resultOf, summaryOf } from '../run/runFigures.ts';
import type { Draft, ImportedDraft } from './draft.ts';
import { bytesOf } from './source.ts';

const batch = 500;

/** Imports an agent's standard output as one run, read as if the agent had just printed it. */
export async function importOutput(
  adapter: AgentAdapter,
  { begin, deps, file, source, at }: Draft,
): Promise<ImportedDraft> {
  const { clock, prices, randomHex } = deps;
  const run_id = runId(randomHex);
  const name = path.basename(file);
  const writer = await begin({
    created_at: at,
    execution_mode: 'sync',
    executor_session_ids: [],
    executor_type: adapter.type,
    title: name,
  });
  const normalizer = adapter.createNormalizer({ workDir: path.dirname(file), firstIndex: 0 });
  const transcript = new Transcript();
  const raw = writer.rawStream(run_id, 'stdout');
  const lines = new LineSplitter();
  const take = (updates: readonly EntryUpdate[]): void => transcript.apply(updates);
  const push = (added: readonly SplitLine[]): void => {
    for (const line of added) {
      take(normalizer.push({ stream: 'stdout', ...line }, clock()));
    }
  };
  for await (const bytes of bytesOf(source)) {
    await raw.write(bytes);
    push(lines.push(bytes));
  }
  push(lines.end());
  await raw.close();
  const exit = { code: null, signal: null };
  take(normalizer.end(exit, clock()));
  const facts = normalizer.facts();
  const entries = transcript.settledEntries();
  const context = {
    previous: [],
    isNewConversation: false,
    prices,
    agentVersion: facts.agentVersion,
    askedModel: null,
  };
  const { success, error, metadata } = resultOf(facts, exit, context);
  const run: RecordedRun = {
    run_id,
    type: 'start_session',
    session_id: writer.id,
    prompt: entries.find(({ type }) => type.kind === 'user_message')?.content ?? '',
    execution_mode: 'sync',
    status: success ? 'completed' : 'failed',
    created_at: at,
    started_at: at,
    completed_at: at,
    first_index: 0,
    end_index: entries.length,
    ...addSteps(noSteps, entries),
    ...(error !== undefined && { error }),
  };
  await writer.append({ kind: 'run', run });
  for (let from = 0; from < entries.length; from += batch) {
    await writer.appendAll(entries.slice(from, from + batch).map((entry) => ({ kind: 'entry', entry })));
  }
  if (metadata !== undefined) await writer.append({ kind: 'result', run_id, result: metadata });
  const figures = metadata === undefined ? {} : summaryOf(metadata, {}, run);
  return { problems: 0, original: null, known: { agent_label: adapter.label, ...reportedFigures(facts), ...figures } };
}
