import * as z from 'zod';
import type { UsedUpBudget } from '../model/session/waiting.ts';
import type { Database } from './database/connection.ts';

export const budgetScopes = ['team', 'member', 'agent', 'project'] as const;
export const budgetPeriods = ['day', 'month'] as const;

interface TeamBudget {
  readonly scope: (typeof budgetScopes)[number];
  /** Name of the member or agent, or the folder; empty for the team. */
  readonly key: string;
  readonly period: (typeof budgetPeriods)[number];
}

const rowSchema = z.object({
  scope: z.enum(budgetScopes),
  key: z.string(),
  period: z.enum(budgetPeriods),
  limit_usd: z.coerce.number(),
  spent_usd: z.coerce.number(),
  set_by: z.string(),
});
type BudgetRow = z.infer<typeof rowSchema>;

/** Budgets with the amount spent in the current day or month (UTC). @throws errors of the database */
export async function listBudgets(database: Database): Promise<readonly BudgetRow[]> {
  const { rows } = await database.query(
    `SELECT b.scope, b.key, b.period, b.limit_usd, b.set_by, (
       SELECT coalesce(sum(s.usd), 0) FROM vitrine.spent AS s
       WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
         AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
     ) AS spent_usd
     FROM vitrine.budgets AS b ORDER BY b.scope, b.key, b.period`,
  );
  return rows.map((row) => rowSchema.parse(row));
}

/** Used-up budgets, which keep runs waiting. @throws errors of the database */
export async function usedUpBudgets(database: Database): Promise<readonly UsedUpBudget[]> {
  const budgets = await listBudgets(database);
  return budgets
    .filter(({ limit_usd, spent_usd }) => limit_usd <= spent_usd)
    .map(({ scope, key, period, limit_usd }) => ({ scope, key, period, limit_usd }));
}

/** `limit` in US dollars; `null` removes the budget. @throws errors of the database */
export async function setBudget(
  database: Database,
  { scope, key, period }: TeamBudget,
  limit: number | null,
): Promise<void> {
  await database.query('SELECT vitrine.set_budget($1, $2, $3, $4)', [scope, key, period, limit]);
}
