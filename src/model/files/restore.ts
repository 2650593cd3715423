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
const restoreChangeSchema = z.object({
  path: z.string(),
  kind: z.enum(['changed', 'created', 'deleted']),
  /** Git's object names of the content before and after the restore; absent if the file does not exist. */
  before: z.string().exactOptional(),
  after: z.string().exactOptional(),
  /** Permissions of a file that is created, as for `chmod`. */
  permissions: z.int().nonnegative().exactOptional(),
  /** Only permissions change. */
  mode: z.literal(true).exactOptional(),
});
export type RestoreChange = Readonly<z.infer<typeof restoreChangeSchema>>;

/** A file that stays as it is, and why. */
const restoreSkipSchema = z.object({
  path: z.string(),
  why: z.enum(['ignored', 'tooLarge', 'notReadable', 'inTheWay']),
});
export type RestoreSkip = Readonly<z.infer<typeof restoreSkipSchema>>;

const changes = z.array(restoreChangeSchema).readonly();
const skipped = z.array(restoreSkipSchema).readonly();

export const restorePreviewSchema = z.object({
  folder: z.string(),
  /** Names the state of the folder that this preview describes. */
  now: z.string(),
  /** Time of the copy that will be restored, ISO 8601. */
  at: z.string(),
  changes,
  skipped,
});
export type RestorePreview = Readonly<z.infer<typeof restorePreviewSchema>>;

/** Result of a restore; `failed` lists files that could not be restored. */
export const restoredSchema = z.object({ changes, skipped, failed: z.array(z.string()).readonly() });
export type RestoreResult = Readonly<z.infer<typeof restoredSchema>>;

/** Restores the files as of a prompt, or as they were before the last restore (`undo`). */
export const restoreTargetSchema = z.union([
  z.object({ entry: z.int().nonnegative() }),
  z.object({ undo: z.literal(true) }),
]);
export type RestoreTarget = z.infer<typeof restoreTargetSchema>;
