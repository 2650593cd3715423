import type { ResultMetadata } from '../model/result.ts';
import type { SessionSummary } from '../model/summary.ts';
import type { Cost, ModelUsage } from '../model/usage.ts';

/** One run as the ledger lists it. Times are ISO 8601. */
export interface LedgerRun {
  readonly session: Pick<SessionSummary, 'session_id' | 'agent_label'> & { readonly title?: string | undefined };
  readonly run_id: string;
  readonly started_at: string;
  readonly completed_at?: string | undefined;
  /** Absent: nothing was recorded of what it used. */
  readonly result?:
    Pick<ResultMetadata, 'models' | 'costProvenance' | 'runTurns' | 'duration' | 'apiDuration'> | undefined;
}

const columns = [
  'session_id',
  'title',
  'agent',
  'run_id',
  'started_at',
  'completed_at',
  'turns',
  'duration_ms',
  'api_duration_ms',
  'model',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'web_searches',
  'usd',
  'provenance',
  'price_table',
  'reason',
] as const;

export const ledgerHeader = line(columns);

/**
 * The ledger of one run as lines of RFC 4180 (with CRLF): one per model. The column `usd` adds up to what is known of the
 * run's cost: where it is not known what of it was whose, the run has a line of its own. Unknown is empty, never 0.
 */
export function ledgerRows(run: LedgerRun): string {
  const { session, result } = run;
  const base = [
    session.session_id,
    session.title ?? '',
    session.agent_label,
    run.run_id,
    run.started_at,
    run.completed_at ?? '',
  ];
  const spans = [result?.runTurns, result?.duration, result?.apiDuration];
  const cost: Cost = result?.costProvenance ?? { provenance: 'unknown', reason: 'No figures were recorded.' };
  const models = result?.models ?? [];
  const rest = (model: ModelUsage | null, own: Cost | null) =>
    line([...base, ...spans, ...tokens(model), ...money(own)]);
  const [only, ...others] = models;
  if (only === undefined) return rest(null, cost);
  if (others.length === 0) return rest(only, cost);
  if (cost.provenance !== 'unknown' && models.every(({ usd }) => usd !== undefined)) {
    const sum = models.reduce((usd, each) => usd + (each.usd ?? 0), 0);
    if (Math.abs(sum - cost.usd) <= 1e-9 * Math.max(1, sum))
      return models.map((each) => rest(each, { ...cost, usd: each.usd ?? 0 })).join('');
  }
  return rest(null, cost) + models.map((each) => rest(each, null)).join('');
}

type Cell = string | number | null | undefined;

function tokens(model: ModelUsage | null): Cell[] {
  return [
    model?.model,
    model?.input,
    model?.output,
    model?.cacheRead,
    model?.cacheWrite,
    model?.reasoning,
    model?.webSearches,
  ];
}

/** `null`: it is in the line of the run. */
function money(cost: Cost | null): Cell[] {
  if (cost === null) return [null, 'in_run', null, null];
  if (cost.provenance === 'unknown') return [null, 'unknown', null, cost.reason];
  const table = cost.provenance === 'estimated' ? `${cost.priceTable.name} ${cost.priceTable.date}` : null;
  return [cost.usd, cost.provenance, table, null];
}

function line(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** A text that a spreadsheet would compute is marked as text: titles and names come from anywhere. */
function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
