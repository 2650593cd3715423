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

/** One step of what the agent did for a text. The range is as in a citation; without one, the whole text. */
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
 * Marks an automatic message. Only `true` does; anything else means that a person wrote it. A callback has a reason but no
 * type, because no trigger wrote it.
 */
export const syntheticSchema = z.object({
  synthetic: z.boolean().optional(),
  trigger_type: triggerTypeSchema.optional(),
  trigger_reason: z.string().optional(),
});

/**
 * Common metadata of an entry. `undefined` metadata: nothing is known yet. `null` in a standard field: the agent does not
 * support it. Other keys are the agent's own, documented in its README.
 */
export const entryMetadataSchema = z.looseObject({
  sessionId: z.string().nullish(),
  model: z.string().nullish(),
  parentCallId: z.string().optional(),
  ...syntheticSchema.shape,
  annotations: z.array(annotationSchema).optional(),
  /** When the first part of a streamed text or thought arrived, ISO 8601; the entry's own time is that of the last part. */
  startedAt: z.string().optional(),
  /** The original line, if it was not understood. */
  raw: z.string().optional(),
});
export type NormalizedEntryMetadata = z.infer<typeof entryMetadataSchema>;
