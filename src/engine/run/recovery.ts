import * as z from 'zod';
import { EventBuilder } from '../../formats/events.ts';
import type { LineOf, RecordedRun, RecordLine } from '../../formats/record.ts';
import { TurnCount } from '../../insight/budgets/turnCount.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { Session, SessionStatus } from '../../model/session/session.ts';
import { isRunOver, isSessionLive, moveRun } from '../../model/session/status.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { AgentLauncher } from '../launch/agentLauncher.ts';
import { failures } from '../failures/failures.ts';
import type { RawStream, RecordReader, RecordWriter } from '../record/contract.ts';
import { RecordedQueue, unsentNote } from '../prompt/queuedMessages.ts';
import { RecentEntries } from '../sessions/recentEntries.ts';
import { addSteps, noSteps, type RunSteps, reportedFigures, resultOf, summaryOf } from './runFigures.ts';
import { withIds, type BatchLine } from './transitions.ts';
import { RunOutput } from '../output/runOutput.ts';
import type { Note } from './note.ts';
import type { ReplacedIds } from './runPlan.ts';
import type { SessionState } from '../sessions/sessionState.ts';

const attemptSchema = z.object({
  type: z.literal('attempt'),
  run_id: z.string(),
  resume: z.string().nullable().default(null),
  conversation: z.string().nullable().default(null),
  first_index: z.number(),
  stdout_offset: z.number(),
  stderr_offset: z.number(),
  client_offset: z.number().default(0),
  version: z.string().nullable(),
  afresh: z.boolean().default(false),
  asked_model: z.string().nullable().default(null),
});
const orderSchema = z.object({
  type: z.literal('output_order'),
  run_id: z.string(),
  stdout: z.number(),
  stderr: z.number(),
  client: z.number().default(0),
});

const newConversationSchema = z.object({
  type: z.literal('start_afresh'),
  executor_session_id: z.string().optional(),
  executor_session_ids: z.array(z.string()),
});

type Attempt = z.infer<typeof attemptSchema>;
type Order = z.infer<typeof orderSchema>;

interface RunLeftovers {
  readonly attempt: Attempt | null;
  readonly order: readonly Order[];
  /** Queued messages that were not sent. */
  readonly unsentMessages: readonly string[];
  /** Indexes of this run's recorded entries. */
  readonly present: ReadonlySet<number>;
  /** Epoch milliseconds of its newest recorded entry; 0 if there is none. */
  readonly lastEntryAt: number;
  /** Ids of the conversation that this run was to replace. */
  readonly replacedIds: ReplacedIds | undefined;
}

export interface RecoveryDeps {
  readonly clock: () => number;
  readonly prices: PriceTable;
}

/**
 * Completes an interrupted run: reads missing entries from the raw output, and the cost as far as known. `state` must
 * have the writer of the record.
 */
export async function recoverRun(
  state: SessionState,
  writer: RecordWriter,
  reader: RecordReader,
  source: AgentLauncher | null,
  deps: RecoveryDeps,
): Promise<void> {
  const last = await reader.lastRun();
  if (last === null || isRunOver(last.status)) {
    await settleSession(state, writer, reader, last, deps);
    return;
  }
  const at = new Date(deps.clock()).toISOString();
  const failure = failures.interrupted();
  const found = await findOutput(reader, last);
  let run: RecordedRun = { ...endedAt(last, found.lastEntryAt, deps.clock()), error: failure.message };
  let figures = {};
  let responses = 0;
  const batch: BatchLine[] = [];
  let { session } = state;
  if (source !== null && found.attempt !== null) {
    const replayed = await replayRaw(state, reader, source, last, { ...found, attempt: found.attempt });
    const { output, steps } = replayed;
    responses = replayed.responses;
    run = {
      ...run,
      ...endedAt(last, Math.max(found.lastEntryAt, replayed.lastEntryAt), deps.clock()),
      ...steps,
      responses,
    };
    const facts = output.facts();
    // If Vitrine was killed between the two lines, the run has a result but no end.
    const earlier = (await reader.results()).filter(({ runId }) => runId !== last.run_id);
    const previous = earlier.map(({ metadata }) => metadata);
    const { afresh: isNewConversation, version: agentVersion, asked_model: askedModel } = found.attempt;
    const context = { previous, isNewConversation, prices: deps.prices, agentVersion, askedModel };
    const { metadata } = resultOf(facts, { code: null, signal: null }, context);
    batch.push(...facts.messages.map((usage): RecordLine => ({ kind: 'usage', run_id: run.run_id, usage })));
    if (metadata !== undefined) {
      const result: ResultMetadata = { ...metadata, endReason: 'interrupted' };
      batch.push({ kind: 'result', run_id: run.run_id, result });
      figures = { ...reportedFigures(facts), ...summaryOf(result, state.summary, run) };
    }
    session = withIds(session, facts.sessionIds) ?? session;
  }
  for (const text of found.unsentMessages) await recordNote(state, unsentNote(text), at);
  const ids = responses === 0 ? found.replacedIds : undefined;
  batch.push(
    { kind: 'run', run: { ...run, end_index: state.total } },
    { kind: 'event', event: new EventBuilder(state.id).stop(at, 'interrupted', null) },
    { kind: 'session', session: { ...session, status: restingStatus(session), ...ids } },
    'summary',
  );
  await state.commit(batch, {
    ...figures,
    outcome: 'interrupted',
    reason: failure.message,
    entries: state.total,
    updated_at: at,
  });
  await writer.flush();
}

