export const budgetUnits = ['usd', 'tokens', 'turns', 'minutes'] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/**
 * What a limit counts: one message and what the agent does about it; one run; a session; a session with all descendants of
 * its root; a calendar day; one agent on a calendar day; a workspace folder, ever.
 */
export const budgetScopes = ['message', 'run', 'session', 'tree', 'day', 'agent', 'workspace'] as const;
export type BudgetScope = (typeof budgetScopes)[number];
