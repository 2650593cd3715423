import * as z from 'zod';
import { budgetScopes, budgetUnits, type BudgetScope } from './budgetNames.ts';

/**
 * Upper limits: US dollars; tokens (input, output and cache); model responses in the main conversation; minutes of running
 * time without the time spent waiting for a person.
 */
export interface Limits {
  readonly usd?: number;
  readonly tokens?: number;
  readonly turns?: number;
  readonly minutes?: number;
}

export interface Budgets extends Readonly<Partial<Record<BudgetScope, Limits>>> {
  /** Limits of single agents, by executor; `agent` applies to each. */
  readonly agents?: Readonly<Record<string, Limits>>;
}

/** One limit; `key` is what it counts for: a session or run id, a day, an agent on a day, a folder. */
export const boundSchema = z.object({
  scope: z.enum(budgetScopes),
  unit: z.enum(budgetUnits),
  key: z.string(),
  limit: z.number().positive(),
});
export type Bound = z.infer<typeof boundSchema>;

/** One limit with its usage. */
export const budgetStatusSchema = boundSchema.extend({ spent: z.number().nonnegative() });
export type BudgetStatus = z.infer<typeof budgetStatusSchema>;

/** A limit that ended a run; `agent`: by its own flag, the run ended normally. */
export const reachedLimitSchema = budgetStatusSchema.extend({ by: z.enum(['vitrine', 'agent']), at: z.string() });
export type ReachedLimit = z.infer<typeof reachedLimitSchema>;

/** What lists and headers show of a session's budgets. */
export const budgetAlertsSchema = z.object({
  near: budgetStatusSchema.optional(),
  reached: reachedLimitSchema.optional(),
  /** Why limits in US dollars have no effect: a sentence. */
  unheld: z.string().optional(),
});
export type BudgetAlerts = z.infer<typeof budgetAlertsSchema>;