async function recordNote(state: SessionState, { subtype, content }: Note, at: string): Promise<void> {
  const index = state.total;
  state.total += 1;
  const type = { kind: 'system_message', subtype } as const;
  await state.record([{ index, timestamp: at, type, content, origin: 'system' }], at);
}

/**
 * Completes a record that ends within a transition: a resume without its run, or an ended run in a running session.
 * Only the session's status is lost.
 */
async function settleSession(
  state: SessionState,
  writer: RecordWriter,
  reader: RecordReader,
  last: RecordedRun | null,
  { clock }: RecoveryDeps,
): Promise<void> {
  const updated_at = new Date(clock()).toISOString();
  const reason = failures.interrupted().message;
  const change = last === null ? ({ outcome: 'interrupted', reason, updated_at } as const) : { updated_at };
  let ids: ReplacedIds | undefined;
  for await (const line of reader.lines()) {
    if (line.kind === 'decision') ids = findReplacedIds(line.decision) ?? ids;
    else if (line.kind === 'run') ids = undefined;
  }
  const session = { ...state.session, status: 'stopped', ...ids } as const;
  await state.commit([{ kind: 'session', session }, 'summary'], change);
  await writer.flush();
}

function restingStatus({ status }: Session): SessionStatus {
  return isSessionLive(status) ? 'stopped' : status;
}

/** Uses the last known activity as the end, because the session may be opened days later. */
function endedAt(run: RecordedRun, lastSeen: number, now: number): RecordedRun {
  const began = Date.parse(run.started_at ?? run.created_at);
  const ended = Math.min(Math.max(began, lastSeen), Math.max(began, now));
  return { ...moveRun(run, 'failed', new Date(ended).toISOString()), active_ms: ended - began };
}

async function findOutput(reader: RecordReader, run: RecordedRun): Promise<RunLeftovers> {
  let attempt: Attempt | null = null;
  const order: Order[] = [];
  const queue = new RecordedQueue();
  const present = new Set<number>();
  let lastEntryAt = 0;
  let replaced: ReplacedIds | undefined;
  let replacedIds: ReplacedIds | undefined;
  for await (const line of reader.lines()) {
    if (line.kind === 'run') {
      if (line.run.run_id === run.run_id) replacedIds ??= replaced;
      replaced = undefined;
    }
    if (line.kind === 'entry' && line.entry.index >= run.first_index) {
      present.add(line.entry.index);
      lastEntryAt = Math.max(lastEntryAt, timeOf(line.entry));
    }
    if (line.kind !== 'decision') continue;
    replaced = findReplacedIds(line.decision) ?? replaced;
    if (line.decision['run_id'] !== run.run_id) continue;
    queue.apply(line.decision);
    const parsedAttempt = attemptSchema.safeParse(line.decision);
    if (parsedAttempt.success) {
      attempt = parsedAttempt.data;
      order.length = 0;
    }
    const asOrder = orderSchema.safeParse(line.decision);
    if (asOrder.success) order.push(asOrder.data);
  }
  return { attempt, order, unsentMessages: queue.texts, present, lastEntryAt, replacedIds };
}

