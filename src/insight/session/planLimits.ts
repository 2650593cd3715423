import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isObject } from '../../model/text/json.ts';
import type { PlanLimit } from '../../model/usage/planLimit.ts';

/** More than any agent has; an imported record may contain anything. */
const maxLimits = 12;
const longestName = 40;

/** The newest limits of the user's plan that the agent reported in a session. */
export class PlanLimits {
  readonly #limits = new Map<string, { readonly index: number; readonly limit: PlanLimit }>();

  /** Call for every entry, and again when it changes. */
  add({ index, metadata }: Pick<NormalizedEntry, 'index' | 'metadata'>): void {
    const reported: unknown = metadata?.['planLimits'];
    if (!Array.isArray(reported)) return;
    for (const limit of reported.slice(0, maxLimits).flatMap(limitOf)) {
      const known = this.#limits.get(limit.name);
      if (known === undefined ? this.#limits.size < maxLimits : known.index <= index)
        this.#limits.set(limit.name, { index, limit });
    }
  }

  /** Omits limits that were reset before `now` (epoch milliseconds), because their usage no longer counts. */
  at(now: number): PlanLimit[] {
    return [...this.#limits.values()]
      .map(({ limit }) => limit)
      .filter(({ resetsAt }) => resetsAt === undefined || Date.parse(resetsAt) > now);
  }
}

function limitOf(value: unknown): PlanLimit[] {
  if (!isObject(value)) return [];
  const { name, usedPercent: used, resetsAt } = value;
  if (typeof name !== 'string' || name === '' || name.length > longestName) return [];
  const isTime = typeof resetsAt === 'string' && !Number.isNaN(Date.parse(resetsAt));
  return [{ name, ...(typeof used === 'number' && { usedPercent: used }), ...(isTime && { resetsAt }) }];
}
