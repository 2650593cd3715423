import { unchangedLines } from '../files/lineDiff.ts';

/** A file that is missing, as the session left it. */
export interface DeletedFile {
  readonly path: string;
  /** `null`: its text is not recorded. */
  readonly lines: readonly string[] | null;
  /** Whether everything recorded about it fits this text, for files whose text is not recorded. */
  readonly isConsistentWith?: (lines: readonly string[]) => boolean;
  /** Last entry that used it. */
  readonly last?: number;
}

/** A file that may be a missing one under a new name, as the session found it. */
export interface FoundFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** First entry that used it, if the record does not say that the file is new. */
  readonly since?: number;
  /** Whether the first edits of the file apply to this text. */
  readonly appliesTo?: (lines: readonly string[]) => boolean;
}

/** Share of lines that a renamed file still has, if the file is known to be new. */
const leastAlike = 0.5;
/** Pairs that are compared line by line. */
const maxPairs = 400;

/**
 * Finds new names of missing files by the content with which the session left them. Each found file matches at most
 * one of them: of several that match equally, the one that was used last.
 */
export function findRenames(files: readonly DeletedFile[], found: readonly FoundFile[]): Map<string, string> {
  const deletedFiles = files.toSorted((a, b) => (b.last ?? -1) - (a.last ?? -1));
  const renames = new Map<string, string>();
  const taken = new Set<string>();
  const pair = (from: DeletedFile, to: FoundFile): void => {
    if (renames.has(from.path) || taken.has(to.path)) return;
    renames.set(from.path, to.path);
    taken.add(to.path);
  };
  const byText = new Map<string, FoundFile[]>();
  for (const to of found) {
    const text = textOf(to.lines);
    byText.set(text, [...(byText.get(text) ?? []), to]);
  }
  for (const from of deletedFiles) {
    const text = from.lines === null ? '' : textOf(from.lines);
    const to = byText.get(text)?.find((file) => !taken.has(file.path) && isLater(file, from));
    if (text !== '' && to !== undefined) pair(from, to);
  }
  const similarFiles = deletedFiles
    .filter(({ path }) => !renames.has(path))
    .flatMap((from) => found.flatMap((to) => (taken.has(to.path) || !isLater(to, from) ? [] : [{ from, to }])))
    .slice(0, maxPairs)
    .map(({ from, to }) => ({ from, to, likeness: similarity(from, to) }))
    .filter(({ likeness: share }) => share >= leastAlike)
    .sort((a, b) => b.likeness - a.likeness);
  for (const { from, to } of similarFiles) pair(from, to);
  return renames;
}

/** A file that was used before the other one was used for the last time is another file. */
function isLater({ since }: FoundFile, { last }: DeletedFile): boolean {
  return since === undefined || (last !== undefined && since > last);
}

/** Empty lines say nothing. */
function textOf(lines: readonly string[]): string {
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** Share of common lines, 1 for the same text. */
function similarity({ lines, isConsistentWith }: DeletedFile, to: FoundFile): number {
  if (lines === null) return isConsistentWith?.(to.lines) === true ? 1 : 0;
  // The text of such a file must be the same.
  if (to.since !== undefined) return 0;
  if (to.appliesTo?.(lines) === true) return 1;
  const [one, other] = [lines, to.lines].map((list) => list.filter((line) => line.trim() !== ''));
  if (one === undefined || other === undefined || one.length === 0 || other.length === 0) return 0;
  const same = unchangedLines(one, other).reduce((count, at) => count + (at === -1 ? 0 : 1), 0);
  return same / Math.max(one.length, other.length);
}
