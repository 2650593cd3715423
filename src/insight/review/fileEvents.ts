import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FileChange } from '../../model/transcript/tool.ts';
import { replacesAll } from '../files/replacesAll.ts';
import { linesOfResult } from '../citations/sources/resultLines.ts';
import { normalPath } from '../citations/sources/pathNames.ts';
import { hunksOf, type Hunk } from '../files/patch.ts';
import { plainLines } from './fileText.ts';

/** What one step says about the text of one file. Lines are those of `plainLines`. */
export type FileEvent = { readonly step: number } & (
  | { readonly kind: 'seen'; readonly lines: readonly string[] }
  | { readonly kind: 'written'; readonly lines: readonly string[]; readonly isNewFile: boolean }
  | { readonly kind: 'patched'; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'swapped'; readonly oldText: string; readonly newText: string; readonly all: boolean }
  | { readonly kind: 'deleted' }
  /** The record does not say how. */
  | { readonly kind: 'lost' }
);

const longestRead = 4 * 1024 * 1024;

/** Events of a settled entry for the file with these normalized names. */
export function fileEvents({ index, type }: NormalizedEntry, names: readonly string[], workDir: string): FileEvent[] {
  if (type.kind !== 'tool_use' || type.tool.status !== 'success') return [];
  const { action, result, input } = type.tool;
  const isMine = (name: string): boolean => names.includes(normalPath(name, workDir));
  if (action.kind === 'file_read') {
    const seen = isMine(action.path) ? findWholeText(result?.text ?? '', action) : undefined;
    return seen === undefined ? [] : [{ step: index, kind: 'seen', lines: seen }];
  }
  if (action.kind === 'file_write') {
    if (!isMine(action.path)) return [];
    if (action.content === undefined) return [{ step: index, kind: 'lost' }];
    return [{ step: index, kind: 'written', lines: plainLines(action.content), isNewFile: action.created === true }];
  }
  if (action.kind !== 'file_edit') return [];
  const edits = action.changes.map((change, at) => ({ change, all: replacesAll(input, at) }));
  const mine = edits.filter(({ change }) => isMine(change.path));
  // One patch can represent all edits of one call.
  const patched = mine.filter(({ change }) => change.patch !== undefined && change.patch !== '');
  return (patched.length > 0 && mine.length > patched.length ? patched : mine).map(({ change, all }): FileEvent => ({
    step: index,
    ...editOf(change, all),
  }));
}

/** `Omit` would merge the members of the union. */
type Edit<E = FileEvent> = E extends unknown ? Omit<E, 'step'> : never;

function editOf({ kind, oldText, newText, patch }: FileChange, all: boolean): Edit {
  if (kind === 'delete') return { kind: 'deleted' };
  const hunks = patch === undefined ? [] : hunksOf(patch);
  if (kind === 'add') {
    if (newText !== undefined) return { kind: 'written', lines: plainLines(newText), isNewFile: true };
    const lines = hunks.flatMap((hunk) => hunk.lines.flatMap(({ mark, text }) => (mark === '+' ? [text] : [])));
    return hunks.length === 0 ? { kind: 'lost' } : { kind: 'written', lines: [...lines, ''], isNewFile: true };
  }
  if (hunks.length > 0) return { kind: 'patched', hunks: hunks.map(removeCarriageReturns) };
  if (oldText === undefined || newText === undefined) return { kind: 'lost' };
  return { kind: 'swapped', oldText: toLineFeeds(oldText), newText: toLineFeeds(newText), all };
}

function removeCarriageReturns({ oldStart, lines }: Hunk): Hunk {
  return { oldStart, lines: lines.map(({ mark, text }) => ({ mark, text: text.replace(/\r$/, '') })) };
}

function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

interface LineExtent {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly totalLines?: number | undefined;
}

/** The complete text of a read, without a line break at its end; `undefined` if it may be a part. */
function findWholeText(text: string, { startLine, endLine, totalLines }: LineExtent): string[] | undefined {
  if (text === '' || text.length > longestRead) return undefined;
  const { first, lines } = linesOfResult(text, startLine ?? 1);
  const of = totalLines ?? (endLine === undefined ? lines.length : Infinity);
  // Some count the text after the final line break as a line.
  return first === 1 && lines.length >= of - 1 ? lines.map((line) => line.replace(/\r$/, '')) : undefined;
}
