import { isDerivedFromEntry } from '../../formats/events.ts';
import {
  type LineOf,
  type RecordedRun,
  type RecordedTurn,
  type RecordLine,
  maxSummaryTurns,
} from '../../formats/record.ts';
import { turnOf } from '../../formats/recordState.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../model/transcript/event.ts';
import type { MessageUsage } from '../../model/usage/facts.ts';
import type { ResultMetadata, RunResult, Unrecorded } from '../../model/session/result.ts';
import { sessionSchema, type Session } from '../../model/session/session.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Conversation, Log, Notice, SessionSizes } from '../api.ts';
import { Emitter } from '../emitter.ts';
import { failures } from '../failures/failures.ts';
import { logInvalidMetadata } from '../log/metadataLog.ts';
import type { LadderStep } from '../process/stopProcessTree.ts';
import type { Models, RunSteps } from '../run/runFigures.ts';
import { withIds, type BatchLine } from '../run/transitions.ts';
import type { FindResult, RecordReader, RecordWriter, WriteProblem } from '../record/contract.ts';
import { RecordNotFoundError } from '../record/errors.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { RecentEntries } from './recentEntries.ts';
import { unrecordedText } from '../run/unrecordedResult.ts';

/** The active run in this process. */
export interface ActiveRun {
  readonly runId: string;
  /** Settles when the run is completely recorded. Never rejects. */
  readonly done: Promise<RunResult>;
  readonly conversation: Conversation | null;
  /** Usage for budgets: model responses, and active milliseconds. */
  counted(): { readonly responses: number; readonly active_ms: number };
  /** Settles when all messages and decisions so far have been passed to the record. */
  whenWritten(): Promise<void>;
  /** Resolves when the process tree has ended and `done` has settled. `reason` is recorded. */
  stop(steps?: readonly LadderStep[], reason?: string): Promise<void>;
}

export interface StateDeps {
  readonly store: RecordStore;
  readonly log: Log;
  readonly onSummary: (summary: SessionSummary) => void;
  readonly onEvent: (event: CoordinatorEvent) => void;
}

/** Changes of a write to report to listeners. */
interface WriteEvents {
  readonly updates: readonly EntryUpdate[];
  readonly events: readonly CoordinatorEvent[];
}

/** Maximum number of new entries reported at once when following another process; older ones are read on demand. */
const maxFollowed = 200;

/** State of one session in this process, shared by its handles and its run. */
export class SessionState {
  readonly id: string;
  readonly deps: StateDeps;
  readonly updates: Emitter<[updates: readonly EntryUpdate[], total: number]>;
  readonly summaries: Emitter<[summary: SessionSummary]>;
  readonly notices: Emitter<[notice: Notice]>;
  readonly conversations: Emitter<[]>;
  readonly recent = new RecentEntries();
  /** Number of users that keep it open. */
  users = 0;
  run: ActiveRun | null = null;
  /** Result of the active or last run in this process. */
  done: Promise<RunResult> | undefined;
  total = 0;
  /** Usage by model of the active run in this process; the record has that of ended runs. */
  models: Models | null = null;
  /** Usage of that run's messages so far. */
  messages: readonly MessageUsage[] = [];
  sizes: SessionSizes = { rawBytes: 0, unknownLines: 0, malformedLines: 0 };
  /** Data that the last writer could not write. */
  unrecorded: Unrecorded | null = null;
  #summary: SessionSummary;
  #turns: readonly RecordedTurn[] = [];
  #turnsOmitted = 0;
  #writer: RecordWriter | null = null;
  #reader: Promise<RecordReader | null> | null = null;
  #problems: readonly string[] = [];
  #invalidMetadata = 0;
  /** Whether the last write did not reach the record. */
  #hasUnwrittenState = false;
  #lock: Promise<void> = Promise.resolve();

  constructor(summary: SessionSummary, deps: StateDeps) {
    this.id = summary.session_id;
    this.deps = deps;
    this.#summary = summary;
    this.updates = new Emitter(deps.log);
    this.summaries = new Emitter(deps.log);
    this.notices = new Emitter(deps.log);
    this.conversations = new Emitter(deps.log);
  }

  /** @throws RecordNotFoundError */
  static async fromRecord(id: string, deps: StateDeps): Promise<SessionState> {
    const reader = await deps.store.openReader(id);
    const state = new SessionState(reader.summary, deps);
    state.#reader = Promise.resolve(reader);
    state.#loadRecord(reader);
    return state;
  }

  get summary(): SessionSummary {
    return this.#summary;
  }

