import * as z from 'zod';

/** When Vitrine copied the files of a session's folder. */
export const restorePointSchema = z.object({
  /** Prompt with this index; for `end`, the number of entries when the run ended. */
  entry: z.int().nonnegative(),
  kind: z.enum(['prompt', 'end']),
  /** ISO 8601. */
  at: z.string(),
});
export type RestorePoint = z.infer<typeof restorePointSchema>;

/** What restoring does to one file. */
export interface RestoreChange {
  readonly path: string;
  readonly kind: 'changed' | 'created' | 'deleted';
  /** Git's names of the content now and after, without those of files that do not exist. */
  readonly before?: string;
  readonly after?: string;
  /** Only permissions change. */
  readonly mode?: true;
}

/** A file that stays as it is, and why. */
export interface RestoreSkip {
  readonly path: string;
  readonly why: 'ignored' | 'tooLarge' | 'notReadable' | 'inTheWay';
}

export interface RestorePreview {
  readonly folder: string;
  /** Names the state of the folder that this preview describes. */
  readonly now: string;
  /** Of the copy that will be restored, ISO 8601. */
  readonly at: string;
  readonly changes: readonly RestoreChange[];
  readonly skipped: readonly RestoreSkip[];
}

/** What was restored; `failed` lists files that differ from what they should be. */
export interface Restored {
  readonly changes: readonly RestoreChange[];
  readonly skipped: readonly RestoreSkip[];
  readonly failed: readonly string[];
}

/** To the files at a prompt, or as they were before the last restore (`undo`). */
export type RestoreTarget = { readonly entry: number } | { readonly undo: true };
