import type { NormalizedEntry } from '../../model/entry.ts';
import type { ToolAction } from '../../model/tool.ts';
import { linesOfResult } from './resultLines.ts';
import type { Candidate, EvidenceLink, LineRange } from './types.ts';

/** What a step shows for a claim, as it was then. */
export interface Evidence {
  readonly entryIndex: number;
  readonly callId: string;
  readonly step: string;
  /** ISO 8601. */
  readonly at: string;
  readonly path: string | null;
  /** Lines of `textThen` in the file. */
  readonly lines: LineRange | null;
  /** Lines of a file, of an output or of a page, as the step had them; `null` where the record does not hold them. */
  readonly textThen: string | null;
  /** Of `textThen`; `null` where there is none. */
  readonly hash: string | null;
  /** More stands before or after. */
  readonly cut: boolean;
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly url: string | null;
  readonly title: string | null;
}

/** Lines around those that are claimed. */
const around = 2;
const mostLines = 40;
const mostCharacters = 8 * 1024;

/** `entry` is that of the candidate, whole; `hash` makes a content hash of a text. */
export function evidenceOf(
  entry: NormalizedEntry,
  source: Candidate,
  link: Pick<EvidenceLink, 'lines'>,
  hash: (text: string) => string,
): Evidence {
  const shown = entry.type.kind === 'tool_use' ? shownBy(entry, source, link.lines) : undefined;
  const textThen = shown === undefined ? null : shown.text.slice(0, mostCharacters);
  return {
    entryIndex: source.entryIndex,
    callId: source.callId,
    step: source.step,
    at: source.at,
    path: source.path ?? null,
    lines: shown?.lines ?? null,
    textThen,
    hash: textThen === null ? null : hash(textThen),
    cut: shown !== undefined && (shown.cut || shown.text.length > mostCharacters),
    command: source.command ?? null,
    exitCode: source.exitCode ?? null,
    url: source.url ?? null,
    title: source.title ?? null,
  };
}

interface Shown {
  readonly text: string;
  readonly lines: LineRange | null;
  readonly cut: boolean;
}

function shownBy(entry: NormalizedEntry, source: Candidate, wanted: LineRange | undefined): Shown | undefined {
  if (entry.type.kind !== 'tool_use') return undefined;
  const { action, result } = entry.type.tool;
  const output = outputOf(action, result?.text);
  switch (source.why) {
    case 'read':
    case 'written':
    case 'edited':
    case 'other_lines':
    case 'lines_unknown': {
      const { first, lines } = fileLines(action, source.path ?? '', output);
      return lines.length === 0 ? undefined : windowOf(first, lines, wanted);
    }
    case 'deleted':
      return undefined;
    case 'named_in_output':
    case 'search_result': {
      const name = source.path?.split('/').at(-1) ?? source.url ?? '';
      const naming = output.split('\n').filter((line) => line.includes(name));
      const line = wanted === undefined ? undefined : naming.find((each) => each.includes(`:${wanted[0]}`));
      const text = line ?? naming.slice(0, mostLines).join('\n');
      return text === '' ? undefined : { text, lines: null, cut: naming.length > mostLines };
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

interface FileLines {
  readonly first: number;
  readonly lines: readonly string[];
}

function fileLines(action: ToolAction, path: string, output: string): FileLines {
  if (action.kind === 'file_read') return linesOfResult(output, action.startLine ?? 1);
  if (action.kind === 'file_write') return { first: 1, lines: (action.content ?? '').split('\n') };
  if (action.kind !== 'file_edit') return { first: 1, lines: [] };
  const change = action.changes.find((each) => each.path.replaceAll('\\', '/').endsWith(path)) ?? action.changes[0];
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*\n([\s\S]*?)(?=\n@@ |$(?![\s\S]))/m.exec(change?.patch ?? '');
  if (hunk?.[2] === undefined) return { first: 1, lines: change?.newText?.split('\n') ?? [] };
  const kept = hunk[2].split('\n').filter((line) => !line.startsWith('-') && !line.startsWith('\\'));
  return { first: Number(hunk[1]), lines: kept.map((line) => line.slice(1)) };
}

function windowOf(first: number, lines: readonly string[], wanted: LineRange | undefined): Shown {
  const last = first + lines.length - 1;
  const from = wanted === undefined ? first : Math.max(first, Math.min(wanted[0] - around, last));
  const to = Math.min(
    last,
    (wanted?.[1] ?? from + mostLines - 1) + (wanted === undefined ? 0 : around),
    from + mostLines - 1,
  );
  const text = lines.slice(from - first, to - first + 1).join('\n');
  return { text, lines: [from, Math.max(from, to)], cut: from > first || to < last };
}

function lastLines(output: string): Shown {
  const lines = output.trimEnd().split('\n');
  return { text: lines.slice(-mostLines).join('\n'), lines: null, cut: lines.length > mostLines };
}

/** What became of the lines of an evidence; `now` is the file's text today, `null` where it is gone. */
export function sinceThen(
  { textThen, lines }: Evidence,
  now: string | null,
): 'same' | 'moved' | 'changed' | 'gone' | 'unknown' {
  if (now === null) return 'gone';
  if (textThen === null || lines === null) return 'unknown';
  const then = textThen.replaceAll('\r\n', '\n');
  const today = now.replaceAll('\r\n', '\n');
  const there = today
    .split('\n')
    .slice(lines[0] - 1, lines[1])
    .join('\n');
  if (there.trimEnd() === then.trimEnd()) return 'same';
  return today.includes(then.trimEnd()) ? 'moved' : 'changed';
}
