import type { FileChange } from '../../../model/transcript/tool.ts';
import { hunksOf, type Hunk } from '../patch.ts';

/**
 * The text of a file after a change; `null` if the file is deleted. `places`: number of occurrences of the replaced
 * text.
 */
export type ApplyResult =
  | { readonly text: string | null; readonly places: number }
  | { readonly failed: 'missing' | 'notFound' | 'unplaced' | 'long' };

/**
 * Limit of the work for the changes of one file, about one unit per character read or written, because the agent
 * chooses both.
 */
export class WorkLimit {
  #remainingWork = 10_000_000;

  /** Returns false if the limit is used up. */
  trySpend(cost: number): boolean {
    this.#remainingWork -= cost;
    return this.#remainingWork >= 0;
  }
}

/** `text`: the file before the change, with LF line ends; `null` if there is none. `all`: replaces every occurrence. */
export function applyChange(text: string | null, change: FileChange, all: boolean, work: WorkLimit): ApplyResult {
  const { kind, newText, patch } = change;
  if (kind === 'delete') return text === null ? { failed: 'missing' } : { text: null, places: 1 };
  const hunks = patch === undefined ? [] : hunksOf(patch);
  if (kind === 'add') return added(toLineFeeds(newText), hunks);
  if (hunks.length > 0) return text === null ? { failed: 'missing' } : applyHunks(text, hunks, work);
  const oldText = toLineFeeds(change.oldText);
  const next = toLineFeeds(newText);
  if (oldText === undefined || next === undefined) return { failed: 'unplaced' };
  // An empty old text creates a file or fills an empty one.
  if (oldText === '') return (text ?? '') === '' ? { text: next, places: 1 } : { failed: 'notFound' };
  return text === null ? { failed: 'missing' } : replaceText(text, oldText, next, all, work);
}

function added(newText: string | undefined, hunks: readonly Hunk[]): ApplyResult {
  if (newText !== undefined) return { text: newText, places: 1 };
  if (hunks.length === 0) return { failed: 'unplaced' };
  const lines = hunks.flatMap(({ lines: all }) => all.filter(({ mark }) => mark === '+').map(({ text }) => text));
  return { text: lines.join('\n'), places: 1 };
}

function replaceText(text: string, oldText: string, newText: string, all: boolean, work: WorkLimit): ApplyResult {
  if (!work.trySpend(text.length)) return { failed: 'long' };
  const parts = text.split(oldText);
  const places = parts.length - 1;
  if (places === 0) return { failed: 'notFound' };
  if (!work.trySpend(10 * places + newText.length * (all ? places : 1))) return { failed: 'long' };
  const [first = '', ...rest] = parts;
  return { text: all ? parts.join(newText) : first + newText + rest.join(oldText), places };
}

/** Applies hunks where their lines occur, nearest to the line number if they have one. */
function applyHunks(text: string, hunks: readonly Hunk[], work: WorkLimit): ApplyResult {
  let lines: readonly string[] = text.split('\n');
  let shift = 0;
  let from = 0;
  for (const hunk of hunks) {
    const old = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
    const next = hunk.lines.filter(({ mark }) => mark !== '-').map((line) => line.text);
    const wanted = hunk.oldStart === null ? from : Math.max(0, hunk.oldStart - 1 + shift);
    if (!work.trySpend(lines.length)) return { failed: 'long' };
    const at = old.length === 0 ? insertion(hunk, wanted, lines) : nearestMatch(lines, old, wanted, work);
    if (at === null) return { failed: 'long' };
    if (at === -1) return { failed: hunk.oldStart === null && old.length === 0 ? 'unplaced' : 'notFound' };
    lines = lines.slice(0, at).concat(next, lines.slice(at + old.length));
    shift += next.length - old.length;
    from = at + next.length;
  }
  return { text: lines.join('\n'), places: 1 };
}

/** `@@ -5,0 +6 @@` adds after line 5. */
function insertion({ oldStart }: Hunk, wanted: number, lines: readonly string[]): number {
  if (oldStart === null) return -1;
  const at = oldStart === 0 ? 0 : wanted + 1;
  return at > lines.length ? -1 : at;
}

/** -1 if there is none. `null` if the search would take too long. */
function nearestMatch(
  lines: readonly string[],
  old: readonly string[],
  wanted: number,
  work: WorkLimit,
): number | null {
  const last = lines.length - old.length;
  for (let away = 0; away <= lines.length; away += 1) {
    for (const at of away === 0 ? [wanted] : [wanted + away, wanted - away]) {
      if (at < 0 || at > last) continue;
      const differs = old.findIndex((text, line) => lines[at + line] !== text);
      if (differs === -1) return at;
      if (!work.trySpend(differs + 1)) return null;
    }
  }
  return -1;
}

function toLineFeeds(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}
