import { EngineFailure } from '../failures/failures.ts';
import { quote, worded } from '../failures/wording.ts';

/** Failures of races, for people. */
export const raceFailures = {
  gitMissing: () =>
    new EngineFailure('race_failed', {
      message: worded`git was not found.`,
      detail: worded`A race gives each agent a git worktree. Install git, or add it to the PATH.`,
    }),

  gitFailed: (command: string, why: string) =>
    new EngineFailure('race_failed', {
      message: worded`git ${command} failed.`,
      detail: quote(why === '' ? `git ${command}` : why),
    }),

  notRepository: (folder: string) =>
    new EngineFailure('race_failed', {
      message: worded`Not a git repository: ${folder}`,
      detail: worded`A race gives each agent a git worktree. Run it in a repository with at least one commit.`,
    }),

  pathInvalid: (path: string) =>
    new EngineFailure('race_failed', {
      message: worded`Not a path inside the repository: ${path}`,
      detail: worded`Specify a path relative to the repository root.`,
    }),

  raceMissing: (id: string) =>
    new EngineFailure('race_failed', {
      message: worded`Race not found: ${id}`,
      detail: worded`See "vitrine race list" for all races.`,
    }),

  laneMissing: (name: string, known: readonly string[]) =>
    new EngineFailure('race_failed', {
      message: worded`The race has no result "${name}".`,
      detail: worded`Available: ${known.join(', ')}.`,
    }),

  stillRunning: (id: string) =>
    new EngineFailure('race_failed', {
      message: worded`The race is still running: ${id}`,
      detail: worded`Stop it first, or wait until it has finished.`,
    }),

  otherMachine: (hostname: string) =>
    new EngineFailure('race_failed', {
      message: worded`The race was started on another machine: ${hostname}`,
      detail: worded`Its worktrees are on that machine. Use Vitrine there.`,
    }),

  resultMissing: (name: string) =>
    new EngineFailure('race_failed', {
      message: worded`The worktree of "${name}" was deleted.`,
      detail: worded`The record of its session is kept.`,
    }),

  gitTooOld: () =>
    new EngineFailure('race_failed', {
      message: worded`This version of git cannot merge without a work tree.`,
      detail: worded`Applying a result as a patch needs git 2.38 or later. You can apply it as a branch instead.`,
    }),

  applyConflict: (files: readonly string[]) =>
    new EngineFailure('race_conflict', {
      message: worded`The result conflicts with your files. Nothing was changed.`,
      detail: quote(files.join('\n')),
    }),

  nothingToUndo: () =>
    new EngineFailure('race_failed', {
      message: worded`There is nothing to undo in this race.`,
      detail: worded`No result was applied as a patch, or it was already undone.`,
    }),
};
