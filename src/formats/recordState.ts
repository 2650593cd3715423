import type { ResultMetadata } from '../model/session/result.ts';
import type { Session } from '../model/session/session.ts';
import { isRunOver, isSessionLive } from '../model/session/status.ts';
import type { Outcome, SessionSummary } from '../model/session/summary.ts';
import type { Cost } from '../model/usage/usage.ts';
import { maxSummaryTurns, type LineOf, type RecordedRun, type RecordedTurn, type RecordLine } from './record.ts';
import { SyntheticCount } from './syntheticCount.ts';

const promptLength = 200;
const unpriced: Cost = { provenance: 'unknown', reason: 'No figures were recorded.' };

/**
 * Accumulates the lines of a record in file order. May start anywhere before a summary line, or at the start of a
 * record without one. Keeps the newest turns, but no entries.
 */
export class RecordState {
  readonly #id: string;
  #header: LineOf<'header'> | null = null;
  #session: Session | null = null;
  #summary: SessionSummary | null = null;
  #turns = new Map<string, RecordedTurn>();
  #omitted = 0;
  #lastRun: RecordedRun | null = null;
  #firstPrompt: string | null = null;
  #lastResult: { readonly runId: string; readonly result: ResultMetadata } | null = null;
  #entries = 0;
  readonly #synthetic = new SyntheticCount();
  #trustsReportedCounts = true;
  /** A run or its result came after the summary. */
  #isSummaryOutdated = false;

  constructor(id: string) {
    this.#id = id;
  }

