import type { FileEvent } from './fileEvents.ts';
import { placeHunks } from './placeHunks.ts';
import { placesOf } from './replay.ts';

/** A file before the first event. */
export interface StartText {
  /** `null`: it did not exist. */
  readonly lines: readonly string[] | null;
  /** Whether it ends with a line break is not recorded. */
  readonly hasUnknownEnd: boolean;
  /** Whether there was a file, and with what, is not recorded. */
  readonly isUncertain: boolean;
}

/**
 * The text before the events: as recorded, or derived from the first complete text by undoing the events one by one.
 * `now`: the lines of the file as it is, `null` if there is none.
 */
export function initialText(events: readonly FileEvent[], now: readonly string[] | null): StartText {
  const known = events.findIndex(({ kind }) => kind === 'seen' || kind === 'written');
  const first = events[known];
  if (first?.kind === 'written') {
    if (known === 0 && first.isNewFile) return { lines: null, hasUnknownEnd: false, isUncertain: false };
    // What it replaced is not recorded.
    return { lines: null, hasUnknownEnd: false, isUncertain: true };
  }
  const undone = events.slice(0, known === -1 ? events.length : known);
  let lines: readonly string[] | null = first?.kind === 'seen' ? first.lines : now;
  for (const event of undone.reverse()) lines = before(event, lines);
  return { lines, hasUnknownEnd: first?.kind === 'seen', isUncertain: lines === null };
}

/** Changes that are not found any more, because something wrote over them, are left. */
function before(event: FileEvent, lines: readonly string[] | null): readonly string[] | null {
  if (event.kind === 'deleted' || lines === null) return null;
  if (event.kind === 'patched') {
    let text = [...lines];
    for (const place of placeHunks(lines, event.hunks, true)) {
      if (place === null || place.expected !== undefined) continue;
      text = [...text.slice(0, place.at), ...place.lines, ...text.slice(place.at + place.count)];
    }
    return text;
  }
  if (event.kind === 'swapped' && event.newText !== '') {
    const text = lines.join('\n');
    const places = placesOf(text, event.newText);
    if (places.length === 1 || (event.all && places.length > 0))
      return text.replaceAll(event.newText, () => event.oldText).split('\n');
  }
  return lines;
}
