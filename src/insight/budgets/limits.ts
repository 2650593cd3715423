import type { Bound, Budgets, Limits } from '../../model/usage/budget.ts';
import { budgetScopes, budgetUnits, type BudgetScope, type BudgetUnit } from '../../model/usage/budgetNames.ts';
import { isObject } from '../../model/text/json.ts';

const whole: ReadonlySet<BudgetUnit> = new Set(['tokens', 'turns']);
const scopes: ReadonlySet<string> = new Set(budgetScopes);
const units: ReadonlySet<string> = new Set(budgetUnits);

/** Limits from settings. Invalid ones are left out and named in `problems`. */
export function parseBudgets(found: unknown): { readonly value: Budgets; readonly problems: readonly string[] } {
  if (found === undefined || found === null) return { value: {}, problems: [] };
  if (!isObject(found)) return { value: {}, problems: ['It is not an object.'] };
  const problems: string[] = [];
  const value = new Map<string, Limits | Record<string, Limits>>();
  for (const [name, setting] of Object.entries(found)) {
    if (scopes.has(name)) value.set(name, limitsOf(setting, name, problems));
    else if (name === 'agents' && isObject(setting)) {
      const agents = Object.entries(setting);
      const limits = agents.map(([type, settings]) => [type, limitsOf(settings, `agents.${type}`, problems)] as const);
      value.set(name, Object.fromEntries(limits));
    } else problems.push(`Unknown scope: "${name}".`);
  }
  return { value: Object.fromEntries(value), problems };
}

function limitsOf(setting: unknown, name: string, problems: string[]): Limits {
  if (!isObject(setting)) {
    problems.push(`"${name}" is not an object.`);
    return {};
  }
  const limits: Partial<Record<BudgetUnit, number>> = {};
  for (const [unit, limit] of Object.entries(setting)) {
    const known = budgetUnits.find((budgetUnit) => budgetUnit === unit);
    if (known === undefined || !units.has(unit)) problems.push(`Unknown unit: "${name}.${unit}".`);
    // Forms use 0 for "no limit".
    else if (limit === 0) continue;
    else if (typeof limit !== 'number' || !Number.isFinite(limit) || limit < 0)
      problems.push(`"${name}.${unit}" is not a number above 0.`);
    else limits[known] = whole.has(known) ? Math.max(1, Math.floor(limit)) : limit;
  }
  return limits;
}

/** The lower value of each limit: no one can raise what another has set. */
export function tightenLimits(a: Limits = {}, b: Limits = {}): Limits {
  const limits: Partial<Record<BudgetUnit, number>> = {};
  for (const unit of budgetUnits) {
    const both = [a[unit], b[unit]].filter((limit) => limit !== undefined);
    if (both.length > 0) limits[unit] = Math.min(...both);
  }
  return limits;
}

export function stricterBudgets(a: Budgets, b: Budgets): Budgets {
  const value: Partial<Record<BudgetScope, Limits>> = {};
  for (const scope of budgetScopes) {
    if (a[scope] !== undefined || b[scope] !== undefined) value[scope] = tightenLimits(a[scope], b[scope]);
  }
  const types = new Set([...Object.keys(a.agents ?? {}), ...Object.keys(b.agents ?? {})]);
  if (types.size === 0) return value;
  const agents = [...types].map((type) => [type, tightenLimits(a.agents?.[type], b.agents?.[type])] as const);
  return { ...value, agents: Object.fromEntries(agents) };
}

/** `keys`: what each scope counts for; scopes without one have no effect. `raises` are higher limits of single keys. */
export function boundsOf(
  budgets: Budgets,
  agent: string,
  keys: Readonly<Partial<Record<BudgetScope, string>>>,
  raises: readonly Bound[],
): Bound[] {
  return budgetScopes.flatMap((scope): Bound[] => {
    const key = keys[scope];
    if (key === undefined) return [];
    const limits = scope === 'agent' ? tightenLimits(budgets.agent, budgets.agents?.[agent]) : (budgets[scope] ?? {});
    return budgetUnits.flatMap((unit): Bound[] => {
      const limit = limits[unit];
      if (limit === undefined) return [];
      const raised = raises.filter((raise) => raise.scope === scope && raise.unit === unit && raise.key === key);
      return [{ scope, unit, key, limit: Math.max(limit, ...raised.map((status) => status.limit)) }];
    });
  });
}
