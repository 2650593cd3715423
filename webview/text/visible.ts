export { pieces, visibleText as plain } from '../../src/protocol/panel/pageModel.ts';

// eslint forbids control characters in literals, and they are the point here. As ECMA-48 has them: strings with their end,
// control sequences, everything else of two characters or a few more. What is not ended is no sequence.
const strings = String.raw`\x1b[PX^_][^\x1b]*\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`;
const sequences = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`;
const others = String.raw`\x1b[ -/]*[0-Z\\-~]`;
const colors = String.raw`(?:\x1b\[|\x9b)[\d;]*m`;
const everySequence = new RegExp([strings, sequences, others].join('|'), 'g');
const notColors = new RegExp([strings, `(?!${colors})${sequences}`, others].join('|'), 'g');
const color = new RegExp(colors);

/** Without terminal control sequences: colors, cursor moves, titles and links. */
export function withoutTerminalCodes(text: string): string {
  return mayContainCodes(text) ? text.replace(everySequence, '') : text;
}

/** Keeps only colors; `undefined` if there are none. */
export function withColorsOnly(text: string): string | undefined {
  if (!mayContainCodes(text) || !color.test(text)) return undefined;
  return text.replace(notColors, '').replaceAll('\u009b', '\u001b[');
}

function mayContainCodes(text: string): boolean {
  return text.includes('\u001b') || text.includes('\u009b');
}

/** Final lines after a program overwrote them with carriage returns (progress bars). */
export function settledLines(text: string): string {
  const unix = text.replaceAll('\r\n', '\n');
  if (!unix.includes('\r')) return unix;
  return unix
    .split('\n')
    .map((line) => {
      let end = line.length;
      while (line[end - 1] === '\r') end -= 1;
      return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
    })
    .join('\n');
}

/** First line with content, without Markdown marks, for one-line summaries. */
export function firstWords(text: string, longest = 240): string {
  const line = text.split('\n', 40).find((candidate) => candidate.trim() !== '') ?? '';
  return line
    .replace(/^\s*(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+\.\s+)/, '')
    .replace(/\*\*|__|`/g, '')
    .trim()
    .slice(0, longest);
}
