import { EngineFailure } from '../failures/failures.ts';
import { worded } from '../failures/wording.ts';

export const restoreFailures = {
  gitMissing: () =>
    new EngineFailure('restore_failed', {
      message: worded`Restoring files needs git, which was not found on this machine.`,
      detail: worded`Install git and make sure that it is on the PATH. Vitrine then copies the files at each later prompt.`,
    }),

  noSnapshot: (entry: number) =>
    new EngineFailure('restore_failed', {
      message: worded`Vitrine has no copy of the files at entry ${entry}.`,
      detail: worded`Vitrine copies files at each prompt that it sends to an agent, and keeps the copies for 30 days. There is no copy if the folder was too large, or if git was missing.`,
    }),

  nothingToUndo: () =>
    new EngineFailure('restore_failed', {
      message: worded`This session has no restore to undo.`,
      detail: worded`Vitrine keeps the copies that it made before a restore for 30 days.`,
    }),

  filesChanged: () =>
    new EngineFailure('restore_failed', {
      message: worded`The files changed since the preview. Nothing was restored.`,
      detail: worded`Review the changes again, then restore.`,
    }),

  folderInUse: (title: string) =>
    new EngineFailure('restore_failed', {
      message: worded`The session “${title}” is running in this folder. Nothing was restored.`,
      detail: worded`Stop it or wait until it ends, then restore.`,
    }),

  failed: (why: string) =>
    new EngineFailure('restore_failed', {
      message: worded`The files could not be compared with the copy: ${why}`,
      detail: worded`Look at the files that the message names. If it names none, no file was changed: try again.`,
    }),
};
