import type { RunFacts } from '../../model/usage/facts.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import { sumUsage } from './modelUsage.ts';
import { isEmptyUsage } from '../prices/prices.ts';

export interface TurnCounts {
  /** Turns of the session so far. */
  readonly session: number | null;
  readonly run: number | null;
  /** As printed, and what it covers; `null` scope: both, because they are equal. */
  readonly printedTurns: number | null;
  readonly scope: 'run' | 'session' | null;
}

/**
 * 1.0.x counts the messages of the whole conversation; later versions the user's side of one run: the prompt and later
 * lines in the user role.
 */
export function turnsOf(facts: RunFacts, previous: readonly ResultMetadata[], agentVersion: string | null): TurnCounts {
  const printed = facts.reports.flatMap(({ turns }) => (turns === null ? [] : [turns]));
  const last = printed.at(-1);
  const before = lastTurns(previous);
  if (last === undefined) return { session: before, run: null, printedTurns: null, scope: null };
  const sum = printed.reduce((all, turns) => all + turns, 0);
  const history = isHistory(facts, printed, previous, facts.agentVersion ?? agentVersion);
  if (!history) {
    const open = before === null && (facts.agentVersion ?? agentVersion) === null;
    return { session: (before ?? 0) + sum, run: sum, printedTurns: sum, scope: open ? null : 'run' };
  }
  // A conversation resumed from an earlier point continues with that point's count.
  const from = previous.map(({ turns }) => turns ?? 0).filter((turns) => turns < last);
  return { session: last, run: last - Math.max(0, ...from), printedTurns: last, scope: 'session' };
}

function isHistory(
  facts: RunFacts,
  printed: readonly number[],
  previous: readonly ResultMetadata[],
  version: string | null,
): boolean {
  const sum = printed.reduce((all, turns) => all + turns, 0);
  const last = printed.at(-1) ?? 0;
  const seen = facts.messages.length > 0 || facts.userLines > 0;
  const perRun = printed.length + facts.userLines;
  if (seen && sum === perRun) return false;
  const major = /^(\d+)\./.exec(version ?? '')?.[1];
  if (major !== undefined) return Number(major) < 2;
  if (seen) return last > perRun;
  // Only the closing line was printed.
  if (facts.reports.some(({ terminalReason }) => terminalReason !== null)) return false;
  if (facts.reports.every(({ usage }) => usage === null)) return true;
  const known = previous.findLast(({ counters }) => counters !== null && counters.turnsScope !== null)?.counters;
  if (known !== undefined && known !== null) return known.turnsScope === 'session';
  const before = lastTurns(previous);
  const hasUsage = !isEmptyUsage(sumUsage(facts.reports.map(({ usage }) => usage ?? {})));
  // At least a prompt and an answer are added.
  return hasUsage && before !== null && last >= before + 2;
}

function lastTurns(previous: readonly ResultMetadata[]): number | null {
  return previous.findLast(({ turns }) => turns !== null)?.turns ?? null;
}
