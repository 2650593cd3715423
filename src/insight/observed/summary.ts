import type { EntryPoint, ObservedAgent, StoreFacts } from '../../model/session/observed.ts';
import type { LastDay, LiveState } from '../../model/observedState.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { PriceTable } from '../prices/prices.ts';
import { observedCost, usageOf } from './cost.ts';
import type { SessionShare } from './countOnce.ts';
import { spentByDay, type DaySpent } from './spentByDay.ts';

/** A session from another program, as lists show it: the fields of Vitrine's own sessions, and a few more. */
export interface ObservedSummary extends Omit<SessionSummary, 'executor_type'> {
  readonly executor_type: ObservedAgent;
  readonly branch: string | null;
  readonly entry_point: EntryPoint | null;
  /** Messages that a person wrote. */
  readonly prompts: number;
  /** Including those of subagents. */
  readonly tool_calls: number;
  /** US dollars as reported by the agent; for a fork, including its history. */
  readonly agent_cost_usd: number | null;
  /** Why more tokens were billed than the store has; `null` if nothing is known to be missing. */
  readonly usage_reason: string | null;
  readonly source: { readonly kind: 'observed'; readonly path: string };
  readonly live: LiveState;
  readonly last_day?: LastDay;
  /** Why Vitrine cannot read all of it. */
  readonly problem: string | null;
}

export interface ObservedFacts {
  readonly id: string;
  readonly agent: ObservedAgent;
  readonly label: string;
  readonly facts: StoreFacts;
  readonly share: SessionShare;
  readonly live: LiveState;
  /** Absolute path of the main file. */
  readonly path: string;
  /** Modification time of the main file, for records without a time. ISO 8601. */
  readonly changedAt: string;
  readonly problem: string | null;
  /** The listed session that it was forked from. */
  readonly parentId: string | null;
}

const titleLength = 80;
const promptLength = 200;

const cutOff = 'The last response was interrupted before it was stored; its tokens are unknown.';

export interface ObservedRow {
  readonly summary: ObservedSummary;
  /** Earliest first. */
  readonly days: readonly DaySpent[];
}

/** `dayOf` returns the reader's calendar day of a time. */
export function observedRow(observed: ObservedFacts, prices: PriceTable, dayOf: (at: string) => string): ObservedRow {
  const { share, live } = observed;
  const isCutOff = live.state === 'ended' && observed.facts.last.state === 'answering';
  const facts = isCutOff ? { ...observed.facts, missing: [...observed.facts.missing, cutOff] } : observed.facts;
  const created = facts.startedAt ?? observed.changedAt;
  const updated = facts.lastActivityAt ?? observed.changedAt;
  const prompt = facts.firstPrompt ?? '';
  const title = facts.title ?? copyOf(firstLine(prompt));
  const folder = facts.folders.at(-1);
  const usage = usageOf(share.requests);
  const cost = observedCost(facts, share, prices);
  const days = spentByDay({ total: cost, requests: share.requests, updatedAt: updated }, prices, dayOf);
  const day = days.at(-1);
  const isLive = live.state !== 'ended' && live.state !== 'idle';
  const summary: ObservedSummary = {
    session_id: observed.id,
    status: isLive ? 'running' : 'finished',
    created_at: created,
    ...(folder !== undefined && { project_dir: folder }),
    ...(observed.parentId !== null && { parent_session_id: observed.parentId }),
    execution_mode: 'sync',
    executor_session_id: facts.nativeIds.at(-1),
    executor_session_ids: [...facts.nativeIds],
    executor_type: observed.agent,
    ...(title !== '' && { title }),
    agent_label: observed.label,
    agent_version: facts.agentVersion,
    model: facts.models.at(-1) ?? null,
    permission_mode: null,
    prompt: copyOf(prompt.slice(0, promptLength)),
    outcome: outcomeOf(observed),
    ...(observed.problem !== null && { reason: observed.problem }),
    runs: 0,
    entries: 0,
    turns: share.prompts,
    cost,
    total_cost: cost,
    usage,
    total_usage: usage,
    duration: null,
    api_duration: null,
    context_window: null,
    unknown_lines: facts.records.unknown,
    malformed_lines: facts.records.malformed,
    updated_at: updated,
    recording: false,
    branch: facts.branch,
    entry_point: facts.entryPoint,
    prompts: share.prompts,
    tool_calls: share.toolCalls,
    agent_cost_usd: facts.cost?.usd ?? null,
    usage_reason: facts.missing.length === 0 ? null : `At least this much. ${facts.missing.join(' ')}`,
    source: { kind: 'observed', path: observed.path },
    live,
    ...(day !== undefined && { last_day: { date: day.date, cost: day.cost, usage: usageOf(day.requests) } }),
    problem: observed.problem,
  };
  return { summary, days };
}

/** A slice would keep the whole prompt in memory. */
function copyOf(slice: string): string {
  return String(JSON.parse(JSON.stringify(slice)));
}

function outcomeOf({ facts, live, problem }: ObservedFacts): SessionSummary['outcome'] {
  if (problem !== null) return 'failed';
  if (live.state !== 'ended') return 'none';
  if (facts.last.state === 'interrupted') return 'stopped';
  if (facts.last.state === 'answered' || facts.last.state === 'ended') return 'completed';
  return facts.last.state === 'empty' ? 'none' : 'interrupted';
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
}
