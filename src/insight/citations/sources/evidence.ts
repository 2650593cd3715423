import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { FileChange, ToolAction } from '../../../model/transcript/tool.ts';
import { parseCommandRead } from './commandReads.ts';
import { pathsIn } from './namedPaths.ts';
import { linesShownBy, type ShownLines } from './shownLines.ts';
import { linesOfResult, textBeforeOmission } from './resultLines.ts';
import type { Candidate, EvidenceLink, LineRange } from '../types.ts';
import { unwrapCommand } from '../commands/unwrapCommand.ts';

/** What a step shows for a claim, at its time. */
export interface Evidence {
  readonly entryIndex: number;
  readonly callId: string;
  readonly step: string;
  /** ISO 8601. */
  readonly at: string;
  readonly path: string | null;
  /** Line numbers of `originalText` in the file. */
  readonly lines: LineRange | null;
  /** Lines of a file, output or page as the step had them; `null` if the record does not have them. */
  readonly originalText: string | null;
  /** Hash of `originalText`; `null` if there is none. */
  readonly hash: string | null;
  /** More text precedes or follows. */
  readonly cut: boolean;
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly url: string | null;
  readonly title: string | null;
}

/** Context lines around the claimed ones. */
const around = 2;
const maxLines = 40;
const maxCharacters = 8 * 1024;
/** Lines of an output that are searched for file names. */
const maxSearched = 5000;

/** `entry` is the complete entry of the candidate; `hash` returns a content hash. */
export function evidenceOf(
  entry: NormalizedEntry,
  source: Candidate,
  link: Pick<EvidenceLink, 'lines'>,
  hash: (text: string) => string,
): Evidence {
  const shown = entry.type.kind === 'tool_use' ? findShownText(entry, source, link.lines) : undefined;
  const originalText = shown === undefined ? null : shown.text.slice(0, maxCharacters);
  return {
    entryIndex: source.entryIndex,
    callId: source.callId,
    step: source.step,
    at: source.at,
    path: source.path ?? null,
    lines: shown?.lines ?? null,
    originalText,
    hash: originalText === null ? null : hash(originalText),
    cut: shown !== undefined && (shown.cut || shown.text.length > maxCharacters),
    command: source.command ?? null,
    exitCode: source.exitCode ?? null,
    url: source.url ?? null,
    title: source.title ?? null,
  };
}

interface ShownText {
  readonly text: string;
  readonly lines: LineRange | null;
  readonly cut: boolean;
}

function findShownText(
  entry: NormalizedEntry,
  source: Candidate,
  wanted: LineRange | undefined,
): ShownText | undefined {
  if (entry.type.kind !== 'tool_use') return undefined;
  const { action, result } = entry.type.tool;
  const output = outputOf(action, result?.text);
  switch (source.why) {
    case 'read':
    case 'written':
    case 'edited':
    case 'other_lines':
    case 'lines_unknown': {
      const { first, lines } = fileLines(action, source, output, wanted);
      return lines.length === 0 ? undefined : windowOf(first, lines, wanted);
    }
    case 'deleted':
      return undefined;
    case 'named_in_output':
    case 'search_result': {
      const at = action.kind === 'command_run' ? fileLines(action, source, output, wanted) : { first: null, lines: [] };
      if (wanted !== undefined && at.first !== null) return windowOf(at.first, at.lines, wanted);
      const naming = findLinesNaming(output, source, wanted);
      const text = naming.slice(0, maxLines).join('\n');
      return text === '' ? undefined : { text, lines: null, cut: naming.length > maxLines };
    }
    default:
      return output === '' ? undefined : lastLines(output);
  }
}

function outputOf(action: ToolAction, result: string | undefined): string {
  if (action.kind !== 'command_run') return result ?? '';
  const own = [action.stdout, action.stderr].filter((text) => text !== undefined && text !== '').join('\n');
  return own === '' ? (result ?? '') : own;
}

/** Lines of an output that name the file or URL of a source: those with the claimed line, else all. */
function findLinesNaming(output: string, { path, url }: Candidate, wanted: LineRange | undefined): string[] {
  if (path === undefined) return output.split('\n').filter((line) => url !== undefined && line.includes(url));
  const naming = output.split('\n', maxSearched).flatMap((line) => {
    const named = pathsIn(line).find((namedInOutput) => isSameFile(namedInOutput.path, path));
    return named === undefined ? [] : [{ line, at: named.lines }];
  });
  const exact = naming.filter(
    ({ at }) => wanted !== undefined && at.some((line) => line >= wanted[0] && line <= wanted[1]),
  );
  return (exact.length > 0 ? exact : naming).map(({ line }) => line);
}

