import { namedPath } from '../citations/sources/pathNames.ts';

const longest = 256 * 1024;
const maxPaths = 1000;
const longestLine = 2000;

/**
 * Files in the results of a search: lines that are a path, or begin with a path and a line number. File names inside matching
 * lines do not count.
 */
export function foundFiles(result: string): string[] {
  const found = new Set<string>();
  for (const line of result.slice(0, longest).split('\n')) {
    if (line.length > longestLine || found.size >= maxPaths) continue;
    const head = /^((?:[A-Za-z]:)?[^:]+)(?::\d{1,7}(?::|-|$)|$)/.exec(line.trim())?.[1];
    const named = head === undefined || /\s{2}|\s$/.test(head) ? undefined : namedPath(head);
    if (named !== undefined) found.add(named.path);
  }
  return [...found];
}
