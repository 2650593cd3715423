import { namedPath } from '../citations/sources/pathNames.ts';

const longest = 256 * 1024;
const mostPaths = 1000;
const longestLine = 2000;

/**
 * The files that a search says it found: those that a line of its result is, or begins with and a line number follows. What
 * the lines of those files name is not among them.
 */
export function foundFiles(result: string): string[] {
  const found = new Set<string>();
  for (const line of result.slice(0, longest).split('\n')) {
    if (line.length > longestLine || found.size >= mostPaths) continue;
    const head = /^((?:[A-Za-z]:)?[^:]+)(?::\d{1,7}(?::|-|$)|$)/.exec(line.trim())?.[1];
    const named = head === undefined || /\s{2}|\s$/.test(head) ? undefined : namedPath(head);
    if (named !== undefined) found.add(named.path);
  }
  return [...found];
}
