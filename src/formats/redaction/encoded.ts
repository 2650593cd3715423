import { printableBase64, printableHex } from './rules/base64.ts';
import type { TextSpan } from './rules/rule.ts';

/** A range of base64 or hexadecimal, with its decoded text. */
export interface EncodedSpan extends TextSpan {
  readonly text: string;
}

/**
 * Base64, in either alphabet, of at least 18 printable characters. In each group of four digits, the first three must
 * encode printable bytes, which excludes nearly all identifiers.
 */
const base64 =
  /(?:[CDI-Za-f][AC-HQS-Xgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){6,16384}[\w+/-]{0,3}={0,2}/g;
/** Hexadecimal of at least 16 printable characters. */
const hex = /(?:[2-7][\da-fA-F]|0[9aAdD]){16,32768}/g;
/** A line end within base64, possibly escaped, with the next line. */
const nextLine = /(?:(?:\\{1,3}r|\r)?(?:\\{1,3}n|\n))[ \t]{0,20}([A-Za-z0-9+/]{1,80}={0,2})/y;
/** Line lengths at which programs wrap base64. */
const [shortest, longest] = [56, 80];

/** Encoded texts within a text: base64 or hexadecimal of printable ASCII. */
export function encodedTexts(text: string): EncodedSpan[] {
  const found: EncodedSpan[] = [];
  for (const { index: start, 0: run } of text.matchAll(base64)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const end = endOfLines(text, start + run.length, run.length);
    found.push({ start, end, text: printableBase64(text.slice(start, end).replaceAll(/\\+[nr]/g, '')) });
  }
  for (const { index: start, 0: run } of text.matchAll(hex)) {
    found.push({ start, end: start + run.length, text: printableHex(run) });
  }
  return found;
}

function endOfLines(text: string, from: number, first: number): number {
  let end = from;
  for (let length = first; length >= shortest && length <= longest;) {
    nextLine.lastIndex = end;
    const next = nextLine.exec(text);
    if (next === null) break;
    end += next[0].length;
    length = next[1]?.length ?? 0;
  }
  return end;
}
