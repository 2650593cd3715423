import path from 'node:path';
import type { RecordedTurn } from '../../formats/record.ts';
import { usdOf } from '../../insight/ledger/money.ts';
import type { Turn } from '../../model/session/turn.ts';
import type { Disposable, SessionHandle } from '../api.ts';
import { ledgerOf, messagesOf } from '../usage/sessionLedger.ts';
import type { SessionState } from './sessionState.ts';

/** `onDispose` is called once. */
export function sessionHandle(state: SessionState, recordFile: string, onDispose: () => void): SessionHandle {
  const own = new Set<Disposable>();
  let disposed = false;
  const trackDisposable = (registration: Disposable): Disposable => {
    own.add(registration);
    return {
      dispose: () => {
        own.delete(registration);
        registration.dispose();
      },
    };
  };
  return {
    id: state.id,
    summary: () => state.summary,
    turns: () => state.turns.map((turn, index) => turnOf(turn, index === state.turns.length - 1, state)),
    entryCount: () => state.total,
    openIndexes: () => state.recent.open(),
    openEntries: () => state.recent.unsettled(),
    read: (from, to) => state.read(from, to),
    find: (query, limit, from) => state.find(query, limit, from),
    isLive: () => state.run !== null,
    whenWritten: () => state.whenWritten(),
    conversation: () => state.run?.conversation ?? null,
    sizes: () => state.sizes,
    problems: () => state.problems,
    ledger: () => ledgerOf(state),
    messages: () => messagesOf(state),
    headHash: async () => (await (await state.reader())?.head()) ?? null,
    get done() {
      return state.done ?? Promise.resolve(undefined);
    },
    rawPath: (runId) => {
      const file = path.join(path.dirname(recordFile), 'runs', runId);
      return { stdout: `${file}.stdout`, stderr: `${file}.stderr` };
    },
    onUpdates: (listener) => trackDisposable(state.updates.on(listener)),
    onSummary: (listener) => trackDisposable(state.summaries.on(listener)),
    onNotice: (listener) => trackDisposable(state.notices.on(listener)),
    onConversation: (listener) => trackDisposable(state.conversations.on(listener)),
    dispose: () => {
      if (disposed) return;
      disposed = true;
      for (const registration of own) registration.dispose();
      onDispose();
    },
  };
}

function turnOf(turn: RecordedTurn, isLast: boolean, { summary }: SessionState): Turn {
  const { cost } = turn;
  const durationMs =
    turn.completed_at === undefined ? null : Date.parse(turn.completed_at) - Date.parse(turn.started_at);
  // During a run, the known cost is in the summary.
  const live = isLast && turn.completed_at === undefined ? summary.cost : cost;
  return {
    runId: turn.run_id,
    firstIndex: turn.first_index,
    status: statusOf(turn, isLast && summary.outcome === 'interrupted'),
    startedAt: turn.started_at,
    durationMs: turn.duration ?? durationMs,
    steps: turn.steps,
    ...(turn.subagent_steps !== undefined && { subagentSteps: turn.subagent_steps }),
    usd: usdOf(live),
    costProvenance: live.provenance,
  };
}

function statusOf({ status }: RecordedTurn, interrupted: boolean): Turn['status'] {
  if (interrupted) return 'interrupted';
  return status === 'completed' || status === 'failed' || status === 'stopped' ? status : 'running';
}