  get session(): Session {
    return sessionSchema.parse(this.#summary);
  }

  get turns(): readonly RecordedTurn[] {
    return this.#turns;
  }

  get turnsOmitted(): number {
    return this.#turnsOmitted;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get writer(): RecordWriter | null {
    return this.#writer;
  }

  /** Call after the run has ended: its state is in the record. */
  forgetRun(): void {
    this.run = null;
    this.models = null;
    this.messages = [];
  }

  isRunning(): boolean {
    return this.run !== null;
  }

  /** Waits for the rest of an ended run, because callers may resume at once. @throws EngineFailure if running */
  async assertIdle(): Promise<void> {
    if (!isSessionLive(this.session.status)) await this.run?.done;
    if (this.isRunning()) throw failures.sessionBusy(this.session.session_id);
  }

  /** Ends the active run. Waits for a run that is about to start, since there is nothing to stop before. */
  async stop(steps?: readonly LadderStep[], reason?: string): Promise<void> {
    if (this.run === null) await this.#awaitBeginning();
    await this.run?.stop(steps, reason);
  }

  /** Resolves when there is a run, or none is about to start. */
  async #awaitBeginning(): Promise<void> {
    let started = (): void => undefined;
    const startedPromise = new Promise<void>((resolve) => (started = resolve));
    const registration = this.summaries.on(() => {
      if (this.run !== null) started();
    });
    await Promise.race([startedPromise, this.runExclusive(() => Promise.resolve())]);
    registration.dispose();
  }

  useWriter(writer: RecordWriter): void {
    this.#writer = writer;
  }

