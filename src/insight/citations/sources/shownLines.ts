import { shellParts } from '../commands/shell.ts';
import type { LineRange } from '../types.ts';
import { namedPath } from './pathNames.ts';

/** Numbered lines of a file that a command showed. */
export interface ShownLines {
  readonly path: string;
  /** The purpose of the command, not a search result. */
  readonly isFile: boolean;
  /** Ascending. */
  readonly ranges: readonly LineRange[];
  readonly texts: ReadonlyMap<number, string>;
}

const longest = 32 * 1024;
const maxLines = 2000;
const maxFiles = 50;

const search = /^(?:grep|egrep|fgrep|rg|ag|ack|git grep)\b/;
const diff = /^git (?:-C \S+ |-c \S+ |--no-pager )*(?:diff|show|log|stash show)\b/;
const blame = /^git (?:-C \S+ |--no-pager )*blame\b/;

/** Numbered lines from searches, `git diff` and `git blame`. */
export function linesShownBy(line: string, output: string): ShownLines[] {
  const commands = shellParts(line).map(({ command }) => command);
  const found = new LinesByFile();
  const lines = output.slice(0, longest).split('\n', maxLines);
  const isFile = commands.some((command) => diff.test(command) || blame.test(command));
  if (commands.some((command) => diff.test(command))) addDiffLines(lines, found);
  const blameCommand = commands.find((command) => blame.test(command));
  if (blameCommand !== undefined) addBlameLines(blameCommand, lines, found);
  const searched = commands.find((command) => search.test(command));
  if (searched !== undefined) addSearchLines(searched, lines, found);
  return found.all().map((shown) => ({ ...shown, isFile }));
}

class LinesByFile {
  readonly #files = new Map<string, Map<number, string>>();

  add(path: string, line: number, text: string): void {
    const known = this.#files.get(path);
    if (known !== undefined) known.set(line, text);
    else if (this.#files.size < maxFiles) this.#files.set(path, new Map([[line, text]]));
  }

  all(): Omit<ShownLines, 'isFile'>[] {
    return [...this.#files].map(([path, texts]) => ({ path, ranges: rangesOf([...texts.keys()]), texts }));
  }
}

function rangesOf(lines: readonly number[]): LineRange[] {
  const ranges: [number, number][] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && line <= last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges;
}

/** The new side of each change. */
function addDiffLines(lines: readonly string[], found: LinesByFile): void {
  let path: string | undefined;
  let at = 0;
  for (const line of lines) {
    const file = /^\+\+\+ (?:b\/)?([^\t]+)/.exec(line)?.[1];
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)?.[1];
    if (file !== undefined) path = namedPath(file)?.path;
    else if (/^(?:diff --git |--- )/.test(line)) at = 0;
    else if (start !== undefined) at = Number(start);
    else if (path !== undefined && at > 0 && /^[ +]|^$/.test(line)) {
      found.add(path, at, line.slice(1));
      at += 1;
    }
  }
}

function addBlameLines(command: string, lines: readonly string[], found: LinesByFile): void {
  const path = findLastPath(command);
  if (path === undefined) return;
  for (const line of lines) {
    const [, number, text = ''] = /^\^?[0-9a-f]{7,40} [^\n]{0,200}?\s(\d{1,7})\) ?(.*)$/.exec(line) ?? [];
    if (number !== undefined) found.add(path, Number(number), text);
  }
}

/** `42:text` for a single file, `a.ts:42:text` and `a.ts-43-text` for several; a heading names the next file. */
function addSearchLines(command: string, lines: readonly string[], found: LinesByFile): void {
  let path = findPathInLastWord(command);
  for (const line of lines) {
    const [, number, text = ''] = /^(\d{1,7})[:-](.*)$/.exec(line) ?? [];
    if (number !== undefined) {
      if (path !== undefined) found.add(path, Number(number), text);
      continue;
    }
    const [, file = '', at, shown = ''] = /^((?:[A-Za-z]:)?[^\s:]{1,300}?)[:-](\d{1,7})[:-](.*)$/.exec(line) ?? [];
    const named = at === undefined ? undefined : namedPath(file);
    if (named !== undefined) found.add(named.path, Number(at), shown);
    else if (/^\S{1,300}$/.test(line)) path = namedPath(line)?.path ?? path;
  }
}

function pathsOf(command: string): string[] {
  return command.split(' ').flatMap((word) => {
    const named = /^-/.test(word) ? undefined : namedPath(word.replace(/^["']|["']$/g, ''));
    return named === undefined ? [] : [named.path];
  });
}

function findLastPath(command: string): string | undefined {
  return pathsOf(command).at(-1);
}

function findPathInLastWord(command: string): string | undefined {
  const last = pathsOf(command).at(-1);
  const word = command
    .split(' ')
    .filter((line) => !/^(?:-|\d?[<>])/.test(line))
    .at(-1);
  return last !== undefined && word?.includes(last) === true ? last : undefined;
}
