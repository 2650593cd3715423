import { baseName, namedPath } from './pathNames.ts';
import { linesOfResult, plainLines, textBeforeOmission, type ResultLines } from './resultLines.ts';
import { isIncidentalCommand, shellParts, type ShellPart } from '../commands/shell.ts';
import type { LineRange } from '../types.ts';

/** A file that a command prints; `lines` are the printed ones, `null` if unknown. */
export interface CommandRead {
  readonly path: string;
  readonly lines: LineRange | null;
  /** The printed text, unless lines were omitted. */
  readonly shown: ResultLines;
}

const whole = /^(?:cat|nl|bat|less|more)((?: -\S+)*) ([^\s'"]+)$/;
const end = /^(head|tail)(?: (?:-n ?|-|--lines[= ])(\+?\d+))?(?: ([^\s'"]+))?$/;
const stretch = /^sed -n (['"]?)(\d+)(?:,(\d+))?p\1(?: ([^\s'"]+))?$/;

/**
 * The file that a shell line prints without anything else: `cat a.ts`, `sed -n '3,9p' a.ts`, `cd src && nl -ba a.ts | head
 * -40`. Otherwise `undefined`.
 */
export function parseCommandRead(line: string, output: string): CommandRead | undefined {
  const parts = shellParts(line);
  const loud = parts.filter(({ command }) => !isIncidentalCommand(command));
  const [first, filter, ...others] = loud;
  if (first === undefined || others.length > 0 || (filter !== undefined && filter.separator !== '|')) return undefined;
  const source = sourceOf(first.command);
  if (source === undefined) return undefined;
  const path = resolveInFolder(source.path, parts);
  if (path === undefined) return undefined;
  const from = filter === undefined ? source.from : selectLines(source.from, filter.command);
  const { text, cut } = textBeforeOmission(output);
  const isNumbered = loud.some(({ command }) => numbers.test(command));
  const shown = isNumbered ? linesOfResult(text, from?.[0] ?? 1) : plainLines(text, from?.[0] ?? 1);
  return { path, lines: from === null ? null : actualLines(shown, from, cut), shown };
}

const numbers = /^(?:nl|(?:cat|bat) (?:-\S+ )*-\w*n)\b/;

/** `nl` does not number blank lines by default. */
const skipsBlank = /^nl(?! (?:-\S+ )*-b ?a)/;

interface From {
  readonly path: string;
  /** The first and, if given, the last printed line; `null` if unknown. */
  readonly from: readonly [number, number] | null;
}

function sourceOf(command: string): From | undefined {
  const all = whole.exec(command)?.[2];
  if (all !== undefined) return fileOf(all, skipsBlank.test(command) ? null : [1, Infinity]);
  const [, which, , ofEnd] = end.exec(command) ?? [];
  if (which !== undefined && ofEnd !== undefined) return fileOf(ofEnd, selectLines([1, Infinity], command));
  const ofStretch = stretch.exec(command)?.[4];
  return ofStretch === undefined ? undefined : fileOf(ofStretch, selectLines([1, Infinity], command));
}

function fileOf(path: string, from: From['from']): From | undefined {
  const named = namedPath(path);
  return named === undefined || baseName(named.path) === '' ? undefined : { path: named.path, from };
}

/** The lines that remain after `head`, `tail` or `sed`. */
function selectLines(from: From['from'], command: string): From['from'] {
  if (from === null) return null;
  const [first, last] = from;
  const [, , low, high] = stretch.exec(command) ?? [];
  if (low !== undefined) return [first + Number(low) - 1, Math.min(last, first + Number(high ?? low) - 1)];
  const [, which, count = '10'] = end.exec(command) ?? [];
  if (which === 'head') return [first, Math.min(last, first + Number(count) - 1)];
  if (which === 'tail' && count.startsWith('+')) return [first + Number(count.slice(1)) - 1, last];
  // It counts its input from 1.
  if (numbers.test(command)) return first === 1 && !skipsBlank.test(command) ? from : null;
  return /^cat$/.test(command) ? from : null;
}

/** The actual lines, which may be fewer than requested. */
function actualLines(
  { first: start, lines }: ResultLines,
  [first, last]: readonly [number, number],
  cut: boolean,
): LineRange | null {
  // A single line instead of many is a message of the program, or a note of the record's author.
  if (cut || lines.length < 2) {
    if (last !== Infinity) return [first, last];
    return cut || lines.length === 0 ? null : [start, start];
  }
  return [start, Math.min(last, start + lines.length - 1)];
}

/** Relative to where the line started. */
function resolveInFolder(path: string, parts: readonly ShellPart[]): string | undefined {
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return path;
  const folders = parts.flatMap(({ command }) => /^cd (\S+)$/.exec(command)?.[1] ?? []);
  if (folders.some((folder) => /["'$~]|\.\./.test(folder))) return undefined;
  const from = folders.findLastIndex((folder) => folder.startsWith('/'));
  return [...folders.slice(Math.max(0, from)), path]
    .map((argument) => argument.replace(/^\.\//, '').replace(/\/+$/, ''))
    .join('/');
}
