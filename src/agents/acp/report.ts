import type { RunReport } from '../../model/usage/facts.ts';
import { addUsage, subtractUsage, totalTokens, type ModelUsage, type TokenUsage } from '../../model/usage/usage.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import type { TurnEnd } from './wire.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

/** Stands for a model that the agent did not name. */
const unnamed = 'unknown';

export interface TurnOutcome {
  readonly end: TurnEnd | null;
  /** Why the turn failed; absent if it did not. */
  readonly error?: string | undefined;
  readonly text: string | null;
  readonly model: string | null;
  /** The turn had tool calls, and so more than one model call. */
  readonly hasCalledTools: boolean;
}

/** Results of the turns of one process, one closing figure each. */
export class Reports {
  /** Tokens accumulate in the process: the agent counts them from its start, not that of the turn. */
  readonly hasRunningTotals: () => boolean;
  readonly #reports: RunReport[] = [];
  #models: readonly ModelUsage[] = [];
  #previousUsage: TokenUsage = {};
  #usd: number | null = null;
  #contextWindow: number | undefined;
  #contextTokens: number | undefined;
  #hasCalledTools = false;

  constructor(hasRunningTotals: () => boolean) {
    this.hasRunningTotals = hasRunningTotals;
  }

  get count(): number {
    return this.#reports.length;
  }

  /** The cost of the conversation so far. */
  cost(usd: number | undefined): void {
    if (usd !== undefined) this.#usd = usd;
  }

  contextWindow(size: number | undefined): void {
    if (size !== undefined && size > 0) this.#contextWindow = size;
  }

  /** Input tokens of the last model call, cache included. */
  contextTokens(tokens: number | undefined): void {
    this.#contextTokens = tokens ?? this.#contextTokens;
  }

  turn({ end, error, text, model, hasCalledTools }: TurnOutcome): RunReport {
    const usage = end?.usage ?? null;
    const own = usage === null ? null : this.#usageSinceLast(usage);
    const models = end === null || end.models.length === 0 ? usageOfModel(own, model) : end.models;
    this.#models = models.reduce(add, this.#models);
    const report: RunReport = {
      ...emptyReport,
      isError: error !== undefined,
      subtype: subtypeOf(end?.stopReason, error !== undefined),
      text,
      errors: error === undefined ? [] : [error],
      terminalReason: end?.stopReason === 'cancelled' ? 'aborted' : (end?.stopReason ?? null),
      usage: own,
      models: this.#models,
      cover: { of: 'run', sure: true },
    };
    this.#hasCalledTools = hasCalledTools;
    this.#reports.push(report);
    return report;
  }

  /** Figures that arrive after the end of a turn belong to it: the newest cost, and the size of the window. */
  get all(): readonly RunReport[] {
    const window = this.#contextWindow;
    return this.#reports.map((report, at) => {
      const last = at === this.#reports.length - 1;
      const models =
        window === undefined ? report.models : report.models.map((model) => ({ ...model, contextWindow: window }));
      return {
        ...report,
        models,
        ...(last && this.#usd !== null && ({ usd: this.#usd, usdCover: 'session' } as const)),
        ...(last && this.#isOfLastCall(report) && ({ tokensOf: 'last_call' } as const)),
      };
    });
  }

  get usd(): number | null {
    return this.#usd;
  }

  /** A turn with tools had several model calls: their input together is more than the context of the last one. */
  #isOfLastCall({ usage }: RunReport): boolean {
    if (!this.#hasCalledTools || usage === null || this.#contextTokens === undefined) return false;
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = usage;
    const read = input + cacheRead;
    return read > 0 && [read, read + cacheWrite].includes(this.#contextTokens);
  }

  #usageSinceLast(usage: TokenUsage): TokenUsage {
    if (!this.hasRunningTotals()) return usage;
    const own = subtractUsage(usage, this.#previousUsage);
    this.#previousUsage = usage;
    return own;
  }
}

function usageOfModel(usage: TokenUsage | null, model: string | null): ModelUsage[] {
  return usage === null ? [] : [{ model: model ?? unnamed, ...usage }];
}

function add(models: readonly ModelUsage[], added: ModelUsage): readonly ModelUsage[] {
  const known = models.find(({ model }) => model === added.model);
  if (known === undefined) return [...models, added];
  return models.map((model) => (model === known ? { model: model.model, ...addUsage(model, added) } : model));
}

function subtypeOf(stopReason: string | undefined, failed: boolean): string {
  if (stopReason === 'max_turn_requests') return 'error_max_turns';
  return failed ? 'error' : 'success';
}

const titles = new Map([
  ['end_turn', 'Completed'],
  ['cancelled', 'Cancelled'],
  ['refusal', 'Refused'],
  ['max_tokens', 'Stopped at the token limit'],
  ['max_turn_requests', 'Stopped at the turn limit'],
]);

/** `Completed · 1,260 tokens`; the exact figures are in the entry's metadata. */
export function reportText({ isError, usage }: RunReport, stopReason: string | undefined): string {
  const title = (stopReason === undefined ? undefined : titles.get(stopReason)) ?? (isError ? 'Failed' : 'Completed');
  const shown = isError && title === 'Completed' ? 'Failed' : title;
  return usage === null ? shown : `${shown} · ${englishNumbers.count(totalTokens(usage))} tokens`;
}
