import { keptLines } from '../files/lineDiff.ts';

export interface NamedText {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Share of lines that a renamed file still has. */
const leastAlike = 0.5;
/** Pairs that are compared. */
const mostPairs = 400;

/**
 * Finds new names of missing files by the content with which the session left them (`gone`). Each new file matches at
 * most one of them.
 */
export function findRenames(gone: readonly NamedText[], added: readonly NamedText[]): ReadonlyMap<string, string> {
  const pairs = gone
    .flatMap((from) => added.map((to) => ({ from, to })))
    .slice(0, mostPairs)
    .map(({ from, to }) => ({ from: from.path, to: to.path, alike: likeness(from.lines, to.lines) }))
    .filter(({ alike }) => alike >= leastAlike)
    .sort((a, b) => b.alike - a.alike);
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const { from, to } of pairs) {
    if (found.has(from) || taken.has(to)) continue;
    found.set(from, to);
    taken.add(to);
  }
  return found;
}

/** Share of common lines, 1 for the same text. Empty lines say nothing. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a, b].map((lines) => lines.filter((line) => line.trim() !== ''));
  if (one === undefined || other === undefined || one.length === 0 || other.length === 0) return 0;
  const same = keptLines(one, other).reduce((count, at) => count + (at === -1 ? 0 : 1), 0);
  return same / Math.max(one.length, other.length);
}
