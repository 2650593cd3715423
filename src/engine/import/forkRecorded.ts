import { inheritedEnd } from '../../insight/ledger/counters.ts';
import type { RecordedRun } from '../../formats/record.ts';
import type { Cost } from '../../model/usage/usage.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { identityOf } from '../folders/identity.ts';
import { runId, sessionId } from '../ids.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { addSteps, noSteps } from '../run/runFigures.ts';

interface ForkRecordedDeps {
  readonly store: RecordStore;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
}

const batch = 500;
const nothing: Cost = { provenance: 'reported', usd: 0 };

/**
 * Creates a session with a copy of the transcript `entries` of `origin`, at no cost. `forkOf`: the agent's id of the
 * conversation that the first run forks; without it, the first run begins a new one.
 * @throws file system errors
 */
export async function forkRecorded(
  entries: readonly NormalizedEntry[],
  origin: SessionSummary,
  { store, clock, randomHex }: ForkRecordedDeps,
  forkOf?: string,
): Promise<SessionSummary> {
  const { project_dir: folder, executor_type: executor, executor_profile: profile, agent_name: agent, title } = origin;
  const session_id = sessionId(randomHex);
  const at = new Date(clock()).toISOString();
  const session: Session = {
    session_id,
    created_at: at,
    status: 'finished',
    execution_mode: 'sync',
    executor_session_ids: [],
    ...(executor !== undefined && { executor_type: executor }),
    ...(profile !== undefined && { executor_profile: profile }),
    ...(agent !== undefined && { agent_name: agent }),
    ...(title !== undefined && { title }),
    ...(folder !== undefined && { project_dir: folder, project_identity: await identityOf(folder) }),
    forked_from: {
      session_id: origin.session_id,
      ...(forkOf === undefined ? { last: null } : { executor_session_id: forkOf }),
    },
  };
  const copied = entries.filter((entry) => !isQuestion(entry)).map((entry, index) => ({ ...entry, index }));
  const run: RecordedRun = {
    run_id: runId(randomHex),
    type: 'start_session',
    session_id,
    prompt: copied.find(({ type }) => type.kind === 'user_message')?.content ?? '',
    execution_mode: 'sync',
    status: 'completed',
    created_at: at,
    started_at: at,
    completed_at: at,
    first_index: 0,
    end_index: copied.length,
    ...addSteps(noSteps, copied),
  };
  const writer = await store.create(session);
  try {
    await writer.append({ kind: 'run', run });
    for (let from = 0; from < copied.length; from += batch)
      await writer.appendAll(copied.slice(from, from + batch).map((entry) => ({ kind: 'entry', entry })));
    await writer.append({ kind: 'result', run_id: run.run_id, result: emptyMetadata(origin.model) });
    await writer.flush();
    const reader = await store.openReader(session_id);
    try {
      const { turns, turnsOmitted, summary } = reader;
      const { agent_label, agent_version, model } = origin;
      const figures = { cost: nothing, total_cost: nothing, usage: {}, total_usage: {} };
      const line = { ...summary, ...figures, agent_label, agent_version, model, updated_at: at };
      await writer.append({ kind: 'summary', summary: line, turns: [...turns], turns_omitted: turnsOmitted });
    } finally {
      await reader.close();
    }
    await writer.close();
  } catch (error) {
    await writer.close();
    await store.remove(session_id);
    throw error;
  }
  const reader = await store.openReader(session_id);
  const { summary } = reader;
  await reader.close();
  return summary;
}

/** A request for approval of the other session, which was decided there. */
function isQuestion({ type }: NormalizedEntry): boolean {
  return type.kind === 'system_message' && type.subtype === 'request';
}

function emptyMetadata(model: string | null): ResultMetadata {
  return {
    sessionId: null,
    originalSessionId: null,
    model,
    cost: 0,
    totalCost: 0,
    turns: 0,
    runTurns: 0,
    duration: null,
    apiDuration: null,
    isMaxTurns: false,
    isMaxBudget: false,
    costProvenance: nothing,
    totalCostProvenance: nothing,
    usage: {},
    totalUsage: {},
    models: [],
    totalModels: [],
    counters: null,
    exitCode: null,
    signal: null,
    endReason: inheritedEnd,
    lines: { total: 0, unknown: 0, malformed: 0, oversize: 0 },
  };
}
