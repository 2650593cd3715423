import { EngineFailure } from '../failures/failures.ts';
import { quote, say } from '../failures/wording.ts';

/** Failures of races, for people. */
export const raceFailures = {
  gitMissing: () =>
    new EngineFailure('race_failed', {
      message: say`git was not found.`,
      detail: say`A race gives each agent a git worktree. Install git, or add it to the PATH.`,
    }),

  gitFailed: (command: string, why: string) =>
    new EngineFailure('race_failed', {
      message: say`git ${command} failed.`,
      detail: quote(why === '' ? `git ${command}` : why),
    }),

  notRepository: (folder: string) =>
    new EngineFailure('race_failed', {
      message: say`Not a git repository: ${folder}`,
      detail: say`A race gives each agent a git worktree. Run it in a repository with at least one commit.`,
    }),

  pathInvalid: (path: string) =>
    new EngineFailure('race_failed', {
      message: say`Not a path inside the repository: ${path}`,
      detail: say`Specify a file or folder in the repository, relative to its root.`,
    }),

  raceMissing: (id: string) =>
    new EngineFailure('race_failed', {
      message: say`Race not found: ${id}`,
      detail: say`See "vitrine race list" for all races.`,
    }),

  laneMissing: (name: string, known: readonly string[]) =>
    new EngineFailure('race_failed', {
      message: say`The race has no result "${name}".`,
      detail: say`Available: ${known.join(', ')}.`,
    }),

  stillRunning: (id: string) =>
    new EngineFailure('race_failed', {
      message: say`The race is still running: ${id}`,
      detail: say`Stop it first, or wait until it has finished.`,
    }),

  otherMachine: (hostname: string) =>
    new EngineFailure('race_failed', {
      message: say`The race was started on another machine: ${hostname}`,
      detail: say`Its worktrees are on that machine. Use Vitrine there.`,
    }),

  resultMissing: (name: string) =>
    new EngineFailure('race_failed', {
      message: say`The worktree of "${name}" was deleted.`,
      detail: say`Its session is still recorded.`,
    }),

  gitTooOld: () =>
    new EngineFailure('race_failed', {
      message: say`This version of git cannot merge without a work tree.`,
      detail: say`Applying a result as a patch needs git 2.38 or later. You can apply it as a branch instead.`,
    }),

  applyConflict: (files: readonly string[]) =>
    new EngineFailure('race_conflict', {
      message: say`The result conflicts with your files. Nothing was changed.`,
      detail: quote(files.join('\n')),
    }),

  nothingToUndo: () =>
    new EngineFailure('race_failed', {
      message: say`There is nothing to undo in this race.`,
      detail: say`No result was applied as a patch, or it was already undone.`,
    }),
};
