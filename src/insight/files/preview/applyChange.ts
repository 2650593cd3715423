import type { FileChange } from '../../../model/transcript/tool.ts';
import { hunksOf, type Hunk } from '../patch.ts';

/** The text of a file after a change; `null` where there is no file then. `places`: how often it holds what is replaced. */
export type Applied =
  { readonly text: string | null; readonly places: number } | { readonly failed: 'missing' | 'notFound' | 'unplaced' };

/** `text`: the file before the change, with LF line ends; `null` where there is none. `all`: every place is replaced. */
export function applyChange(text: string | null, change: FileChange, all: boolean): Applied {
  const { kind, newText, patch } = change;
  if (kind === 'delete') return text === null ? { failed: 'missing' } : { text: null, places: 1 };
  const hunks = patch === undefined ? [] : hunksOf(patch);
  if (kind === 'add') return added(lf(newText), hunks);
  if (hunks.length > 0) return text === null ? { failed: 'missing' } : patched(text, hunks);
  const oldText = lf(change.oldText);
  const next = lf(newText);
  if (oldText === undefined || next === undefined) return { failed: 'unplaced' };
  // Agents create a file, or fill an empty one, by replacing nothing.
  if (oldText === '') return (text ?? '') === '' ? { text: next, places: 1 } : { failed: 'notFound' };
  return text === null ? { failed: 'missing' } : replaced(text, oldText, next, all);
}

function added(newText: string | undefined, hunks: readonly Hunk[]): Applied {
  if (newText !== undefined) return { text: newText, places: 1 };
  if (hunks.length === 0) return { failed: 'unplaced' };
  const lines = hunks.flatMap(({ lines: all }) => all.filter(({ mark }) => mark === '+').map(({ text }) => text));
  return { text: lines.join('\n'), places: 1 };
}

function replaced(text: string, oldText: string, newText: string, all: boolean): Applied {
  const parts = text.split(oldText);
  const places = parts.length - 1;
  if (places === 0) return { failed: 'notFound' };
  const [first = '', ...rest] = parts;
  return { text: all ? parts.join(newText) : first + newText + rest.join(oldText), places };
}

/** Hunks stand where their lines are, those that give a number as near to it as these lines are found. */
function patched(text: string, hunks: readonly Hunk[]): Applied {
  const lines = text.split('\n');
  let shift = 0;
  let from = 0;
  for (const hunk of hunks) {
    const old = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
    const next = hunk.lines.filter(({ mark }) => mark !== '-').map((line) => line.text);
    const wanted = hunk.oldStart === null ? from : Math.max(0, hunk.oldStart - 1 + shift);
    const at = old.length === 0 ? insertion(hunk, wanted, lines) : nearest(lines, old, wanted);
    if (at === -1) return { failed: hunk.oldStart === null && old.length === 0 ? 'unplaced' : 'notFound' };
    lines.splice(at, old.length, ...next);
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

function nearest(lines: readonly string[], old: readonly string[], wanted: number): number {
  const isAt = (at: number): boolean => old.every((text, line) => lines[at + line] === text);
  const last = lines.length - old.length;
  for (let away = 0; away <= lines.length; away += 1) {
    const [below, above] = [wanted + away, wanted - away];
    if (below >= 0 && below <= last && isAt(below)) return below;
    if (above >= 0 && above <= last && isAt(above)) return above;
  }
  return -1;
}

function lf(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}
