import type { FileChange, ToolUse } from '../../../model/transcript/tool.ts';
import { applyLineChange, lineChange, linesOf, patchChanges, type LineRange } from './lineRanges.ts';

/** Maximum characters of a file's text to keep for locating later edits. */
const maxText = 2_000_000;

/** Tracks which lines of a file were written by whom, as far as the session shows. */
export class TracedFile {
  ranges: readonly LineRange[] = [];
  /** Number of edits at unknown positions. */
  unplacedEdits = 0;
  /** The whole text, as long as all changes are known. */
  #knownText: string | null = null;

  write(text: string, by: string): void {
    const lines = linesOf(text);
    this.ranges = lines === 0 ? [] : [{ start: 1, end: lines, by }];
    this.#knownText = text.length <= maxText ? text : null;
  }

  remove(): void {
    this.ranges = [];
    this.#knownText = null;
  }

  edit({ oldText, newText, patch }: FileChange, by: string): void {
    const changes = patch === undefined ? null : patchChanges(patch, by);
    if (changes !== null) {
      for (const change of changes) this.ranges = applyLineChange(this.ranges, change);
      this.#replace(oldText, newText);
      return;
    }
    const at = this.#knownText === null || oldText === undefined ? -1 : this.#knownText.indexOf(oldText);
    if (this.#knownText === null || at < 0 || oldText === undefined || newText === undefined) {
      this.unplacedEdits += 1;
      // An edit that adds or removes lines makes all later positions unknown.
      if (oldText === undefined || newText === undefined || linesOf(oldText) !== linesOf(newText)) this.ranges = [];
      this.#knownText = null;
      return;
    }
    this.ranges = applyLineChange(this.ranges, { ...lineChange(this.#knownText, at, oldText, newText), by });
    this.#replace(oldText, newText);
  }

  #replace(oldText: string | undefined, newText: string | undefined): void {
    const at = this.#knownText === null || oldText === undefined ? -1 : this.#knownText.indexOf(oldText);
    this.#knownText =
      this.#knownText === null || at < 0 || oldText === undefined || newText === undefined
        ? null
        : this.#knownText.slice(0, at) + newText + this.#knownText.slice(at + oldText.length);
  }
}

/** Changes to files by a successful call. */
export function fileChanges({ action, status }: ToolUse): readonly FileChange[] {
  if (status !== 'success') return [];
  if (action.kind === 'file_edit') return action.changes;
  if (action.kind !== 'file_write') return [];
  const { path, content } = action;
  return [{ path, kind: 'add', ...(content !== undefined && { newText: content }) }];
}
