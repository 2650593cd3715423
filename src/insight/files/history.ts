import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FileChange } from '../../model/transcript/tool.ts';
import { linesOfResult } from '../citations/sources/resultLines.ts';
import { normalPath } from '../citations/sources/pathNames.ts';
import { Fragments, type Fragment } from './fragments.ts';
import { unchangedLines } from './lineDiff.ts';
import { hunksOf, type Hunk } from './patch.ts';
import type { HistoryLine } from './historyLine.ts';

interface LineExtent {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly totalLines?: number | undefined;
}

interface Content {
  lines: HistoryLine[];
  /** The record has the complete file. */
  isComplete: boolean;
}

const longestFile = 4 * 1024 * 1024;

/**
 * One file through a session, from recorded reads, writes and edits: its text before the first and after the last change, and
 * the step that wrote each line. Add the settled entries that involve the file (or all entries) in index order.
 */
export class FileHistory {
  readonly #path: string;
  readonly #workDir: string;
  #content: Content | null = null;
  #textBefore: string | null | undefined;
  #isExact = true;
  #isChanged = false;
  #isDeleted = false;
  readonly #fragments = new Fragments();

  /** `start`: the file's text when the session began, if known (`null`: it did not exist). */
  constructor(path: string, workDir: string, start?: string | null) {
    this.#path = normalPath(path, workDir);
    this.#workDir = workDir;
    if (start === null) this.#isDeleted = true;
    else if (start !== undefined) this.#content = { lines: linesOf(start, null), isComplete: true };
  }

  add({ index, type }: NormalizedEntry): void {
    if (type.kind !== 'tool_use' || type.tool.status !== 'success') return;
    const { action, result } = type.tool;
    if (action.kind === 'file_read' && this.#isMine(action.path)) {
      this.#read(index, result?.text, action);
    } else if (action.kind === 'file_write' && this.#isMine(action.path)) {
      this.#beginChange();
      if (action.content === undefined) this.#forgetContent();
      else this.#replace(action.content, index);
    } else if (action.kind === 'file_edit') {
      const mine = action.changes.filter(({ path }) => this.#isMine(path));
      // One patch can represent all edits of one call.
      const patched = mine.filter(({ patch }) => patch !== undefined && patch !== '');
      for (const change of patched.length > 0 && mine.length > patched.length ? patched : mine) {
        this.#beginChange(change.kind);
        this.#edit(change, index);
      }
    }
  }

  /** Text before the first recorded change; `null` if the file did not exist, `undefined` if not recorded. */
  get before(): string | null | undefined {
    return this.#isChanged ? this.#textBefore : this.after;
  }

  /** Text after the last change; `null` if the file was deleted, `undefined` if not recorded. */
  get after(): string | null | undefined {
    if (this.#content === null) return this.#isDeleted ? null : undefined;
    return this.#content.isComplete ? this.#content.lines.map(({ text }) => text ?? '').join('\n') : undefined;
  }

  /** Every recorded change was applied exactly: `after` is their result. */
  get isExact(): boolean {
    return this.#isExact && this.after !== undefined;
  }

  /** From the first line; `text` is `null` in ranges that the record does not have. */
  lines(): readonly HistoryLine[] {
    return this.#content?.lines ?? [];
  }

  /** Texts written at unknown positions, newest last. */
  fragments(): readonly Fragment[] {
    return this.#fragments.all;
  }

  #isMine(path: string): boolean {
    return normalPath(path, this.#workDir) === this.#path;
  }

  #beginChange(kind?: FileChange['kind']): void {
    if (this.#isChanged) return;
    this.#textBefore = kind === 'add' ? null : this.after;
    this.#isChanged = true;
  }

  #forgetContent(): void {
    this.#fragments.addWrittenLines(this.#content?.lines ?? []);
    this.#content = null;
    this.#isDeleted = false;
    this.#isExact = false;
  }

  #read(step: number, text: string | undefined, { startLine, endLine, totalLines }: LineExtent): void {
    if (text === undefined || text === '' || text.length > longestFile) return;
    const { first, lines, endsWithLineBreak } = linesOfResult(text, startLine ?? 1);
    this.#setLines(first, lines, endsWithLineBreak, totalLines ?? (endLine === undefined ? undefined : Infinity));
    const known = this.#content?.lines ?? [];
    for (const [at, text_] of lines.entries()) {
      const line = known[first - 1 + at];
      if (line?.text === text_) known[first - 1 + at] = { ...line, read: step };
    }
  }

