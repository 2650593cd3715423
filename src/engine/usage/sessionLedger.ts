import type { MessageUsage } from '../../model/usage/facts.ts';
import type { RunMessage, SessionLedger } from '../api.ts';
import type { SessionState } from '../sessions/sessionState.ts';

/** Messages that are kept of one session; older ones are let go. */
const mostMessages = 100_000;

/** From the record's results; of an active run here, as it is now. */
export async function ledgerOf(state: SessionState): Promise<SessionLedger> {
  const results = (await (await state.reader())?.results()) ?? [];
  const last = results.at(-1);
  const isOver = last !== undefined && state.run === null && last.runId === state.turns.at(-1)?.run_id;
  const own = state.run === null ? (last?.metadata ?? null) : state.models;
  // A run without figures leaves the sum unknown.
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

/** What single messages of the model used, each as it was last told; of an active run here, as it is now. */
export async function messagesOf(state: SessionState): Promise<readonly RunMessage[]> {
  const recorded = (await (await state.reader())?.usage()) ?? [];
  const found = new Map<string, RunMessage>();
  const see = (runId: string, usage: MessageUsage): void => {
    found.set(`${runId} ${usage.messageId}`, { runId, ...usage });
    const [oldest] = found.keys();
    if (found.size > mostMessages && oldest !== undefined) found.delete(oldest);
  };
  for (const { run_id: runId, usage } of recorded) see(runId, usage);
  const { run } = state;
  if (run !== null) for (const usage of state.messages) see(run.runId, usage);
  return [...found.values()];
}
