import { baseName, namedPath } from './pathNames.ts';

/** A file name in the output of a command or a search. */
export interface NamedInOutput {
  readonly path: string;
  /** 1-based; empty if only the file is named. */
  readonly lines: readonly number[];
}

/** Per output; the rest is ignored. */
const longest = 32 * 1024;
const maxPaths = 300;
const maxLines = 200;

const word = /(?:[\p{L}\p{N}\p{M}_@.+\-/\\~$:#%=]|(?<=\/)\[{1,2}[\w.-]{1,60}\]{1,2}(?=\/))+(?:\(\d{1,7}(?=[,)]))?/gu;

export function pathsIn(output: string): NamedInOutput[] {
  const found = new Map<string, Set<number>>();
  for (const [shown] of output.slice(0, longest).matchAll(word)) {
    if (!shown.includes('.') && !shown.includes('/')) continue;
    // `a.ts(3,5)` from compilers, `a.py:3:` and `a.ts:3:text` from searches.
    const plain = shown.replace(/\((\d+)$/, ':$1').replace(/[.:=%~-]+$/, '');
    const cut = /^((?:[A-Za-z]:)?[^:]+:\d{1,7}):/.exec(plain)?.[1] ?? plain;
    const named = namedPath(cut) ?? namedPath(/^((?:[A-Za-z]:)?[^:]+):/.exec(plain)?.[1] ?? '');
    if (named === undefined) continue;
    const lines = found.get(named.path) ?? new Set<number>();
    if (named.lines !== undefined && lines.size < maxLines) lines.add(named.lines[0]);
    found.set(named.path, lines);
    if (found.size >= maxPaths) break;
  }
  return [...found].map(([path, lines]) => ({ path, lines: [...lines] }));
}

/** File arguments of a command line. */
export function pathsInCommand(command: string): string[] {
  const words = command.split(/[\s'"`=(){}<>|;&,]+/).slice(0, 500);
  return words.flatMap((word) => {
    const named = namedPath(word);
    return named === undefined || baseName(named.path) === '' ? [] : [named.path];
  });
}
