import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { ResultMetadata, RunResult } from '../../model/session/result.ts';
import { askedModelOf } from '../session/askedModel.ts';
import { outcomeOf, type Figures, type LedgerOptions } from './figures.ts';
import { mainModel } from './modelUsage.ts';
import { usdOf } from './money.ts';
import { turnsOf } from './turns.ts';
import { verdictOf } from './runVerdict.ts';

export type { Figures, LedgerOptions } from './figures.ts';

/**
 * Result of an ended run. `previous`: results of the session's earlier runs, oldest first. The caller adds `stdout`, `stderr`
 * and `events`.
 */
export function runResult(
  facts: RunFacts,
  exit: ExitInfo,
  previous: readonly ResultMetadata[],
  options: LedgerOptions,
): RunResult {
  const { endReason, error } = verdictOf(facts, exit);
  const success = error === undefined;
  const data = success ? answerOf(facts) : undefined;
  return {
    success,
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
    ...(facts.warnings.length > 0 && { warnings: [...facts.warnings] }),
    metadata: metadataOf(facts, exit, previous, options, endReason),
  };
}

/** Figures of an active run. A streaming message counts with its initial tokens, so tokens and estimate grow. */
export function estimate(facts: RunFacts, previous: readonly ResultMetadata[], options: LedgerOptions): Figures {
  return outcomeOf(facts, previous, options, false).figures;
}

/** The complete last message: a closing line only has its last part. */
function answerOf(facts: RunFacts): string | undefined {
  if (facts.finalText !== '') return facts.finalText;
  return facts.reports.at(-1)?.text ?? undefined;
}

function metadataOf(
  facts: RunFacts,
  exit: ExitInfo,
  previous: readonly ResultMetadata[],
  options: LedgerOptions,
  endReason: string,
): ResultMetadata {
  const { figures, apiDuration, totals } = outcomeOf(facts, previous, options, true);
  const turns = turnsOf(facts, previous, options.agentVersion ?? null);
  const last = facts.reports.at(-1);
  const first = previous[0];
  const durations = facts.reports.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  const asked = askedModelOf(options.askedModel, previous).model;
  const sessionId = facts.sessionIds.at(-1) ?? previous.at(-1)?.sessionId ?? null;
  return {
    sessionId,
    originalSessionId: first?.originalSessionId ?? first?.sessionId ?? facts.sessionIds[0] ?? null,
    model: facts.model ?? mainModel(figures.models),
    ...(asked !== null && { askedModel: asked }),
    cost: usdOf(figures.cost),
    totalCost: usdOf(figures.totalCost),
    turns: turns.session,
    runTurns: turns.run,
    duration: durations.length === 0 ? null : durations.reduce((sum, duration) => sum + duration, 0),
    apiDuration,
    isMaxTurns: last?.subtype === 'error_max_turns',
    isMaxBudget: last?.subtype === 'error_max_budget_usd',
    costProvenance: figures.cost,
    totalCostProvenance: figures.totalCost,
    usage: figures.usage,
    ...(facts.reports.some(({ tokensOf }) => tokensOf === 'last_call') && { tokensOf: 'last_call' as const }),
    totalUsage: figures.totalUsage,
    models: [...figures.models],
    totalModels: [...figures.totalModels],
    counters:
      totals === null
        ? null
        : { ...totals, models: [...totals.models], turns: turns.printedTurns, turnsScope: turns.scope },
    exitCode: exit.code,
    signal: exit.signal,
    endReason,
    lines: { ...facts.lines },
  };
}
