import type { Cost, ModelUsage, TokenUsage } from '../../model/usage/usage.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { RecordedRun } from '../record.ts';
import type { Exporter, ExportSource } from './shared/source.ts';

const columns = [
  'session_id',
  'run_id',
  'agent',
  'row',
  'type',
  'status',
  'end_reason',
  'started_at',
  'completed_at',
  'model',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'web_searches',
  'usd',
  'provenance',
  'price_table',
  'price_date',
  'reason',
  'session_usd',
  'session_provenance',
  'run_turns',
  'session_turns',
  'duration_ms',
  'api_duration_ms',
] as const;

type Ledger = Pick<ExportSource, 'summary' | 'runs' | 'results'>;
type Row = Partial<Record<(typeof columns)[number], string | number | null | undefined>>;

/** Usage: a row per run, followed by one per model of that run. Unknown values are empty, never 0. */
export const csv: Exporter = {
  async *write(source) {
    yield csvHeader;
    yield* csvRuns(source);
    await Promise.resolve();
  },
};

export const csvHeader = `${columns.join(',')}\r\n`;

/** Rows of each run of one session. */
export function* csvRuns({ summary, runs, results }: Ledger): Generator<string> {
  for (const run of runs) {
    const metadata = results.findLast(({ runId }) => runId === run.run_id)?.metadata;
    yield lines(rowsOf(summary, run, metadata));
  }
}

/** A session's usage on one day, for sessions without known runs. */
interface DayUsage {
  readonly sessionId: string;
  readonly agent: string;
  /** ISO 8601. */
  readonly at: string;
  readonly cost: Cost;
  readonly models: readonly ModelUsage[];
  /** Over all models. */
  readonly usage: TokenUsage;
}

/** Rows of one day of a session: one in total, then one per model. */
export function csvDay({ sessionId, agent, at, cost, models, usage }: DayUsage): string {
  const ids = { session_id: sessionId, agent };
  const [only, ...others] = models;
  const isOne = only !== undefined && others.length === 0;
  const whole: Row = {
    ...ids,
    row: 'day',
    completed_at: at,
    model: isOne ? only.model : undefined,
    ...tokenColumns(usage),
    ...money(cost),
  };
  const rows = models.map((model): Row => ({
    ...ids,
    row: 'model',
    model: model.model,
    ...tokenColumns(model),
    ...(isOne ? money(cost) : { provenance: 'unknown', reason: notDivided }),
  }));
  return lines([whole, ...rows]);
}

const notDivided = 'The cost of this model is not recorded separately.';

function lines(rows: readonly Row[]): string {
  return rows.map((row) => `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`).join('');
}

function rowsOf(summary: Ledger['summary'], run: RecordedRun, result: ResultMetadata | undefined): Row[] {
  const ids = { session_id: summary.session_id, run_id: run.run_id, agent: summary.agent_label };
  const whole: Row = {
    ...ids,
    row: 'run',
    type: run.type,
    status: run.status,
    end_reason: result?.endReason,
    started_at: run.started_at,
    completed_at: run.completed_at,
    model: result?.model,
    ...tokenColumns(result?.usage ?? {}),
    ...money(result?.costProvenance),
    session_usd: result?.totalCost,
    session_provenance: result?.totalCostProvenance.provenance ?? 'unknown',
    run_turns: result?.runTurns,
    session_turns: result?.turns,
    duration_ms: result?.duration,
    api_duration_ms: result?.apiDuration,
  };
  const models = (result?.models ?? []).map((model): Row => ({
    ...ids,
    row: 'model',
    model: model.model,
    ...tokenColumns(model),
    ...moneyOfModel(model, result),
  }));
  return [whole, ...models];
}

/** If a run has a single model, its cost is that of the run. */
function moneyOfModel({ usd }: ModelUsage, result: ResultMetadata | undefined): Row {
  if (usd !== undefined) return { usd, provenance: result?.costProvenance.provenance };
  if (result?.models.length === 1) return money(result.costProvenance);
  return { provenance: 'unknown', reason: notDivided };
}

function tokenColumns(usage: TokenUsage): Row {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    cache_write_1h_tokens: usage.cacheWrite1h,
    reasoning_tokens: usage.reasoning,
    web_searches: usage.webSearches,
  };
}

function money(cost: Cost | undefined): Row {
  if (cost === undefined) return { provenance: 'unknown', reason: 'No figures were recorded.' };
  if (cost.provenance === 'unknown') return cost;
  if (cost.provenance === 'reported') return { usd: cost.usd, provenance: cost.provenance };
  const { usd, provenance, priceTable, reason } = cost;
  return { usd, provenance, price_table: priceTable.name, price_date: priceTable.date, reason };
}

/** Escapes a cell according to RFC 4180, and text that a spreadsheet would interpret as a formula. */
export function csvCell(value: string | number | null | undefined): string {
  if (value === undefined || value === null) return '';
  // Rounds floating-point noise of sums; JSON has the exact values.
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toPrecision(12)));
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