/** Ids of the conversation that a new one was to replace. */
function findReplacedIds(decision: LineOf<'decision'>['decision']): ReplacedIds | undefined {
  const newConversation = newConversationSchema.safeParse(decision);
  if (!newConversation.success) return undefined;
  const { executor_session_id, executor_session_ids } = newConversation.data;
  return { executor_session_id: executor_session_id ?? executor_session_ids.at(-1), executor_session_ids };
}

/** Epoch milliseconds; 0 if the timestamp is invalid. */
function timeOf({ timestamp }: NormalizedEntry): number {
  return Date.parse(timestamp) || 0;
}

interface ReplayResult {
  readonly output: RunOutput;
  readonly steps: RunSteps;
  /** Model responses, as counted by budgets. */
  readonly responses: number;
  /** Epoch milliseconds of the newest entry. */
  readonly lastEntryAt: number;
}

/** Feeds the raw output of the last attempt to a new normalizer, and records the missing entries. */
async function replayRaw(
  state: SessionState,
  reader: RecordReader,
  source: AgentLauncher,
  run: RecordedRun,
  { attempt, order, present }: RunLeftovers & { readonly attempt: Attempt },
): Promise<ReplayResult> {
  const workDir = run.project_dir ?? '';
  const { resume, conversation: sessionId } = attempt;
  const ids = { ...(resume !== null && { resume }), ...(sessionId !== null && { sessionId }) };
  const context = { workDir, firstIndex: attempt.first_index, prompt: run.prompt, ...ids };
  const output = new RunOutput(source.createNormalizer(context));
  const recent = new RecentEntries();
  // For lines without a timestamp; their time of arrival is unknown.
  const at = Date.parse(run.started_at ?? run.created_at);
  const turns = new TurnCount();
  let steps = noSteps;
  let lastEntryAt = 0;
  let next = attempt.first_index;
  const take = async (updates: readonly EntryUpdate[]): Promise<void> => {
    turns.apply(updates);
    for (const update of updates) {
      if (update.op === 'put') lastEntryAt = Math.max(lastEntryAt, timeOf(update.entry));
      if (update.op !== 'put' || update.entry.index < next) continue;
      next = update.entry.index + 1;
      steps = addSteps(steps, [update.entry]);
    }
    const settled = recent.apply(updates);
    // The recorded state of a request may be older than its decision.
    const missing = settled.filter((entry) => !present.has(entry.index) || entry.metadata?.['request'] !== undefined);
    await state.record(missing, run.started_at ?? run.created_at);
    for (const entry of missing) state.total = Math.max(state.total, entry.index + 1);
    recent.trim(true);
  };
  const feed = async (stream: RawStream, chunks: Cursor, endOffset: number): Promise<void> => {
    for await (const chunk of chunks.readBytes(endOffset - output.bytes[stream]))
      await take(output.push(stream, chunk, at));
  };
  const stdout = new Cursor(reader.raw(run.run_id, 'stdout'), attempt.stdout_offset);
  const stderr = new Cursor(reader.raw(run.run_id, 'stderr'), attempt.stderr_offset);
  const client = new Cursor(reader.raw(run.run_id, 'client'), attempt.client_offset);
  for (const mark of order) {
    await feed('stdout', stdout, mark.stdout);
    await feed('stderr', stderr, mark.stderr);
    await feed('client', client, mark.client);
  }
  await feed('stdout', stdout, Infinity);
  await feed('stderr', stderr, Infinity);
  await feed('client', client, Infinity);
  await take(output.end({ code: null, signal: null }, at));
  await take(recent.unsettled().map((entry) => ({ op: 'put', entry })));
  return { output, steps, responses: turns.count(output.facts()), lastEntryAt };
}

/** Reads a stream of chunks in pieces of given sizes. */
class Cursor {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytesToSkip: number;
  #remainder: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>, skip: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#bytesToSkip = skip;
  }

  async *readBytes(bytes: number): AsyncGenerator<Uint8Array> {
    let remaining = bytes;
    while (remaining > 0) {
      if (this.#remainder.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) return;
        const skipped = Math.min(this.#bytesToSkip, next.value.length);
        this.#bytesToSkip -= skipped;
        this.#remainder = next.value.subarray(skipped);
        continue;
      }
      const part = this.#remainder.subarray(0, Math.min(remaining, this.#remainder.length));
      this.#remainder = this.#remainder.subarray(part.length);
      remaining -= part.length;
      yield part;
    }
  }
}
