import type { MessageUsage } from '../../model/usage/facts.ts';
import type { RunMessage, SessionLedger } from '../api.ts';
import type { SessionState } from '../sessions/sessionState.ts';

/** Maximum number of messages per session; the oldest are dropped. */
const maxMessages = 100_000;

/** Ledger from recorded results, or from the current state of an active run. */
export async function ledgerOf(state: SessionState): Promise<SessionLedger> {
  const results = (await (await state.reader())?.results()) ?? [];
  const last = results.at(-1);
  const isOver = last !== undefined && state.run === null && last.runId === state.turns.at(-1)?.run_id;
  const own = state.run === null ? (last?.metadata ?? null) : state.models;
  // A run without figures makes the total unknown.
  const known = isOver && results.length === state.summary.runs;
  return {
    models: own?.models ?? null,
    totalModels: own?.totalModels ?? null,
    runTurns: isOver ? last.metadata.runTurns : null,
    duration: known ? sum(results.map(({ metadata }) => metadata.duration)) : null,
    apiDuration: known ? sum(results.map(({ metadata }) => metadata.apiDuration)) : null,
    ...(results.some(({ metadata }) => metadata.tokensOf !== undefined) && { tokensOf: 'last_call' as const }),
  };
}

function sum(times: readonly (number | null)[]): number | null {
  return times.reduce((total, time) => (total === null || time === null ? null : total + time), 0);
}

/** Usage per model message, in its last state, including an active run. */
export async function messagesOf(state: SessionState): Promise<readonly RunMessage[]> {
  const recorded = (await (await state.reader())?.usage()) ?? [];
  const found = new Map<string, RunMessage>();
  const see = (runId: string, usage: MessageUsage): void => {
    found.set(`${runId} ${usage.messageId}`, { runId, ...usage });
    const [oldest] = found.keys();
    if (found.size > maxMessages && oldest !== undefined) found.delete(oldest);
  };
  for (const { run_id: runId, usage } of recorded) see(runId, usage);
  const { run } = state;
  if (run !== null) for (const usage of state.messages) see(run.runId, usage);
  return [...found.values()];
}
