/** A text split into lines and line breaks, so that joining them restores it exactly. */
export interface FileLines {
  /** U+FEFF, or nothing. */
  readonly mark: string;
  /** Without line breaks. A text that ends with a line break has an empty last line. */
  readonly lines: readonly string[];
  /** The line break after each line but the last. */
  readonly lineBreaks: readonly string[];
}

const lineBreak = /\r?\n/g;

export function splitLines(text: string): FileLines {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  return { mark, lines: body.split(/\r?\n/), lineBreaks: body.match(lineBreak) ?? [] };
}

/** Lines of a text of the record: line breaks and a byte order mark do not count. */
export function plainLines(text: string): string[] {
  return [...splitLines(text).lines];
}

/** The byte order mark (U+FEFF) and the usual line break of `text`. What it lacks is taken from `other`. */
export function textFormOf(
  text: string | null,
  other?: string | null,
): { readonly mark: string; readonly lineBreak: string } {
  const [own, second] = [splitLines(text ?? ''), splitLines(other ?? '')];
  return { mark: (text === null ? second : own).mark, lineBreak: own.lineBreaks[0] ?? second.lineBreaks[0] ?? '\n' };
}

/**
 * Replaces the lines `from` to `to` (exclusive) with `lines`. New line breaks are like those around
 * them; everything else stays as it is, character by character.
 */
export function replaceLines(
  text: string,
  [from, to]: readonly [number, number],
  lines: readonly string[],
  lineBreak: string,
): string {
  const file = splitLines(text);
  const { mark, lineBreaks } = file;
  const usual = lineBreaks[from] ?? lineBreaks[from - 1] ?? lineBreak;
  const next = [...file.lines.slice(0, from), ...lines, ...file.lines.slice(to)];
  const ends = next.slice(0, -1).map((_, at) => {
    const old = at < from ? at : at - lines.length + (to - from);
    const isNew = at >= from && at < from + lines.length;
    return isNew ? (lineBreaks[Math.min(at, to - 1)] ?? usual) : (lineBreaks[old] ?? usual);
  });
  return mark + next.map((line, at) => line + (ends[at] ?? '')).join('');
}

/** Whether two texts have the same lines; line breaks, a byte order mark and a final line break do not count. */
export function haveSameLines(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => plainLines(text).join('\n').replace(/\n$/, ''));
  return a === b;
}
