import * as z from 'zod';

/** Attributes a range of the entry's text (`start_index` inclusive, `end_index` exclusive) to a source. */
export const citationSchema = z.object({
  kind: z.literal('citation'),
  start_index: z.number().int().nonnegative().nullish(),
  end_index: z.number().int().nonnegative().nullish(),
  url: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
});
export type Citation = z.infer<typeof citationSchema>;

/** One step of what the agent did for the text that it belongs to. The range is that of a citation; without it, all of the text. */
export const trajectorySchema = z.object({
  kind: z.literal('trajectory'),
  message: z.string().nullish(),
  tool_name: z.string().nullish(),
  tool_input: z.record(z.string(), z.unknown()).nullish(),
  tool_output: z.record(z.string(), z.unknown()).nullish(),
  start_index: z.number().int().nonnegative().nullish(),
  end_index: z.number().int().nonnegative().nullish(),
});
export type Trajectory = z.infer<typeof trajectorySchema>;

export const annotationSchema = z.discriminatedUnion('kind', [citationSchema, trajectorySchema]);

export const triggerTypes = ['check_in', 'question_unanswered', 'task_incomplete', 'waiting_for_decision'] as const;
export const triggerTypeSchema = z.enum(triggerTypes);
export type TriggerType = z.infer<typeof triggerTypeSchema>;

/**
 * Marks an automatic message. Only `true` marks it: without this, or with anything else, a person wrote it. A callback
 * has a reason and no type, which is for what a trigger wrote.
 */
export const syntheticSchema = z.object({
  synthetic: z.boolean().optional(),
  trigger_type: triggerTypeSchema.optional(),
  trigger_reason: z.string().optional(),
});

/**
 * Common metadata of an entry. `undefined` metadata: nothing is known yet. `null` in a standard field: this agent does
 * not support it. Further keys are the agent's own and documented in its README.
 */
export const entryMetadataSchema = z.looseObject({
  sessionId: z.string().nullish(),
  model: z.string().nullish(),
  parentCallId: z.string().optional(),
  ...syntheticSchema.shape,
  annotations: z.array(annotationSchema).optional(),
  /** Of a text or thought that came in parts: when the first came, ISO 8601; the entry's own time is then that of the last. */
  startedAt: z.string().optional(),
  /** The line as the agent printed it, where it was not understood. */
  raw: z.string().optional(),
});
export type NormalizedEntryMetadata = z.infer<typeof entryMetadataSchema>;
