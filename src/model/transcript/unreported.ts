import * as z from 'zod';

export const unreportedChangeSchema = z.object({
  /** Relative to the session's folder, with `/`; of a repository below it with one at its end. */
  path: z.string(),
  kind: z.enum(['added', 'changed', 'deleted']),
  /** Reported edits changed it too, and what they come to is not what is there. */
  besides: z.boolean().optional(),
});
export type UnreportedChange = z.infer<typeof unreportedChangeSchema>;

/**
 * Metadata (`unreported`) of the note with subtype `unreported_changes`, and of the record's decision of that type: files
 * that changed during a run, and not by what its tool calls reported. Who changed them is not known.
 */
export const unreportedChangesSchema = z.object({
  /** `git`: ignored files were left out. `files`: the folder was read, without folders of dependencies. */
  how: z.enum(['git', 'files']),
  changes: z.array(unreportedChangeSchema),
  /** With those that are not listed. */
  total: z.number().int().nonnegative(),
  /** What is checked out, where that is another commit than before. */
  head: z.object({ before: z.string().nullable(), after: z.string().nullable() }).optional(),
});
export type UnreportedChanges = z.infer<typeof unreportedChangesSchema>;

export const unreportedSubtype = 'unreported_changes';
