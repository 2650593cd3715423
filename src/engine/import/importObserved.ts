import path from 'node:path';
import { createHash } from 'node:crypto';
import { executorOf } from '../../insight/observed/asSession.ts';
import { modelsOf } from '../../insight/observed/cost.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import { usdOf } from '../../insight/ledger/money.ts';
import type { RecordedRun } from '../../formats/record.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { StoreFacts, StoreRequest } from '../../model/session/observed.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { Imported } from '../../model/session/session.ts';
import { identityOf } from '../folders/identity.ts';
import { runId } from '../ids.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { addSteps, noSteps } from '../run/runFigures.ts';

/** A session of another program with everything that a record of it holds. */
export interface ObservedHistory {
  readonly summary: ObservedSummary;
  readonly facts: StoreFacts;
  /** Requests that are its own and not copied from another session. */
  readonly requests: readonly StoreRequest[];
  readonly entries: readonly NormalizedEntry[];
  /** What could not be read. */
  readonly problems: readonly string[];
}

interface ImportObservedDeps {
  readonly store: RecordStore;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
}

const batch = 500;

/**
 * Copies a session of another program into a record under its own id, as one run. The chain of the record begins with the copy;
 * its first decision says from where it was taken. @throws file system errors
 */
export async function importObserved(history: ObservedHistory, deps: ImportObservedDeps): Promise<void> {
  const { summary, facts, entries, problems } = history;
  const at = new Date(deps.clock()).toISOString();
  const { session_id, executor_type: agent, project_dir: folder, source, title } = summary;
  const executor = executorOf(agent);
  const sha256 = createHash('sha256');
  for (const entry of entries) sha256.update(`${JSON.stringify(entry)}\n`);
  const file = path.basename(source.path);
  const imported: Imported = { format: 'store', file, at, sha256: sha256.digest('hex') };
  const writer = await deps.store.create({
    session_id,
    status: 'finished',
    created_at: summary.created_at,
    ...(folder !== undefined && { project_dir: folder, project_identity: await identityOf(folder) }),
    execution_mode: 'sync',
    executor_session_id: facts.nativeIds.at(-1),
    executor_session_ids: [...facts.nativeIds],
    ...(executor !== undefined && { executor_type: executor }),
    ...(title !== undefined && { title }),
    imported,
  });
  try {
    const metadata = resultOf(history);
    const isComplete = summary.outcome === 'completed';
    const run: RecordedRun = {
      run_id: runId(deps.randomHex),
      type: 'start_session',
      session_id,
      prompt: facts.firstPrompt ?? '',
      execution_mode: 'sync',
      status: isComplete || summary.outcome === 'none' ? 'completed' : 'stopped',
      created_at: summary.created_at,
      started_at: summary.created_at,
      completed_at: summary.updated_at,
      first_index: 0,
      end_index: entries.length,
      ...addSteps(noSteps, entries),
    };
    const { sha256: digest, ...from } = imported;
    const decision = { type: 'import', session_id: facts.nativeIds.at(-1) ?? null, damaged: problems.length } as const;
    await writer.append({ kind: 'decision', decision: { ...decision, ...from, sha256: digest } });
    await writer.append({ kind: 'run', run });
    for (let from = 0; from < entries.length; from += batch) {
      await writer.appendAll(entries.slice(from, from + batch).map((entry) => ({ kind: 'entry', entry })));
    }
    await writer.append({ kind: 'result', run_id: run.run_id, result: metadata });
    await writer.flush();
    const reader = await deps.store.openReader(session_id);
    try {
      const { turns, turnsOmitted, summary: added } = reader;
      const { agent_label, agent_version, model, total_cost, total_usage, updated_at, turns: count } = summary;
      const known = { agent_label, agent_version, model, total_cost, total_usage, updated_at, turns: count };
      const line = { ...added, ...known, cost: total_cost, usage: total_usage };
      await writer.append({ kind: 'summary', summary: line, turns: [...turns], turns_omitted: turnsOmitted });
    } finally {
      await reader.close();
    }
    await writer.close();
  } catch (error) {
    await writer.close();
    await deps.store.remove(session_id);
    throw error;
  }
}

/** What the session has come to, as later runs are measured against it. */
function resultOf({ summary, facts, requests }: ObservedHistory): ResultMetadata {
  const { total_cost: cost, total_usage: usage, prompts } = summary;
  const models = modelsOf(requests);
  const { total, unknown, malformed } = facts.records;
  return {
    sessionId: facts.nativeIds.at(-1) ?? null,
    originalSessionId: facts.nativeIds[0] ?? null,
    model: summary.model,
    cost: usdOf(cost),
    totalCost: usdOf(cost),
    turns: prompts,
    runTurns: prompts,
    duration: null,
    apiDuration: null,
    isMaxTurns: false,
    isMaxBudget: false,
    costProvenance: cost,
    totalCostProvenance: cost,
    usage,
    totalUsage: usage,
    models,
    totalModels: models,
    counters:
      facts.cost === null
        ? null
        : {
            scope: 'session',
            usd: facts.cost.usd,
            models: [...facts.cost.models],
            turns: null,
            turnsScope: null,
            apiDuration: null,
          },
    exitCode: null,
    signal: null,
    endReason: summary.outcome === 'completed' ? 'completed' : 'interrupted',
    lines: { total, unknown, malformed, oversize: 0 },
  };
}
