import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { RaceGit } from './raceGit.ts';

/** All files of a work tree except ignored ones, as a tree. Changes neither the work tree nor its index. */
export async function treeOfWorktree(git: RaceGit, temporary: string): Promise<string> {
  const index = path.join(temporary, 'index');
  const own = (await git.run(['rev-parse', '--git-path', 'index'])).trim();
  // The sizes and times in it spare git from reading every file.
  await copyFile(path.resolve(git.folder, own), index).catch(() => undefined);
  await git.run(['add', '--all', '--', '.'], { index });
  return (await git.run(['write-tree'], { index })).trim();
}

/** The tree of a commit with these files as they are in the work tree. */
export async function treeWithFiles(
  git: RaceGit,
  temporary: string,
  { base, files }: { readonly base: string; readonly files: readonly string[] },
): Promise<string> {
  const index = path.join(temporary, 'index-files');
  await git.run(['read-tree', base], { index });
  await git.runFor(['update-index', '--add', '--remove'], files, { index });
  return (await git.run(['write-tree'], { index })).trim();
}

/** Paths that differ between two trees or commits. */
export async function changedPaths(git: RaceGit, from: string, to: string): Promise<string[]> {
  return nulFields(await git.run(['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to]));
}

export function nulFields(output: string): string[] {
  return output.split('\0').filter((field) => field !== '');
}

/** Writes a patch, which keeps bytes that are not text. */
export async function writePatch(git: RaceGit, from: string, to: string, file: string): Promise<void> {
  const form = ['--binary', '--full-index', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'];
  await git.run(['diff-tree', '-r', '-p', ...form, `--output=${file}`, from, to]);
}
