import { csvDay, csvHeader, csvRuns } from '../../formats/export/csv.ts';
import type { RecordedTurn } from '../../formats/record.ts';
import { sumUsage } from '../../insight/ledger/modelUsage.ts';
import { spendingOfSession, type RunSpending } from '../../insight/usage/spending.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { RecordReader } from '../record/contract.ts';
import type { Ledger, RecordStore, StoreListing } from '../record/recordStore.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import { isReadOnly } from '../../model/session/importedSession.ts';

/** Usage of all sessions by run, and what it does not include. */
export interface Spending {
  readonly runSpending: readonly RunSpending[];
  /** Number of runs that summaries omit; their cost counts on the day when their session was created. */
  readonly omitted: number;
  /** Number of unreadable records. */
  readonly unreadable: number;
}

/** Usage from record ends and active runs, without recordings and imports. */
export async function spendingOf(store: RecordStore, live: readonly SessionState[]): Promise<Spending> {
  const { ledgers, unreadable } = await ledgersOf(store, live);
  const counted = ledgers.filter(({ summary }) => hasCost(summary));
  return {
    runSpending: counted.flatMap(({ summary, turns, omitted }) => spendingOfSession(summary, turns, omitted)),
    omitted: counted.reduce((sum, { omitted }) => sum + omitted, 0),
    unreadable: unreadable.length,
  };
}

/** All sessions with their runs, stored or active. */
export async function ledgersOf(
  store: RecordStore,
  live: readonly SessionState[],
): Promise<Pick<StoreListing, 'ledgers' | 'unreadable'>> {
  const { ledgers, unreadable } = await store.listRecords();
  const here = new Map(live.map((state) => [state.id, liveLedger(state)]));
  const stored = ledgers.filter(({ summary }) => !here.has(summary.session_id));
  return { ledgers: [...stored, ...here.values()], unreadable };
}

function hasCost(summary: SessionSummary): boolean {
  return !summary.recording && !isReadOnly(summary);
}

function liveLedger({ summary, turns, turnsOmitted: omitted, models: own, run }: SessionState): Ledger {
  const now = (turn: RecordedTurn): RecordedTurn => ({
    ...turn,
    ...run?.counted(),
    // Until the run reports usage, the summary has the figures of the previous run.
    ...(own !== null && { cost: summary.cost, models: [...own.models] }),
  });
  const last = turns.at(-1);
  const all = last?.completed_at === undefined && last !== undefined ? [...turns.slice(0, -1), now(last)] : turns;
  return { summary, turns: all, omitted };
}

/** Epoch milliseconds, exclusive end; `null`: open. */
export interface UsagePeriod {
  readonly from: number | null;
  readonly to: number | null;
}

/**
 * Usage of every run that ended in the period, or started in it and is still running, then of other programs' sessions
 * by day. Reads whole records, one by one.
 */
export async function* usageCsv(
  summaries: readonly SessionSummary[],
  observed: readonly RunSpending[],
  { from, to }: UsagePeriod,
  open: (id: string) => Promise<RecordReader>,
): AsyncGenerator<string> {
  const within = (at: number): boolean => (from === null || at >= from) && (to === null || at < to);
  yield csvHeader;
  for (const summary of summaries.filter(hasCost)) {
    if (from !== null && Date.parse(summary.updated_at) < from) continue;
    if (to !== null && Date.parse(summary.created_at) >= to) continue;
    const reader = await open(summary.session_id);
    try {
      const runs = (await reader.runs()).filter((run) =>
        within(Date.parse(run.completed_at ?? run.started_at ?? run.created_at)),
      );
      yield* csvRuns({ summary, runs, results: await reader.results() });
    } finally {
      await reader.close();
    }
  }
  for (const day of observed) if (within(Date.parse(day.at))) yield csvDay({ ...day, usage: sumUsage(day.models) });
}
