import type { StoreFacts, StoreRequest } from '../../model/session/observed.ts';
import { subtractUsage, type Cost, type ModelUsage } from '../../model/usage/usage.ts';
import { estimateRequests } from '../ledger/figures.ts';
import { addModels, subtractModels, sumUsage } from '../ledger/modelUsage.ts';
import { addUsd, joinReasons, unknownCost } from '../ledger/money.ts';
import { isEmptyUsage, priceTableRef, type PriceTable } from '../prices/prices.ts';
import type { SessionShare } from './countOnce.ts';

const unnamed = 'unknown';

/** Tokens by model. */
export function modelsOf(requests: readonly StoreRequest[]): ModelUsage[] {
  return requests.reduce<ModelUsage[]>(
    (sums, { model, usage }) => addModels(sums, [{ model: model ?? unnamed, ...usage }]),
    [],
  );
}

/**
 * Cost of a session: the agent's own figure if it covers exactly what the session used, else an estimate. Excludes requests
 * copied from another session.
 */
export function observedCost(facts: StoreFacts, share: SessionShare, prices: PriceTable): Cost {
  const { cost, missing } = facts;
  const priced = share.requests.filter(({ usd }) => usd !== undefined);
  if (cost === null && priced.length > 0 && priced.length === share.requests.length) {
    const usd = priced.reduce((sum, request) => addUsd(sum, request.usd ?? 0), 0);
    return missing.length === 0 ? { provenance: 'reported', usd } : partialCost(usd, missing, prices);
  }
  // The agent's figure for a fork includes the cost of its history.
  if (cost === null || share.inherited.length > 0) {
    if (share.requests.every(({ usage }) => isEmptyUsage(usage))) return unknownCost(missingTokensReason(facts, share));
    return asLowerBound(estimateRequests(share.requests, prices), missing);
  }
  const later = share.requests.filter(({ key }) => cost.later.includes(key));
  const coveredModels = modelsOf(share.requests.filter(({ key }) => !cost.later.includes(key)));
  const uncoveredModels =
    cost.models.length === 0 ? [] : subtractModels(plainModels(coveredModels), plainModels(cost.models));
  const uncounted = uncoveredModels.filter((usage) => !isEmptyUsage(usage));
  if (later.length === 0 && uncounted.length === 0) return { provenance: 'reported', usd: cost.usd };
  const rest = estimateRequests([...later, ...uncounted.map(({ model, ...usage }) => ({ model, usage }))], prices);
  const own = `The agent's figure of $${cost.usd} does not include requests from an interrupted run.`;
  if (rest.provenance !== 'estimated') {
    return { ...partialCost(cost.usd, [own], prices), reason: `At least this much. ${own}` };
  }
  return {
    ...rest,
    usd: addUsd(cost.usd, rest.usd),
    reason: joinReasons([`${own} They are estimated.`, rest.reason]) ?? own,
  };
}

/** Tokens only, and model names without the context mark, so that one model is not counted as two. */
function plainModels(models: readonly ModelUsage[]): ModelUsage[] {
  const plain = models.map((model) => ({ ...subtractUsage(model, {}), model: model.model.replace(/\[[^\]]*\]$/, '') }));
  return addModels([], plain);
}

function asLowerBound(cost: Cost, missing: readonly string[]): Cost {
  if (cost.provenance !== 'estimated' || missing.length === 0) return cost;
  return {
    ...cost,
    reason: joinReasons([cost.reason, `At least this much. ${missing.join(' ')}`]) ?? missing.join(' '),
  };
}

function partialCost(usd: number, missing: readonly string[], prices: PriceTable): Cost & { provenance: 'estimated' } {
  const reason = `At least this much. ${missing.join(' ')}`;
  return { provenance: 'estimated', usd, priceTable: priceTableRef(prices), reason };
}

function missingTokensReason({ missing, prompts }: StoreFacts, share: SessionShare): string {
  if (missing.length > 0) return missing.join(' ');
  if (share.inherited.length > 0) return 'No requests since the session was forked.';
  return prompts.length === 0 ? 'No requests yet.' : 'The store has no token counts for this session.';
}

export function usageOf(requests: readonly StoreRequest[]): ReturnType<typeof sumUsage> {
  return sumUsage(requests.map(({ usage }) => usage));
}
