import * as z from 'zod';
import { budgetScopes, budgetUnits, type BudgetScope } from './budgetNames.ts';

/**
 * At most so much: US dollars; tokens (input, output and cache); responses of the model in the main conversation; minutes
 * in which the agent was running, those not counted in which it waited for a person.
 */
export interface Limits {
  readonly usd?: number;
  readonly tokens?: number;
  readonly turns?: number;
  readonly minutes?: number;
}

export interface Budgets extends Readonly<Partial<Record<BudgetScope, Limits>>> {
  /** Of single agents, by executor, besides `agent`, which is that of each. */
  readonly agents?: Readonly<Record<string, Limits>>;
}

/** One limit; `key` is what it counts for: an id of a session or run, a day, an agent on a day, a folder. */
export const boundSchema = z.object({
  scope: z.enum(budgetScopes),
  unit: z.enum(budgetUnits),
  key: z.string(),
  limit: z.number().positive(),
});
export type Bound = z.infer<typeof boundSchema>;

/** How far a limit is used up. */
export const budgetStatusSchema = boundSchema.extend({ spent: z.number().nonnegative() });
export type BudgetStatus = z.infer<typeof budgetStatusSchema>;

/** A limit that ended a run; `agent`: by its own flag, it ended on its own. */
export const reachedSchema = budgetStatusSchema.extend({ by: z.enum(['vitrine', 'agent']), at: z.string() });
export type ReachedLimit = z.infer<typeof reachedSchema>;

/** What lists and headers show of budgets; the limit that is used up most. */
export const budgetStateSchema = z.object({
  near: budgetStatusSchema.optional(),
  reached: reachedSchema.optional(),
  /** Why limits in US dollars hold nothing: a sentence. */
  unheld: z.string().optional(),
});
export type BudgetState = z.infer<typeof budgetStateSchema>;