interface FileLines {
  /** From 1; `null` if the step does not say which lines of the file it has. */
  readonly first: number | null;
  readonly lines: readonly string[];
}

function fileLines(action: ToolAction, source: Candidate, output: string, wanted: LineRange | undefined): FileLines {
  switch (action.kind) {
    case 'file_read':
      return linesOfResult(textBeforeOmission(output).text, action.startLine ?? 1);
    case 'file_write':
      return { first: 1, lines: (action.content ?? '').split('\n') };
    case 'command_run': {
      const read = parseCommandRead(unwrapCommand(action.command), output);
      if (read === undefined) return linesAround(linesShownBy(unwrapCommand(action.command), output), source, wanted);
      const { first, lines } = read.shown;
      return { first: read.lines === null ? null : first, lines };
    }
    case 'file_edit':
      return editedLines(action.changes, source.path ?? '', wanted);
    default:
      return { first: null, lines: [] };
  }
}

/** The block of numbered lines with the claimed ones, or the first. */
function linesAround(all: readonly ShownLines[], { path = '' }: Candidate, wanted: LineRange | undefined): FileLines {
  const own = all.find((shownLines) => isSameFile(shownLines.path, path));
  const range = own?.ranges.find(([, last]) => wanted === undefined || last >= wanted[0]) ?? own?.ranges[0];
  if (own === undefined || range === undefined) return { first: null, lines: [] };
  const lines = Array.from({ length: range[1] - range[0] + 1 }, (_, at) => own.texts.get(range[0] + at) ?? '');
  return { first: range[0], lines };
}

/** The new side of the hunk with the claimed lines, or of the first. */
function editedLines(changes: readonly FileChange[], path: string, wanted: LineRange | undefined): FileLines {
  const own = changes.filter((change) => isSameFile(change.path, path));
  const parts = own.flatMap(partsOfChange);
  const [lines] = wanted ?? [];
  const meant = parts.find(
    (part) => lines !== undefined && part.first !== null && part.first + part.lines.length > lines,
  );
  return meant ?? parts[0] ?? { first: null, lines: [] };
}

function partsOfChange({ kind, patch, oldText, newText }: FileChange): FileLines[] {
  const hunks = [
    ...(patch ?? '').matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*\n([\s\S]*?)(?=\n@@ |$(?![\s\S]))/gm),
  ];
  if (hunks.length === 0) {
    return newText === undefined
      ? []
      : [{ first: kind === 'add' || oldText === undefined ? 1 : null, lines: newText.split('\n') }];
  }
  return hunks.map(([, first = '1', body = '']) => {
    const saved = body.split('\n').filter((line) => !line.startsWith('-') && !line.startsWith('\\'));
    return { first: Number(first), lines: saved.map((line) => line.slice(1)) };
  });
}

/** One of the paths may be relative to a subfolder of the other's. */
function isSameFile(a: string, b: string): boolean {
  const [x, y] = [a, b].map((path) => `/${path.replaceAll('\\', '/').replace(/^(?:\.\/)+|^\/+/, '')}`);
  return x !== undefined && y !== undefined && (x.endsWith(y) || y.endsWith(x));
}

function windowOf(start: number | null, lines: readonly string[], wanted: LineRange | undefined): ShownText {
  const first = start ?? 1;
  const last = first + lines.length - 1;
  const asked = start === null ? undefined : wanted;
  const from = asked === undefined ? first : Math.max(first, Math.min(asked[0] - around, last));
  const to = Math.min(
    last,
    (asked?.[1] ?? from + maxLines - 1) + (asked === undefined ? 0 : around),
    from + maxLines - 1,
  );
  const text = lines.slice(from - first, to - first + 1).join('\n');
  const at: LineRange | null = start === null ? null : [from, Math.max(from, to)];
  return { text, lines: at, cut: from > first || to < last };
}

function lastLines(output: string): ShownText {
  const lines = output.trimEnd().split('\n');
  return { text: lines.slice(-maxLines).join('\n'), lines: null, cut: lines.length > maxLines };
}

/** Compares the lines of an evidence with the file; `now` is its current text, `null` if it was deleted. */
export function compareLines(
  { originalText, lines }: Evidence,
  now: string | null,
): 'same' | 'moved' | 'changed' | 'gone' | 'unknown' {
  if (now === null) return 'gone';
  if (originalText === null || lines === null) return 'unknown';
  const recordedText = originalText.replaceAll('\r\n', '\n');
  const today = now.replaceAll('\r\n', '\n');
  const currentLines = today
    .split('\n')
    .slice(lines[0] - 1, lines[1])
    .join('\n');
  if (currentLines.trimEnd() === recordedText.trimEnd()) return 'same';
  return today.includes(recordedText.trimEnd()) ? 'moved' : 'changed';
}
