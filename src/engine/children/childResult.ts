import { usdOf } from '../../insight/ledger/money.ts';
import type { Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { SessionHandle } from '../api.ts';

/** Result of a child; `result` is its last message. */
export interface ChildResult {
  readonly session_id: string;
  readonly agent_name: string | null;
  readonly status: Session['status'];
  readonly outcome: SessionSummary['outcome'];
  readonly result: string | null;
  readonly error: string | null;
  readonly cost_usd: number | null;
}

/** Maximum characters, because reading the result costs the parent tokens. */
const maxResult = 50_000;
const pageSize = 100;

/** Result of a session that has ended. */
export async function resultOfChild(handle: SessionHandle): Promise<ChildResult> {
  const { session_id, agent_name = null, status, outcome, reason = null, total_cost } = handle.summary();
  return {
    session_id,
    agent_name,
    status,
    outcome,
    result: await lastMessage(handle),
    error: reason,
    cost_usd: usdOf(total_cost),
  };
}

async function lastMessage(handle: SessionHandle): Promise<string | null> {
  const first = handle.turns().at(-1)?.firstIndex ?? 0;
  for (let to = handle.entryCount(); to > first; to -= pageSize) {
    const entries = await handle.read(Math.max(first, to - pageSize), to);
    const last = entries.findLast(
      ({ type, metadata }) => type.kind === 'assistant_message' && metadata?.parentCallId === undefined,
    );
    if (last === undefined) continue;
    const { content } = last;
    return content.length > maxResult
      ? `${content.slice(0, maxResult)}\n\n[truncated after ${maxResult} characters]`
      : content;
  }
  return null;
}
