import type { Turn } from '../../model/session/turn.ts';
import type { LedgerCard } from '../../protocol/panel/figureMessages.ts';
import type { SessionView } from '../../protocol/panel/messages.ts';
import type { ExportedSession } from './exportedSession.ts';

/** Everything around the entries. Nothing can be sent, stopped or resumed. */
export function viewOf(session: ExportedSession, turns: readonly Turn[]): SessionView {
  return {
    summary: session.summary,
    turns,
    conversation: null,
    can: { send: false, stop: false, resume: false },
    why: null,
    notice: null,
    sizes: { rawBytes: 0, unknownLines: 0, malformedLines: 0 },
  };
}

export function turnsOf({ runs, results, entries }: ExportedSession): Turn[] {
  return runs.map((run, at): Turn => {
    const end = runs[at + 1]?.first_index ?? entries.length;
    const metadata = results.findLast(({ runId }) => runId === run.run_id)?.metadata;
    const calls = entries.slice(run.first_index, end).filter(({ type }) => type.kind === 'tool_use');
    const main = calls.filter(({ metadata: own }) => own?.parentCallId === undefined).length;
    return {
      runId: run.run_id,
      firstIndex: run.first_index,
      status: statusOf(run.status),
      startedAt: run.started_at ?? run.created_at,
      durationMs: metadata?.duration ?? null,
      steps: main,
      subagentSteps: calls.length - main,
      usd: metadata?.cost ?? null,
      costProvenance: metadata?.costProvenance.provenance ?? 'unknown',
    };
  });
}

/** A run without an end was interrupted, or still ran when the session was exported. */
function statusOf(status: string): Turn['status'] {
  return status === 'completed' || status === 'failed' || status === 'stopped' ? status : 'interrupted';
}

/** Over all runs, as far as each of them has figures. */
export function ledgerOf({ runs, results }: ExportedSession): LedgerCard {
  const last = results.at(-1)?.metadata;
  const isWhole = results.length === runs.length;
  const sum = (times: readonly (number | null)[]): number | null =>
    times.reduce((total, time) => (total === null || time === null ? null : total + time), 0);
  return {
    models: last?.models ?? null,
    totalModels: last?.totalModels ?? null,
    runTurns: last?.runTurns ?? null,
    duration: isWhole ? sum(results.map(({ metadata }) => metadata.duration)) : null,
    apiDuration: isWhole ? sum(results.map(({ metadata }) => metadata.apiDuration)) : null,
    ...(results.some(({ metadata }) => metadata.tokensOf !== undefined) && { tokensOf: 'last_call' as const }),
    children: null,
    head: null,
  };
}
