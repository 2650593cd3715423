import * as z from 'zod';
import { entryMetadataSchema } from './metadata.ts';
import { toolUseSchema } from './tool.ts';

/** Who caused a message. Depends on what wrote it, never on its text. */
export const originSchema = z.enum([
  'human',
  'follow_up',
  'callback',
  'subagent',
  'hook',
  'skill',
  'compaction',
  'replay',
  'system',
]);
export type Origin = z.infer<typeof originSchema>;

export const entryTypeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('system_message'), subtype: z.string().optional() }),
  z.object({ kind: z.literal('user_message') }),
  z.object({ kind: z.literal('assistant_message') }),
  z.object({ kind: z.literal('thinking'), reasoning: z.string().optional() }),
  z.object({ kind: z.literal('tool_use'), tool: toolUseSchema }),
  z.object({
    kind: z.literal('error'),
    error: z.object({ message: z.string(), code: z.string().optional(), stack: z.string().optional() }),
  }),
]);
export type EntryType = z.infer<typeof entryTypeSchema>;

/**
 * One item of the transcript. `index` counts from 0 in the session and continues over resumes. `timestamp` is ISO 8601: the
 * event's own time if the agent printed one, else the arrival. `content` is Markdown for people.
 */
export const normalizedEntrySchema = z.object({
  index: z.number().int().nonnegative(),
  timestamp: z.string(),
  type: entryTypeSchema,
  content: z.string(),
  metadata: entryMetadataSchema.optional(),
  origin: originSchema.optional(),
});
export type NormalizedEntry = z.infer<typeof normalizedEntrySchema>;

/**
 * A change to the transcript. `put` adds the entry with that index or replaces it; `open` entries will still change (text is
 * streaming, a tool is running). `append` grows the content of an open entry; for `thinking` also its `reasoning`.
 */
export type EntryUpdate =
  | { readonly op: 'put'; readonly entry: NormalizedEntry; readonly open?: boolean }
  | { readonly op: 'append'; readonly index: number; readonly text: string };
