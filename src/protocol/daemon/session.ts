import * as z from 'zod';
import { normalizedEntrySchema } from '../../model/transcript/entry.ts';
import { agentRequestSchema } from '../../model/agent/request.ts';
import { runResultSchema } from '../../model/session/result.ts';
import { runIdSchema } from '../../model/session/session.ts';
import { sessionSummarySchema } from '../../model/session/summary.ts';
import { modelUsageSchema, tokenUsageSchema } from '../../model/usage/usage.ts';
import { failureSchema } from './failure.ts';

const queuedSchema = z.object({ id: z.int(), text: z.string() });

/** See `Turn` of the model. */
const turnSchema = z.object({
  runId: z.string(),
  firstIndex: z.int().nonnegative(),
  status: z.enum(['running', 'completed', 'failed', 'stopped', 'interrupted']),
  startedAt: z.string(),
  durationMs: z.number().nullable(),
  steps: z.number(),
  usd: z.number().nullable(),
  costProvenance: z.enum(['reported', 'estimated', 'unknown']),
});

/** State of a followed session besides its entries. */
export const sessionStateSchema = z.object({
  summary: sessionSummarySchema,
  turns: z.array(turnSchema),
  total: z.int().nonnegative(),
  /** Indexes of entries that will still change. */
  open: z.array(z.int().nonnegative()),
  live: z.boolean(),
  /** Version of Vitrine whose daemon runs the session, if this daemon only passes on its updates. */
  other_version: z.string().exactOptional(),
  /** The agent supports a dialogue: it may ask, and may accept messages. */
  dialogue: z.boolean(),
  /** Whether the agent accepts messages now. */
  takesMessages: z.boolean(),
  requests: z.array(agentRequestSchema),
  queued: z.array(queuedSchema),
  /** Over all runs: bytes of output, and lines that were unknown or damaged. */
  sizes: z.object({ rawBytes: z.number(), unknownLines: z.number(), malformedLines: z.number() }),
  /** Damage found in the record, one line each. */
  problems: z.array(z.string()),
});
export type SessionSnapshot = z.infer<typeof sessionStateSchema>;

export const subscriptionSchema = z.int().positive();

/** Result of the last run, if it ran in this daemon and has ended. */
const endedRunSchema = z.object({ run_id: runIdSchema, result: runResultSchema });
export type EndedRun = z.infer<typeof endedRunSchema>;

/** Initial state of a subscription; `entries` are the open ones so far. */
export const followedSchema = z.object({
  subscription: subscriptionSchema,
  state: sessionStateSchema,
  entries: z.array(normalizedEntrySchema),
  ended: endedRunSchema.optional(),
});
export type FollowedState = z.infer<typeof followedSchema>;

const entryUpdateSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('put'), entry: normalizedEntrySchema, open: z.boolean().exactOptional() }),
  z.object({ op: z.literal('append'), index: z.int().nonnegative(), text: z.string() }),
]);

const noticeSchema = z.object({ severity: z.enum(['info', 'warning', 'error']), failure: failureSchema });
export type SessionNotice = z.infer<typeof noticeSchema>;

/**
 * Changes of a followed session since the last batch. The daemon sends the next batch after the client has answered, and
 * merges what happens in between. `seq` counts from 1. `gap`: more changed than fits; read the entries again from the first
 * missing index.
 */
export const updateSchema = z.object({
  subscription: subscriptionSchema,
  seq: z.int().positive(),
  updates: z.array(entryUpdateSchema),
  gap: z.boolean(),
  state: sessionStateSchema,
  notices: z.array(noticeSchema),
  ended: endedRunSchema.optional(),
});
export type SessionUpdate = z.infer<typeof updateSchema>;

/** See `SessionLedger` of the engine. */
export const ledgerSchema = z.object({
  models: z.array(modelUsageSchema).nullable(),
  totalModels: z.array(modelUsageSchema).nullable(),
  runTurns: z.number().nullable(),
  duration: z.number().nullable(),
  apiDuration: z.number().nullable(),
  tokensOf: z.literal('last_call').optional(),
});

/** Usage of one model response; see `RunMessage` of the engine. */
export const runMessageSchema = z.object({
  runId: z.string(),
  messageId: z.string(),
  model: z.string().nullable(),
  usage: tokenUsageSchema,
  parentCallId: z.string().nullable(),
  settled: z.boolean(),
  terms: z.array(z.string()).readonly().optional(),
  entries: z.array(z.number()).readonly().optional(),
});
