import * as z from 'zod';
import { demandsSchema } from './demands.ts';
import { runSchema } from './session.ts';

/** A limit of the team that is used up until its period ends. */
export const usedUpBudgetSchema = z.object({
  scope: z.enum(['team', 'member', 'agent', 'project']),
  /** Name of the member or agent, or the folder; empty for the team. */
  key: z.string(),
  period: z.enum(['day', 'month']),
  limit_usd: z.number(),
});
export type UsedUpBudget = z.infer<typeof usedUpBudgetSchema>;

/** Why a queued run was not taken yet. */
export const waitingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('no_runner') }),
  /** `offered`: what the online runners execute. */
  z.object({ kind: z.literal('executor'), executor_type: z.string(), offered: z.array(z.string()) }),
  /** Demands that no online runner of the executor meets; all demands if each is met, but not by the same runner. */
  z.object({ kind: z.literal('demands'), unmet: demandsSchema }),
  z.object({ kind: z.literal('folder'), folder: z.string() }),
  /** An earlier run of its session has not ended. */
  z.object({ kind: z.literal('session'), run_id: z.string() }),
  /** No runner takes it before the next day or month (UTC), or another limit. */
  z.object({ kind: z.literal('budget'), budget: usedUpBudgetSchema }),
  /** All runners that could take it are busy. */
  z.object({ kind: z.literal('busy'), runners: z.array(z.string()) }),
]);
export type WaitingReason = z.infer<typeof waitingSchema>;

/** A run in a list of the queue. `waiting` is absent if a runner can take it now, or has. */
export const listedRunSchema = runSchema.extend({
  executor_type: z.string().optional(),
  /** Runs with a higher number are taken first; default 0. */
  priority: z.int().optional(),
  waiting: waitingSchema.optional(),
  /** Member of the team who asked for it; absent: it is in this machine's queue. */
  requested_by: z.string().optional(),
});
export type ListedRun = z.infer<typeof listedRunSchema>;
