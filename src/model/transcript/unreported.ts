import * as z from 'zod';

export const unreportedChangeSchema = z.object({
  /** Relative to the session's folder, with `/`; a repository inside it ends with `/`. */
  path: z.string(),
  kind: z.enum(['added', 'changed', 'deleted']),
  /** Reported edits changed it too, but their result differs from the file. */
  besides: z.boolean().optional(),
  /** For a file that became executable, or no longer is. `only`: its content is the same. */
  mode: z.object({ executable: z.boolean(), only: z.boolean() }).optional(),
});
export type UnreportedChange = z.infer<typeof unreportedChangeSchema>;

/**
 * Metadata (`unreported`) of the note with subtype `unreported_changes`, and of the record's decision of that type: files
 * that changed during a run without a tool call that reports it. Who changed them is unknown.
 */
export const unreportedChangesSchema = z.object({
  /** `git`: without ignored files. `files`: the folder was read, without folders of dependencies. */
  how: z.enum(['git', 'files']),
  changes: z.array(unreportedChangeSchema),
  /** Including those not listed. */
  total: z.number().int().nonnegative(),
  /** The checked-out commit, if it changed. */
  head: z.object({ before: z.string().nullable(), after: z.string().nullable() }).optional(),
});
export type UnreportedChanges = z.infer<typeof unreportedChangesSchema>;

export const unreportedSubtype = 'unreported_changes';
