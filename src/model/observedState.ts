import * as z from 'zod';
import { observedAgents } from './session/observed.ts';
import { costSchema, tokenUsageSchema } from './usage/usage.ts';

/** State of an agent, its source, and since when (ISO 8601; `null` if unknown). */
export const liveStateSchema = z.object({
  state: z.enum(['running', 'waiting_for_permission', 'waiting_for_you', 'idle', 'ended']),
  since: z.string().nullable(),
  /** Source of the state: a file that the agent keeps about its process, a lock, or only the last record. */
  source: z.enum(['process', 'lock', 'record', 'own']),
  pid: z.int().exactOptional(),
});
export type LiveState = z.infer<typeof liveStateSchema>;

/** What a session used on the last calendar day (`2026-11-21`) on which it asked a model; absent if it never did. */
const lastDaySchema = z.object({ date: z.string(), cost: costSchema, usage: tokenUsageSchema });
export type LastDay = z.infer<typeof lastDaySchema>;

/** Fields that only sessions from other programs have. */
export const observedStateSchema = z.object({
  agent: z.enum(observedAgents),
  /** Absolute path of the main file. */
  path: z.string(),
  live: liveStateSchema,
  entry_point: z.enum(['terminal', 'sdk', 'chat']).nullable(),
  /** The last git branch. */
  branch: z.string().nullable(),
  tool_calls: z.int().nonnegative(),
  /** Why more tokens were billed than the store has; `null` if nothing is known to be missing. */
  usage_reason: z.string().nullable(),
  last_day: lastDaySchema.exactOptional(),
  /** Why Vitrine cannot read all of it. */
  problem: z.string().nullable(),
});
export type ObservedState = z.infer<typeof observedStateSchema>;
