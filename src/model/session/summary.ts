import * as z from 'zod';
import { budgetAlertsSchema } from '../usage/budget.ts';
import { observedStateSchema } from '../observedState.ts';
import { sessionSchema } from './session.ts';
import { shareSchema } from './share.ts';
import { costSchema, tokenUsageSchema } from '../usage/usage.ts';

/** How the last run ended, for people: `interrupted` if no one recorded its end. */
export const outcomeSchema = z.enum(['none', 'completed', 'failed', 'stopped', 'interrupted']);
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * The automatic part of a session's counts: messages, runs that began with one, and the turns of those runs. Absent: none.
 */
const syntheticCountsSchema = z.object({
  messages: z.int().nonnegative(),
  runs: z.int().nonnegative(),
  turns: z.int().nonnegative(),
});
export type SyntheticCounts = z.infer<typeof syntheticCountsSchema>;

/** Whose session it is, on which machine it ran, and how much of it the team can see. */
export const sharedStateSchema = z.object({
  member: z.string(),
  hostname: z.string(),
  share: shareSchema,
  /** The member of this store asked for the run, and can answer its requests. */
  requested: z.literal(true).exactOptional(),
});
export type TeamShare = z.infer<typeof sharedStateSchema>;

/** What lists and headers show of a session, without reading its entries. Money in US dollars, durations in ms. */
export const sessionSummarySchema = sessionSchema.extend({
  agent_label: z.string(),
  agent_version: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  permission_mode: z.string().nullable().default(null),
  /** First prompt, cut to 200 characters. */
  prompt: z.string(),
  outcome: outcomeSchema.default('none'),
  /** Why the last run failed or stopped, one line. */
  reason: z.string().optional(),
  runs: z.number().int(),
  entries: z.number().int(),
  turns: z.number().int().nullable().default(null),
  synthetic: syntheticCountsSchema.optional(),
  cost: costSchema,
  total_cost: costSchema,
  usage: tokenUsageSchema.default({}),
  total_usage: tokenUsageSchema.default({}),
  duration: z.number().nullable().default(null),
  api_duration: z.number().nullable().default(null),
  context_window: z.number().nullable().default(null),
  /** Tokens of the conversation after its newest answer; absent if the agent does not report them. */
  context_tokens: z.number().int().nonnegative().optional(),
  /** Unknown and damaged lines of output over all runs. */
  unknown_lines: z.number().int().optional(),
  malformed_lines: z.number().int().optional(),
  /** Limits that are near or ended the last run; absent if none. */
  budget: budgetAlertsSchema.optional(),
  /** Requests that wait for a person, and since when the oldest one does. */
  needs_you: z.object({ count: z.number().int().positive(), since: z.string(), title: z.string() }).optional(),
  updated_at: z.string(),
  /** Played from a recording, without a live agent. */
  recording: z.boolean().default(false),
  /** Set for sessions from other programs, which are read from their own stores. */
  observed: observedStateSchema.optional(),
  /** Set for sessions of other team members, which are read from its database. */
  shared: sharedStateSchema.optional(),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;
