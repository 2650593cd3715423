import type { RecordedRun } from '../../formats/record.ts';
import { contextTokens } from '../../insight/session/contextTokens.ts';
import { estimate, runResult, type LedgerOptions } from '../../insight/ledger/ledger.ts';
import { addModels } from '../../insight/ledger/modelUsage.ts';
import { addCosts, usdOf } from '../../insight/ledger/money.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { ResultMetadata, RunResult } from '../../model/session/result.ts';
import type { SessionSummary, SyntheticCounts } from '../../model/session/summary.ts';
import { addUsage, type ModelUsage } from '../../model/usage/usage.ts';

export interface FiguresContext {
  /** Results of the session's earlier runs, oldest first. */
  readonly previous: readonly ResultMetadata[];
  /** A new conversation restarts the agent's counters, but not the session's. */
  readonly isNewConversation: boolean;
  readonly prices: PriceTable;
  readonly agentVersion: string | null;
  /** Model that the user selected for this run. */
  readonly askedModel: string | null;
}

interface Estimate extends Models {
  readonly change: Partial<SessionSummary>;
}

/** Usage by model, of a run and of its session. */
export interface Models {
  readonly models: readonly ModelUsage[];
  readonly totalModels: readonly ModelUsage[];
}

/** Result of a run, including the session's totals. */
export function resultOf(facts: RunFacts, exit: ExitInfo, context: FiguresContext): RunResult {
  const { previous, isNewConversation: isNewConversation } = context;
  const result = runResult(facts, exit, isNewConversation ? [] : previous, options(context));
  const last = previous.at(-1);
  if (!isNewConversation || last === undefined || result.metadata === undefined) return result;
  const own = result.metadata;
  const totalCost = addCosts(last.totalCostProvenance, own.costProvenance);
  const metadata: ResultMetadata = {
    ...own,
    totalCost: usdOf(totalCost),
    totalCostProvenance: totalCost,
    totalUsage: addUsage(last.totalUsage, own.usage),
    totalModels: addModels(last.totalModels, own.models),
    turns: own.turns === null || last.turns === null ? own.turns : own.turns + last.turns,
  };
  return { ...result, metadata };
}

/** The same during the run; `models` and `totalModels` are not part of summaries. */
export function estimateOf(facts: RunFacts, context: FiguresContext): Estimate {
  const { previous, isNewConversation: isNewConversation } = context;
  const figures = estimate(facts, isNewConversation ? [] : previous, options(context));
  const last = isNewConversation ? previous.at(-1) : undefined;
  const change = {
    ...reportedFigures(facts),
    cost: figures.cost,
    total_cost: last === undefined ? figures.totalCost : addCosts(last.totalCostProvenance, figures.cost),
    usage: figures.usage,
    total_usage: last === undefined ? figures.totalUsage : addUsage(last.totalUsage, figures.usage),
  };
  const { models, totalModels } = figures;
  return { change, models, totalModels: last === undefined ? totalModels : addModels(last.totalModels, models) };
}

/** Fields for lists and headers from the result of `run`. */
export function summaryOf(
  metadata: ResultMetadata,
  { synthetic = noSynthetic }: Pick<SessionSummary, 'synthetic'>,
  run: Pick<RecordedRun, 'synthetic'>,
): Partial<SessionSummary> {
  const { models, model, runTurns } = metadata;
  const window = (models.find((candidate) => candidate.model === model) ?? models[0])?.contextWindow;
  return {
    turns: metadata.turns,
    ...(run.synthetic === true && { synthetic: { ...synthetic, turns: synthetic.turns + (runTurns ?? 0) } }),
    cost: metadata.costProvenance,
    total_cost: metadata.totalCostProvenance,
    usage: metadata.usage,
    total_usage: metadata.totalUsage,
    duration: metadata.duration,
    api_duration: metadata.apiDuration,
    ...(model === null ? {} : { model }),
    ...(window === undefined ? {} : { context_window: window }),
  };
}

/** Summary of a session in which a run starts. The prompt may be automatic. */
export function startedSummary(
  { runs, synthetic = noSynthetic }: SessionSummary,
  run: RecordedRun,
): Partial<SessionSummary> {
  const { messages, runs: syntheticRuns } = synthetic;
  const counted = { synthetic: { ...synthetic, messages: messages + 1, runs: syntheticRuns + 1 } };
  return { runs: runs + 1, ...(run.synthetic === true && counted), outcome: 'none', reason: undefined };
}

const noSynthetic: SyntheticCounts = { messages: 0, runs: 0, turns: 0 };

/** Tool calls as recorded for a run: main conversation, and subagents if there are any. */
export interface RunSteps {
  readonly steps: number;
  readonly subagent_steps?: number;
}

export const noSteps: RunSteps = { steps: 0 };

/** `steps` plus the tool calls in `entries`. */
export function addSteps(
  { steps, subagent_steps: others = 0 }: RunSteps,
  entries: readonly NormalizedEntry[],
): RunSteps {
  const calls = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
  const own = calls.filter(({ parentCallId }) => parentCallId === undefined).length;
  const ofSubagents = others + calls.length - own;
  return { steps: steps + own, ...(ofSubagents > 0 && { subagent_steps: ofSubagents }) };
}

/** Facts that the agent has reported so far. */
export function reportedFigures(facts: RunFacts): Partial<SessionSummary> {
  const { model, agentVersion, permissionMode } = facts;
  const tokens = contextTokens(facts);
  return {
    ...(tokens === null ? {} : { context_tokens: tokens }),
    ...(model === null ? {} : { model }),
    ...(agentVersion === null ? {} : { agent_version: agentVersion }),
    ...(permissionMode === null ? {} : { permission_mode: permissionMode }),
  };
}

function options({ prices, agentVersion, askedModel }: FiguresContext): LedgerOptions {
  return { prices, agentVersion, askedModel };
}
