import { createHash } from 'node:crypto';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { executorOf } from '../../insight/observed/asSession.ts';
import { modelsOf } from '../../insight/observed/cost.ts';
import type { ForkPlace } from '../../agents/shared/forking.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import { inheritedEnd } from '../../insight/ledger/counters.ts';
import { usdOf } from '../../insight/ledger/money.ts';
import type { RecordedRun } from '../../formats/record.ts';
import type { Cost } from '../../model/usage/usage.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { StoreFacts, StoreRequest } from '../../model/session/observed.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { Imported, Session } from '../../model/session/session.ts';
import { identityOf } from '../folders/identity.ts';
import { runId, sessionId } from '../ids.ts';
import type { RecordReader, RecordWriter } from '../record/contract.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { addSteps, noSteps } from '../run/runFigures.ts';

/** A session from another program with everything that its record will contain. */
export interface ObservedHistory {
  readonly summary: ObservedSummary;
  readonly facts: StoreFacts;
  /** The session's own requests, without those copied from other sessions. */
  readonly requests: readonly StoreRequest[];
  readonly entries: readonly NormalizedEntry[];
  /** Parts that could not be read. */
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
 * Copies a session from another program into a record with the same id, as one run. The record's hash chain starts with
 * the copy; its first decision names the source.
 * @throws file system errors
 */
export async function importObserved(history: ObservedHistory, deps: ImportObservedDeps): Promise<SessionSummary> {
  const { summary, facts, entries } = history;
  const { session_id, executor_type: agent, project_dir: folder, title } = summary;
  const executor = executorOf(agent);
  const imported = toImported(history, deps);
  const session = {
    session_id,
    created_at: summary.created_at,
    ...idsOf(facts),
    ...(executor !== undefined && { executor_type: executor }),
    ...(title !== undefined && { title }),
    imported,
  };
  const run = { ...runOf(history), run_id: runId(deps.randomHex) };
  const written = { history, imported, run, entries, result: resultOf(history), ids: idsOf(facts) };
  return beginRecord(session, folder, written, deps);
}

/** Creates a record that starts with a history; removes it if that fails. */
async function beginRecord(
  session: Omit<Session, 'status' | 'execution_mode'>,
  folder: string | undefined,
  written: WrittenHistory,
  deps: ImportObservedDeps,
): Promise<SessionSummary> {
  const { session_id } = session;
  const place = folder === undefined ? {} : { project_dir: folder, project_identity: await identityOf(folder) };
  const writer = await deps.store.create({ ...session, ...place, status: 'finished', execution_mode: 'sync' });
  try {
    await writeHistory(writer, written, deps);
    await writer.close();
  } catch (error) {
    await writer.close();
    await deps.store.remove(session_id);
    throw error;
  }
  return summaryOf(session_id, deps);
}

/**
 * Updates the copy of a session in the same run with new and changed entries. Entries that the agent removed stay. Does
 * nothing if Vitrine's own runs followed.
 * @throws RecordBusyError, file system errors
 */
export async function updateObserved(history: ObservedHistory, deps: ImportObservedDeps): Promise<SessionSummary> {
  const { session_id, updated_at } = history.summary;
  const reader = await deps.store.openReader(session_id);
  let entries: NormalizedEntry[];
  let run: RecordedRun | null;
  try {
    run = reader.summary.runs === 1 ? await reader.lastRun() : null;
    entries = await changedEntries(history.entries, reader);
    if (run === null || (entries.length === 0 && reader.summary.updated_at === updated_at)) return reader.summary;
  } finally {
    await reader.close();
  }
  const writer = await deps.store.openWriter(session_id);
  try {
    const end_index = Math.max(run.end_index ?? 0, history.entries.length);
    const next = { ...runOf(history), run_id: run.run_id, end_index };
    const imported = toImported(history, deps);
    const ids = idsOf(history.facts);
    await writeHistory(writer, { history, imported, run: next, entries, result: resultOf(history), ids }, deps);
  } finally {
    await writer.close();
  }
  return summaryOf(session_id, deps);
}

async function summaryOf(id: string, { store }: ImportObservedDeps): Promise<SessionSummary> {
  const reader = await store.openReader(id);
  const { summary } = reader;
  await reader.close();
  return summary;
}

/**
 * Creates a session that forks the conversation of `origin`: a new id and a copy of the history, at no cost. `place`: only
 * what came before it.
 * @throws file system errors
 */
export async function forkObserved(
  whole: ObservedHistory,
  origin: SessionSummary,
  deps: ImportObservedDeps,
  place?: ForkPlace,
): Promise<SessionSummary> {
  const entries = whole.entries.slice(0, place?.entry);
  const until = place === undefined ? undefined : whole.entries[place.entry]?.timestamp;
  const history = { ...whole, entries, facts: importedFacts(whole.facts, until) };
  const { facts, summary } = history;
  const { project_dir: folder, executor_type: executor, title } = origin;
  const native = facts.nativeIds.at(-1);
  if (native === undefined) throw new Error(`Session ${origin.session_id} has no conversation to fork.`);
  const imported = toImported(history, deps);
  const session_id = sessionId(deps.randomHex);
  const created_at = new Date(deps.clock()).toISOString();
  const total_cost: Cost = { provenance: 'reported', usd: 0 };
  const inherited = { ...summary, session_id, created_at, updated_at: created_at, total_cost, total_usage: {} };
  const forked: ObservedHistory = { ...history, summary: inherited };
  const session = {
    session_id,
    created_at,
    executor_session_ids: [],
    ...(executor !== undefined && { executor_type: executor }),
    ...(title !== undefined && { title }),
    forked_from: {
      session_id: origin.session_id,
      executor_session_id: native,
      ...(place !== undefined && { last: place.last }),
    },
    imported,
  };
  const run = { ...runOf(forked), run_id: runId(deps.randomHex) };
  const none = { sessionId: null, originalSessionId: null, models: [], totalModels: [], endReason: inheritedEnd };
  const result = { ...resultOf(forked), ...none };
  return beginRecord(session, folder, { history: forked, imported, run, entries, result, ids: {} }, deps);
}

/** Costs continue from those of the whole conversation; tokens, of an agent that reports no costs, from the kept part. */
function importedFacts(facts: StoreFacts, until: string | undefined): StoreFacts {
  if (until === undefined || facts.cost !== null) return facts;
  return { ...facts, requests: facts.requests.filter(({ at }) => at === null || at < until) };
}

interface WrittenHistory {
  readonly history: ObservedHistory;
  readonly imported: Imported;
  readonly run: RecordedRun;
  /** Entries that are not in the record. */
  readonly entries: readonly NormalizedEntry[];
  readonly result: ResultMetadata;
  readonly ids: Partial<Pick<Session, 'executor_session_id' | 'executor_session_ids'>>;
}

async function writeHistory(
  writer: RecordWriter,
  written: WrittenHistory,
  { store }: ImportObservedDeps,
): Promise<void> {
  const { history, run, entries, imported, result, ids } = written;
  const { summary, facts, problems } = history;
  const decision = { type: 'import', session_id: facts.nativeIds.at(-1) ?? null, damaged: problems.length } as const;
  await writer.append({ kind: 'decision', decision: { ...decision, ...imported } });
  await writer.append({ kind: 'run', run });
  for (let from = 0; from < entries.length; from += batch) {
    await writer.appendAll(entries.slice(from, from + batch).map((entry) => ({ kind: 'entry', entry })));
  }
  await writer.append({ kind: 'result', run_id: run.run_id, result });
  await writer.flush();
  const reader = await store.openReader(summary.session_id);
  try {
    const { turns, turnsOmitted, summary: added } = reader;
    const { agent_label, agent_version, model, total_cost, total_usage, updated_at, turns: count } = summary;
    const known = { agent_label, agent_version, model, total_cost, total_usage, updated_at, turns: count };
    const line = { ...added, ...known, ...ids, cost: total_cost, usage: total_usage };
    await writer.append({ kind: 'summary', summary: line, turns: [...turns], turns_omitted: turnsOmitted });
  } finally {
    await reader.close();
  }
}

function idsOf({ nativeIds }: StoreFacts): Pick<Session, 'executor_session_id' | 'executor_session_ids'> {
  return { executor_session_id: nativeIds.at(-1), executor_session_ids: [...nativeIds] };
}

function toImported({ summary, entries }: ObservedHistory, { clock }: ImportObservedDeps): Imported {
  const sha256 = createHash('sha256');
  for (const entry of entries) sha256.update(`${JSON.stringify(entry)}\n`);
  const at = new Date(clock()).toISOString();
  return { format: 'store', file: path.basename(summary.source.path), at, sha256: sha256.digest('hex') };
}

function runOf({ summary, facts, entries }: ObservedHistory): Omit<RecordedRun, 'run_id'> {
  const isComplete = summary.outcome === 'completed' || summary.outcome === 'none';
  return {
    type: 'start_session',
    session_id: summary.session_id,
    prompt: facts.firstPrompt ?? '',
    execution_mode: 'sync',
    status: isComplete ? 'completed' : 'stopped',
    created_at: summary.created_at,
    started_at: summary.created_at,
    completed_at: summary.updated_at,
    first_index: 0,
    end_index: entries.length,
    ...addSteps(noSteps, entries),
  };
}

/** Entries that are missing in the record or differ from it. */
async function changedEntries(entries: readonly NormalizedEntry[], reader: RecordReader): Promise<NormalizedEntry[]> {
  const changed: NormalizedEntry[] = [];
  for (let from = 0; from < entries.length; from += batch) {
    const recorded = new Map((await reader.read(from, from + batch)).map((entry) => [entry.index, entry]));
    const some = entries.slice(from, from + batch);
    changed.push(...some.filter((entry) => !isDeepStrictEqual(entry, recorded.get(entry.index))));
  }
  return changed;
}

/** For agents that report cumulative tokens and no cost. */
function tokenCounters({ requests }: StoreFacts): ResultMetadata['counters'] {
  if (requests.length === 0) return null;
  const models = modelsOf(requests);
  return { scope: 'session', usd: null, models, turns: null, turnsScope: null, apiDuration: null };
}

/** Totals so far, as a baseline for later runs. */
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
        ? tokenCounters(facts)
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
