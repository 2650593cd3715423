import { addCost, noCosts } from '../../insight/ledger/money.ts';
import { createDescendantsFinder } from '../../insight/session/descendants.ts';
import type { CostSum } from '../../model/usage/usage.ts';
import type { SessionRow } from './sessionRow.ts';

/** Total cost of a session and its child sessions. */
export interface Family {
  /** Number of child sessions, at any depth. */
  readonly count: number;
  readonly cost: CostSum;
}

/** By session; `undefined` without child sessions. Recordings cost nothing. */
export function createFamilyFinder(all: readonly SessionRow[]): (row: SessionRow) => Family | undefined {
  const below = createDescendantsFinder(all);
  return (row) => {
    const children = below(row.session_id).filter(({ recording }) => !recording);
    if (children.length === 0) return undefined;
    return {
      count: children.length,
      cost: [row, ...children].map((member) => member.total_cost).reduce(addCost, noCosts),
    };
  };
}
