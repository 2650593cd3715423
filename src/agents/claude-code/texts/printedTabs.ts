import type { JsonObject } from '../../../model/text/json.ts';
import { count, list } from '../../shared/guards.ts';

interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
}

/** Maximum characters to process for the edited text. */
const maxReplaced = 64 << 20;

/**
 * Hunks of the CLI's `structuredPatch`, in which two spaces replace each leading tab, with the original lines restored.
 * Ambiguous lines stay as printed. `before`: the text of the file before the edits.
 */
export function withTabs(hunks: readonly JsonObject[], before: string, edits: readonly Edit[]): readonly JsonObject[] {
  if (!before.includes('\t') && !edits.some(({ newText }) => newText.includes('\t'))) return hunks;
  const old = before.split('\n');
  const next = applyEdits(before, edits)?.split('\n') ?? [];
  const written = linesByPrinted(edits.flatMap(({ newText }) => newText.split('\n')));
  return hunks.map((hunk) => {
    let oldIndex = (count(hunk['oldStart']) ?? 1) - 1;
    let newIndex = (count(hunk['newStart']) ?? 1) - 1;
    const lines = list(hunk['lines']).map((line) => {
      if (typeof line !== 'string') return line;
      const text = line.slice(1);
      const found = line.startsWith('+') ? lineIfPrintedAs(text, next[newIndex]) : lineIfPrintedAs(text, old[oldIndex]);
      if (line.startsWith('-') || line.startsWith(' ')) oldIndex += 1;
      if (line.startsWith('+') || line.startsWith(' ')) newIndex += 1;
      return `${line.slice(0, 1)}${found ?? (line.startsWith('+') ? written.get(text) : undefined) ?? text}`;
    });
    return { ...hunk, lines };
  });
}

function lineIfPrintedAs(text: string, line: string | undefined): string | undefined {
  return line !== undefined && expandTabs(line) === text ? line : undefined;
}

function expandTabs(line: string): string {
  return line.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
}

/** Original lines by their printed form; ambiguous ones excluded. */
function linesByPrinted(lines: readonly string[]): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const line of lines) {
    const shown = expandTabs(line);
    found.set(shown, found.has(shown) && found.get(shown) !== line ? undefined : line);
  }
  return found;
}

/** The text that the CLI wrote; `undefined` if the edits do not fit. */
function applyEdits(before: string, edits: readonly Edit[]): string | undefined {
  if (before.length * edits.length > maxReplaced) return undefined;
  let text = before;
  for (const { oldText, newText, replacesAll } of edits) {
    // When it removes a line, it also removes the line break.
    const removed =
      newText === '' && !oldText.endsWith('\n') && text.includes(`${oldText}\n`) ? `${oldText}\n` : oldText;
    if (oldText === '') text = newText;
    else if (!text.includes(oldText)) return undefined;
    else text = replacesAll ? text.replaceAll(removed, () => newText) : text.replace(removed, () => newText);
  }
  return text;
}
