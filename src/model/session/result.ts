import * as z from 'zod';
import { reachedLimitSchema } from '../usage/budget.ts';
import { costSchema, modelUsageSchema, tokenUsageSchema } from '../usage/usage.ts';

export const resultEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('content'), text: z.string(), timestamp: z.number() }),
  z.object({
    type: z.literal('tool_use'),
    tool: z.string(),
    input: z.unknown(),
    id: z.string(),
    timestamp: z.number(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool: z.string(),
    output: z.unknown(),
    id: z.string(),
    timestamp: z.number(),
  }),
]);
export type ResultEvent = z.infer<typeof resultEventSchema>;

/**
 * Figures of one run. `cost` is this run, `totalCost` the session so far, both in US dollars and with provenance;
 * `null` is unknown. `turns` counts the session, `runTurns` this run. Durations are milliseconds of this run.
 */
export const resultMetadataSchema = z.object({
  sessionId: z.string().nullable(),
  originalSessionId: z.string().nullable(),
  model: z.string().nullable(),
  /**
   * The model that a person chose for this or an earlier run. The model that answered is `model`, if the agent reports
   * it.
   */
  askedModel: z.string().optional(),
  cost: z.number().nullable(),
  totalCost: z.number().nullable(),
  turns: z.number().int().nullable(),
  runTurns: z.number().int().nullable(),
  duration: z.number().nullable(),
  apiDuration: z.number().nullable(),
  isMaxTurns: z.boolean(),
  isMaxBudget: z.boolean(),
  /** The limit that ended the run, if any: the session can continue. */
  budget: reachedLimitSchema.optional(),
  costProvenance: costSchema,
  totalCostProvenance: costSchema,
  /** Tokens of this run, subagents included. */
  usage: tokenUsageSchema,
  /**
   * `last_call`: tokens cover only the last model call of each turn. Absent: they cover all calls, as costs always do.
   */
  tokensOf: z.literal('last_call').optional(),
  /** Tokens of the session so far, subagents included. */
  totalUsage: tokenUsageSchema,
  /** This run by model. */
  models: z.array(modelUsageSchema),
  /** The session so far by model. */
  totalModels: z.array(modelUsageSchema),
  /** The agent's counters as last reported; the baseline for the next run of the session. */
  counters: z
    .object({
      scope: z.enum(['run', 'session']),
      usd: z.number().nullable(),
      turns: z.number().int().nullable(),
      turnsScope: z.enum(['run', 'session']).nullable(),
      apiDuration: z.number().nullable(),
      models: z.array(modelUsageSchema),
    })
    .nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** Why the run ended, in one word: `completed`, `max_turns`, `max_budget`, `interrupted`, `error`, … */
  endReason: z.string(),
  lines: z.object({
    total: z.number().int(),
    unknown: z.number().int(),
    malformed: z.number().int(),
    oversize: z.number().int(),
  }),
});
export type ResultMetadata = z.infer<typeof resultMetadataSchema>;

/** Number of bytes of a run that are missing from its record; `path` is the first file that could not be written. */
const unrecordedSchema = z.object({ path: z.string(), code: z.string(), bytes: z.number().int() });
export type Unrecorded = z.infer<typeof unrecordedSchema>;

/** Result of one run. `data` is the complete answer; `events` only if requested. */
export const runResultSchema = z.object({
  success: z.boolean(),
  data: z.string().optional(),
  error: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  /** Only if the record is incomplete. */
  unrecorded: unrecordedSchema.optional(),
  metadata: resultMetadataSchema.optional(),
  events: z.array(resultEventSchema).optional(),
});
export type RunResult = z.infer<typeof runResultSchema>;