  /** Flushes and closes the writer, so that others can write. */
  async returnWriter(): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    if (writer === null) return;
    await writer.close();
    this.#hasUnwrittenState = writer.hasMemoryOnlyLines;
    if (!writer.hasMemoryOnlyLines) this.recent.clear();
    this.unrecorded = writer.unrecorded;
    if (this.unrecorded !== null) this.#problems = [...this.#problems, unrecordedText(this.unrecorded)];
  }

  async append(line: RecordLine): Promise<void> {
    await this.#writer?.append(line);
  }

  /** Settles when everything so far is in the record. */
  async whenWritten(): Promise<void> {
    await this.run?.whenWritten();
    await this.#writer?.flush();
  }

  /** Updates the summary and notifies listeners; only `summaryLine` records it. */
  change(change: Partial<SessionSummary>): void {
    this.#summary = { ...this.#summary, ...change };
    this.summaries.fire(this.#summary);
    this.deps.onSummary(this.#summary);
  }

  async changeSession(session: Session, change: Partial<SessionSummary> = {}): Promise<void> {
    const written = this.append({ kind: 'session', session });
    this.change({ ...session, ...change });
    await written;
  }

  /** Adds session ids that the agent reports. */
  async learnIds(ids: readonly string[]): Promise<void> {
    const sessionWithIds = withIds(this.session, ids);
    if (sessionWithIds !== undefined) await this.changeSession(sessionWithIds);
  }

  /**
   * Commits one transition: writes its lines at once and notifies listeners. `change`: further changes of the summary.
   */
  async commit(batch: readonly BatchLine[], change: Partial<SessionSummary> = {}): Promise<void> {
    const writeEvents = this.#applyBatch(batch);
    this.change(change);
    const lines = batch.map((line) => (line === 'summary' ? this.summaryLine() : line));
    await this.#writer?.appendAll(lines.filter((line) => line.kind !== 'event' || !isDerivedFromEntry(line.event)));
    this.#notify(writeEvents);
  }

  /** Applies the lines in memory, as a reader of the record would. */
  #applyBatch(batch: readonly BatchLine[]): WriteEvents {
    const updates: EntryUpdate[] = [];
    const events: CoordinatorEvent[] = [];
    let result: ResultMetadata | undefined;
    for (const line of batch) {
      if (line === 'summary') continue;
      if (line.kind === 'entry') updates.push({ op: 'put', entry: line.entry });
      else if (line.kind === 'event') events.push(line.event);
      else if (line.kind === 'result') result = line.result;
      else if (line.kind === 'run') this.#putRun(line.run, result);
      else if (line.kind === 'session') this.#summary = { ...this.#summary, ...line.session };
    }
    this.recent.apply(updates);
    this.#count(updates);
    return { updates, events };
  }

  #putRun(run: RecordedRun, result: ResultMetadata | undefined): void {
    this.#putTurn({
      ...turnOf(run),
      ...(result === undefined
        ? {}
        : { cost: result.costProvenance, duration: result.duration, models: result.models }),
    });
  }

  /** Counts tool calls of an active run; the record gets them at the end. */
  countSteps(runId: string, steps: RunSteps): void {
    this.#turns = this.#turns.map((turn) => (turn.run_id === runId ? { ...turn, ...steps } : turn));
  }

  #putTurn(turn: RecordedTurn): void {
    const known = this.#turns.some((earlier) => earlier.run_id === turn.run_id);
    const all = known
      ? this.#turns.map((earlier) => (earlier.run_id === turn.run_id ? turn : earlier))
      : [...this.#turns, turn];
    this.#turnsOmitted += Math.max(0, all.length - maxSummaryTurns);
    this.#turns = all.slice(-maxSummaryTurns);
  }

  summaryLine(): LineOf<'summary'> {
    // Requests can only be answered in this process, so they are not recorded.
    const summary = { ...this.#summary, needs_you: undefined };
    return { kind: 'summary', summary, turns: [...this.#turns], turns_omitted: this.#turnsOmitted };
  }

  /**
   * Records settled entries and events, and notifies listeners. `at`: arrival, ISO 8601. `events`: in these updates.
   */
  async apply(updates: readonly EntryUpdate[], at: string, events: readonly CoordinatorEvent[] = []): Promise<void> {
    const settled = this.recent.apply(updates);
    await this.#writer?.appendAll([
      ...settled.map((entry): RecordLine => ({ kind: 'entry', entry, received_at: at })),
      ...events.filter((event) => !isDerivedFromEntry(event)).map((event): RecordLine => ({ kind: 'event', event })),
    ]);
    this.#count(updates);
    this.#notify({ updates, events });
  }

  #count(updates: readonly EntryUpdate[]): void {
    for (const update of updates) if (update.op === 'put') this.total = Math.max(this.total, update.entry.index + 1);
  }

  #notify({ updates, events }: WriteEvents): void {
    if (updates.length > 0) this.updates.fire(updates, this.total);
    for (const event of events) this.deps.onEvent(event);
    this.recent.trim(this.#writer?.hasMemoryOnlyLines !== true);
  }

  async record(settled: readonly NormalizedEntry[], at: string): Promise<void> {
    await this.#writer?.appendAll(settled.map((entry) => ({ kind: 'entry', entry, received_at: at })));
  }

  async read(from: number, to: number): Promise<NormalizedEntry[]> {
    const end = Math.min(to, this.total);
    const found = new Map<number, NormalizedEntry>();
    for (let index = Math.max(0, from); index < end; index++) {
      const entry = this.recent.get(index);
      if (entry !== undefined) found.set(index, entry);
    }
    if (found.size < end - Math.max(0, from)) {
      const reader = await this.reader();
      for (const entry of (await reader?.read(Math.max(0, from), end)) ?? []) {
        if (!found.has(entry.index)) found.set(entry.index, entry);
      }
    }
    return [...found.values()].sort((a, b) => a.index - b.index);
  }

  async find(query: string, limit: number, from = 0): Promise<FindResult> {
    return (await (await this.reader())?.find(query, limit, { from })) ?? { indexes: [], truncated: false };
  }

  /** A reader of the current record; `null` if it could never be written. */
  async reader(): Promise<RecordReader | null> {
    this.#reader ??= this.deps.store.openReader(this.id).catch((error: unknown) => {
      this.#reader = null;
      if (RecordNotFoundError.is(error)) return null;
      throw error;
    });
    const reader = await this.#reader;
    await reader?.refresh();
    return reader;
  }

  /** As `follow`, if the record may be newer. */
  async catchUp(): Promise<void> {
    if (this.run === null && !this.#hasUnwrittenState) await this.follow();
  }

  /** Reads what another process wrote, and notifies listeners. */
  async follow(): Promise<void> {
    const reader = await this.reader();
    if (reader === null || this.#writer !== null) return;
    const before = this.#summary;
    const from = this.total;
    this.#loadRecord(reader);
    if (JSON.stringify(before) !== JSON.stringify(this.#summary)) this.change({});
    const entries = await reader.read(Math.max(from, this.total - maxFollowed), this.total);
    if (entries.length > 0) {
      this.updates.fire(
        entries.map((entry) => ({ op: 'put', entry })),
        this.total,
      );
    }
  }

  /** Serializes all work that takes or needs the writer of the record. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lock.then(work);
    this.#lock = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  readonly reportWriteProblem = ({ path, message }: WriteProblem): void => {
    this.notices.fire({ severity: 'error', failure: failures.recordUnwritable(path, message) });
  };

  /** Sizes of a session without a run in this process, from file sizes. */
  async measure(): Promise<void> {
    const reader = await this.#reader;
    if (reader === null || this.done !== undefined) return;
    const streams = this.#turns.flatMap(({ run_id }) =>
      (['stdout', 'stderr'] as const).map((stream) => reader.rawSize(run_id, stream)),
    );
    const rawBytes = (await Promise.all(streams)).reduce((sum, bytes) => sum + bytes, 0);
    const { unknown_lines: unknownLines = 0, malformed_lines: malformedLines = 0 } = this.#summary;
    this.sizes = { rawBytes, unknownLines, malformedLines };
  }

  async release(): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await (await reader)?.close();
  }

  #loadRecord(reader: RecordReader): void {
    // The record lacks waiting requests of an agent on another machine.
    const isRemote = reader.summary.remote !== undefined && isSessionLive(reader.summary.status);
    this.#summary = { ...reader.summary, ...(isRemote && { needs_you: this.#summary.needs_you }) };
    this.#turns = reader.turns;
    this.#turnsOmitted = reader.turnsOmitted;
    this.total = reader.total;
    const mistyped = reader.problems.filter(({ reason }) => reason === 'mistyped_metadata').length;
    if (mistyped > this.#invalidMetadata) logInvalidMetadata(this.deps.log, this.id, mistyped);
    this.#invalidMetadata = mistyped;
    this.#problems = reader.problems.map(({ offset, bytes, reason }) => `${bytes} bytes at ${offset}: ${reason}`);
  }
}