  /** Returns false for a line of another session. */
  apply(line: RecordLine): boolean {
    switch (line.kind) {
      case 'header':
        this.#header = line;
        return line.session_id === this.#id;
      case 'session':
        if (line.session.session_id !== this.#id) return false;
        this.#session = line.session;
        return true;
      case 'run':
        if (line.run.session_id !== this.#id) return false;
        this.#applyRun(line.run);
        return true;
      case 'result':
        this.#applyResult(line);
        return true;
      case 'summary':
        if (line.summary.session_id !== this.#id) return false;
        this.#applySummary(line);
        return true;
      case 'entry':
        this.addEntry(line.entry.index);
        return true;
      case 'event':
      case 'usage':
      case 'decision':
        return true;
    }
  }

  addEntry(index: number): void {
    this.#entries = Math.max(this.#entries, index + 1);
  }

  /** Marks have a wrong type, so counts in summaries are unreliable. Requires all run lines. */
  ignoreCounts(): void {
    this.#trustsReportedCounts = false;
  }

  get hasSummary(): boolean {
    return this.#summary !== null;
  }

  get version(): number | null {
    return this.#header?.version ?? null;
  }

  /** Index of the last entry + 1. */
  get entries(): number {
    return this.#entries;
  }

  get turns(): readonly RecordedTurn[] {
    return [...this.#turns.values()];
  }

  get turnsOmitted(): number {
    return this.#omitted;
  }

  /** The last run, if its line was read. */
  get lastRun(): RecordedRun | null {
    return this.#lastRun;
  }

  /** Whether the last run has no recorded end, or the only one has no start. */
  get isRunOpen(): boolean {
    const last = this.turns.at(-1);
    return last === undefined ? this.#isSessionLive : !isRunOver(last.status);
  }

  /** Whether the record is being written, or was interrupted while a run started or ended. */
  get isOpen(): boolean {
    return this.isRunOpen || this.#isSessionLive;
  }

  get #isSessionLive(): boolean {
    return this.#session !== null && isSessionLive(this.#session.status);
  }

  /** `unknownTime` (ISO 8601) replaces missing times. */
  summary(unknownTime: string): SessionSummary {
    const { synthetic: reported, ...base } = this.#summary ?? this.#fallbackSummary(unknownTime);
    const synthetic = this.#synthetic.counts(reported, this.#trustsReportedCounts);
    const last = this.turns.at(-1);
    const result = this.#lastResult?.result;
    return {
      ...base,
      ...this.#session,
      runs: Math.max(base.runs, this.#omitted + this.#turns.size),
      entries: this.#entries,
      ...(synthetic !== undefined && { synthetic }),
      ...(last === undefined || !this.#isSummaryOutdated ? {} : { outcome: outcomeOf(last, this.#lastResult) }),
      ...(result === undefined ? {} : figuresOf(result)),
      updated_at: newest([base.updated_at, this.#session?.last_resumed_at, last?.started_at, last?.completed_at]),
    };
  }

  #fallbackSummary(unknownTime: string): SessionSummary {
    const session = this.#session ?? {
      session_id: this.#id,
      status: 'stopped' as const,
      created_at: this.#header?.created_at ?? unknownTime,
      execution_mode: 'sync' as const,
      executor_session_ids: [],
    };
    return {
      ...session,
      agent_label: session.agent_name ?? session.executor_type ?? '',
      agent_version: null,
      model: null,
      permission_mode: null,
      prompt: cutPrompt(this.#firstPrompt ?? ''),
      outcome: 'none',
      runs: 0,
      entries: 0,
      turns: null,
      cost: unpriced,
      total_cost: unpriced,
      usage: {},
      total_usage: {},
      duration: null,
      api_duration: null,
      context_window: null,
      updated_at: session.last_resumed_at ?? session.created_at,
      recording: session.executor_type === 'replay',
    };
  }

  #applyRun(run: RecordedRun): void {
    this.#lastRun = run;
    this.#isSummaryOutdated = true;
    this.#firstPrompt ??= run.prompt;
    if (run.synthetic === true) {
      const isReported = this.#turns.has(run.run_id);
      this.#synthetic.run(run.run_id, { isReported, isOver: isRunOver(run.status) });
    }
    const known = this.#turns.get(run.run_id);
    const figures = known === undefined ? {} : { cost: known.cost, duration: known.duration };
    this.#putTurn({ ...turnOf(run), ...figures, ...(known?.models !== undefined && { models: known.models }) });
  }

  #applyResult({ run_id, result }: LineOf<'result'>): void {
    this.#lastResult = { runId: run_id, result };
    this.#isSummaryOutdated = true;
    this.#synthetic.result(run_id, result.runTurns ?? 0);
    const turn = this.#turns.get(run_id);
    if (turn === undefined) return;
    const { costProvenance: cost, duration, models } = result;
    this.#putTurn({ ...turn, cost, duration, models });
  }

  #putTurn(turn: RecordedTurn): void {
    this.#turns.set(turn.run_id, turn);
    if (this.#turns.size <= maxSummaryTurns) return;
    const [oldest] = this.#turns.keys();
    if (oldest !== undefined) this.#turns.delete(oldest);
    this.#omitted += 1;
  }

  #applySummary(line: LineOf<'summary'>): void {
    this.#summary = line.summary;
    this.#isSummaryOutdated = false;
    this.#session = null;
    this.#lastResult = null;
    this.#omitted = line.turns_omitted;
    const reported = this.#turns;
    this.#turns = new Map(
      line.turns.map((turn) => {
        // In summaries of earlier versions, only the result has it.
        const models = turn.models ?? reported.get(turn.run_id)?.models;
        return [turn.run_id, models === undefined ? turn : { ...turn, models }];
      }),
    );
    this.#entries = Math.max(this.#entries, line.summary.entries);
    this.#synthetic.saveSummary();
  }
}

/** Heading of a run before its result is known. */
export function turnOf(run: RecordedRun): RecordedTurn {
  return {
    run_id: run.run_id,
    first_index: run.first_index,
    ...(run.end_index === undefined ? {} : { end_index: run.end_index }),
    status: run.status,
    steps: run.steps ?? 0,
    ...(run.subagent_steps !== undefined && { subagent_steps: run.subagent_steps }),
    started_at: run.started_at ?? run.created_at,
    ...(run.completed_at === undefined ? {} : { completed_at: run.completed_at }),
    ...(run.responses === undefined ? {} : { responses: run.responses }),
    ...(run.active_ms === undefined ? {} : { active_ms: run.active_ms }),
    duration: null,
    cost: unpriced,
  };
}

/** The first prompt, shortened for lists. */
export function cutPrompt(prompt: string): string {
  return Array.from(prompt.slice(0, promptLength * 2))
    .slice(0, promptLength)
    .join('');
}

type LastResult = { readonly runId: string; readonly result: ResultMetadata } | null;

function outcomeOf(turn: RecordedTurn, last: LastResult): Outcome {
  if (last?.runId === turn.run_id && last.result.endReason === 'interrupted') return 'interrupted';
  return turn.status === 'completed' || turn.status === 'failed' || turn.status === 'stopped' ? turn.status : 'none';
}

function figuresOf(result: ResultMetadata): Partial<SessionSummary> {
  return {
    turns: result.turns,
    cost: result.costProvenance,
    total_cost: result.totalCostProvenance,
    usage: result.usage,
    total_usage: result.totalUsage,
    duration: result.duration,
    api_duration: result.apiDuration,
    ...(result.model === null ? {} : { model: result.model }),
  };
}

/** The newest of ISO 8601 times in UTC, which sort as text. */
function newest(times: readonly (string | undefined)[]): string {
  return times.filter((time) => time !== undefined).reduce((a, b) => (a < b ? b : a));
}
