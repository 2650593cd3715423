import type { AgentOptions } from '../../agents/adapter.ts';
import { tightenLimits } from '../../insight/budgets/limits.ts';
import type { Limits } from '../../model/usage/budget.ts';

interface LimitedRequest {
  readonly options?: AgentOptions;
  readonly limits?: Limits;
}

/** Turns the limits in an agent's options into limits of the run, which Vitrine enforces even if the program cannot. */
export function parseLimits<T extends LimitedRequest>(request: T): T {
  const { maxTurns, maxBudgetUsd, ...options } = request.options ?? {};
  if (maxTurns === undefined && maxBudgetUsd === undefined) return request;
  const units = {
    ...(maxTurns !== undefined && { turns: maxTurns }),
    ...(maxBudgetUsd !== undefined && { usd: maxBudgetUsd }),
  };
  return { ...request, options, limits: tightenLimits(request.limits, units) };
}