  /** `resultOfChild`: a line break follows the last line. `of`: number of lines of the file, if known. */
  #setLines(first: number, lines: readonly string[], ended: boolean, of: number | undefined): void {
    const last = first + lines.length - 1;
    // Some count the text after the final line break as a line.
    const whole = first === 1 && last >= (of ?? last) - 1;
    const end = ended ? [...lines, ''] : lines;
    const content = this.#content;
    this.#isDeleted = false;
    if (whole && (content === null || !content.isComplete)) {
      const known = content?.lines ?? [];
      this.#content = { lines: this.#fragments.place(this.#inheritLines(known, end)), isComplete: true };
      this.#isExact = true;
      return;
    }
    if (content?.isComplete === true) {
      if (whole && (end.length !== content.lines.length || end.some((line, at) => content.lines[at]?.text !== line))) {
        this.#content = { lines: this.#inheritLines(content.lines, end), isComplete: true };
      }
      return;
    }
    this.#content = content ?? { lines: [], isComplete: false };
    this.#pad(last);
    for (const [at, line] of lines.entries()) {
      const known = this.#content.lines[first - 1 + at];
      this.#content.lines[first - 1 + at] = known?.text === line ? known : { text: line, by: null, read: null };
    }
  }

  /** Unchanged lines keep their author; the others were changed outside the session. */
  #inheritLines(known: readonly HistoryLine[], lines: readonly string[]): HistoryLine[] {
    const saved = unchangedLines(
      known.map(({ text }) => text ?? '\u0000'),
      lines,
    );
    return lines.map((text, at) => known[saved[at] ?? -1] ?? { text, by: null, read: null });
  }

  #replace(text: string, by: number): void {
    const lines = text.slice(0, longestFile).split('\n');
    const known = this.#content?.lines ?? [];
    const saved = unchangedLines(
      known.map((line) => line.text ?? '\u0000'),
      lines,
    );
    this.#content = {
      // No one wrote the empty end after the last line break.
      lines: lines.map(
        (line, at) => known[saved[at] ?? -1] ?? makeLine(line, line === '' && at === lines.length - 1 ? null : by),
      ),
      isComplete: true,
    };
    this.#isDeleted = false;
    // A complete text repairs edits that could not be applied before.
    this.#isExact = true;
  }

  #edit(change: FileChange, by: number): void {
    const { kind, oldText, newText, patch } = change;
    if (kind === 'delete') {
      this.#content = null;
      this.#isDeleted = true;
      return;
    }
    if (kind === 'add' && newText !== undefined) {
      this.#replace(newText, by);
      return;
    }
    const hunks = patch === undefined ? [] : hunksOf(patch);
    if (hunks.length > 0) this.#apply(hunks, by);
    else if (oldText !== undefined && newText !== undefined) this.#replaceText(oldText, newText, by);
    else this.#forgetContent();
  }

  #apply(hunks: readonly Hunk[], by: number): void {
    const content = (this.#content ??= { lines: [], isComplete: false });
    let shift = 0;
    for (const [done, hunk] of hunks.entries()) {
      const old = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text);
      const at = hunk.oldStart === null ? this.#find(old) : Math.max(0, hunk.oldStart - 1 + shift);
      if (at === -1) {
        this.#forgetContent();
        for (const unplaced of hunks.slice(done)) this.#fragments.add(linesAfterHunk(unplaced, by));
        return;
      }
      if (!content.isComplete) this.#pad(at + old.length);
      const replaced = content.lines.slice(at, at + old.length);
      if (replaced.length < old.length || replaced.some(({ text }, line) => text !== null && text !== old[line]))
        this.#isExact = false;
      const next: HistoryLine[] = [];
      let line = 0;
      for (const { mark, text } of hunk.lines) {
        if (mark === '+') next.push(makeLine(text, by));
        else {
          if (mark === ' ') next.push(context(text, replaced[line]));
          line += 1;
        }
      }
      content.lines.splice(at, old.length, ...next);
      shift += next.length - old.length;
    }
    if (content.isComplete) return;
    // Only the content of the hunks is known.
    this.#isExact = false;
  }

  /** The only position of these lines; -1 if there is none or more than one. */
  #find(old: readonly string[]): number {
    const lines = this.#content?.lines ?? [];
    let found = -1;
    for (let at = 0; at + old.length <= lines.length && old.length > 0; at += 1) {
      if (!old.every((text, line) => lines[at + line]?.text === text)) continue;
      if (found !== -1) return -1;
      found = at;
    }
    return found;
  }

  #replaceText(oldText: string, newText: string, by: number): void {
    const content = this.#content;
    if (content?.isComplete !== true) {
      this.#isExact = false;
      this.#fragments.add(replacement(oldText, newText, by));
      return;
    }
    const text = content.lines.map((line) => line.text ?? '').join('\n');
    const at = oldText === '' ? (text === '' ? 0 : -1) : text.indexOf(oldText);
    if (at === -1) {
      this.#forgetContent();
      this.#fragments.add(replacement(oldText, newText, by));
      return;
    }
    // The record does not say which occurrence was replaced, or all of them.
    if (oldText !== '' && text.includes(oldText, at + 1)) this.#isExact = false;
    const lines = `${text.slice(0, at)}${newText}${text.slice(at + oldText.length)}`.split('\n');
    const first = text.slice(0, at).split('\n').length - 1;
    const removed = oldText.split('\n').length;
    const added = newText.split('\n').length;
    const old = content.lines.slice(first, first + removed);
    const now = lines.slice(first, first + added);
    const saved = unchangedLines(
      old.map((line) => line.text ?? ''),
      now,
    );
    const next = now.map((line, place): HistoryLine => old[saved[place] ?? -1] ?? makeLine(line, by));
    content.lines.splice(first, removed, ...next);
  }

  #pad(length: number): void {
    const lines = this.#content?.lines ?? [];
    while (lines.length < length) lines.push({ text: null, by: null, read: null });
  }
}

function linesOf(text: string, by: number | null): HistoryLine[] {
  return text.split('\n').map((line) => makeLine(line, by));
}

function makeLine(text: string, by: number | null): HistoryLine {
  return { text, by, read: null };
}

function linesAfterHunk({ lines }: Hunk, by: number): HistoryLine[] {
  return lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [makeLine(text, mark === '+' ? by : null)]));
}

/** A context line of a patch. Some patches replace each leading tab with two spaces. */
function context(text: string, line: HistoryLine | undefined): HistoryLine {
  const known = line?.text ?? null;
  const same = known?.startsWith('\t') === true && known.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length)) === text;
  return { text: same ? known : text, by: line?.by ?? null, read: line?.read ?? null };
}

/** Assigns the replacement of `oldText` to the step; unchanged lines in it keep no author. */
function replacement(oldText: string, newText: string, by: number): HistoryLine[] {
  const lines = newText.slice(0, longestFile).split('\n');
  const saved = unchangedLines(oldText === '' ? [] : oldText.slice(0, longestFile).split('\n'), lines);
  return lines.map((line, at) => makeLine(line, (saved[at] ?? -1) === -1 ? by : null));
}
