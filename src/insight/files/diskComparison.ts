import type { FileHistory } from './history.ts';

/** Whether a file is as a session left it; `unknown` if that is not recorded. */
export type FileComparison = 'same' | 'changed' | 'gone' | 'unknown';

/** `now`: the file's text, `null` if it does not exist. */
export function compareWithDisk(history: FileHistory, now: string | null): FileComparison {
  const { after } = history;
  if (now === null) return after === null ? 'same' : 'gone';
  if (after === null) return 'changed';
  const text = now.replaceAll('\r\n', '\n');
  if (after !== undefined) {
    if (removeFinalLineBreak(after) === removeFinalLineBreak(text)) return 'same';
    return history.isExact ? 'changed' : 'unknown';
  }
  const lines = history.lines();
  // If an edit could not be applied, lines may be elsewhere although the file is unchanged.
  if (history.fragments().length > 0 || lines.some(({ by }) => by !== null)) return 'unknown';
  const today = text.split('\n');
  const known = lines.flatMap((line, at) => (line.text === null ? [] : [[line.text.replace(/\r$/, ''), at] as const]));
  if (known.length === 0) return 'unknown';
  return known.every(([line, at]) => today[at] === line) ? 'same' : 'changed';
}

/** Agents often omit the line break at the end of a file. */
function removeFinalLineBreak(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
