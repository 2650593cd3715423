import type { LineRange } from '../types.ts';

/** Line numbers in words next to a file name: "(lines 3–5)", "from line 1 to line 2", "第 12 行". */

const several = '(?:lines|Zeilen|lignes|l[ií]neas|linhas|righe|строки)';
const lineWord = String.raw`(?:lines?|L|Zeilen?|lignes?|l[ií]neas?|linhas?|righe|riga|строк[аие])`;
const to = String.raw`\s{0,2}(?:-|–|—|~|～|to|bis|à|a|至|到)\s{0,2}`;
const stretch = String.raw`${lineWord}\s{0,2}(?<first>\d{1,7})(?:${to}(?:${lineWord}\s{0,2})?(?<last>\d{1,7}))?`;
/** More lines of a list: ", 9", "and 12-14". */
const furtherLines = String.raw`(?<more>(?:\s{0,2},\s{0,2}(?:and\s{1,2})?\d{1,7}(?:[-–]\d{1,7})?(?!\w|\s{1,2}\p{L})|\s{1,2}(?:and|und|et|y|&)\s{1,2}\d{1,7}(?:[-–]\d{1,7})?(?!\w)){0,9})`;

const linesAfter = new RegExp(
  String.raw`^[\x60*_"'”»」)]{0,4}[,:]?\s{0,2}[(（,]?\s{0,2}(?:[的の]\s{0,2})?(?:(?:at|in|on|around|starting at|from) )?(?:(?=${several})${stretch}${furtherLines}|${stretch.replaceAll('<first>', '<from>').replaceAll('<last>', '<until>')}|第?\s{0,2}(?<one>\d{1,7})(?:${to}(?<other>\d{1,7}))?\s{0,2}行)(?!\w|\.\d)[)）]?`,
  'iu',
);
const front = new RegExp(
  String.raw`(?<!\p{L})${stretch}(?:\s{1,2}and\s{1,2}(?<next>\d{1,7}))?\s(?:of|in|from|von|de|du|di|в)\s(?:the file\s)?[\x60*_"'“„«「]{0,4}$`,
  'iu',
);

/** The lines at the beginning of these words, and the length of that part. */
export function leadingLines(text: string): { readonly lines: LineRange; readonly length: number } | undefined {
  const found = linesAfter.exec(text);
  const { first, last, more: list, from, until, one, other } = found?.groups ?? {};
  const lines = rangeOf(first ?? from ?? one, last ?? until ?? other, list);
  return found === null || lines === undefined ? undefined : { lines, length: found[0].length };
}

/** The lines at the end of these words, and where that part begins. */
export function trailingLines(text: string): { readonly lines: LineRange; readonly at: number } | undefined {
  const found = front.exec(text);
  const { first, last, next } = found?.groups ?? {};
  const lines = rangeOf(first, last, next);
  return found === null || lines === undefined ? undefined : { lines, at: found.index };
}

/** The first range of a list of lines, extended by its next numbers if they are adjacent. */
function rangeOf(first: string | undefined, last: string | undefined, list = ''): LineRange | undefined {
  const start = Number(first ?? 0);
  if (start === 0) return undefined;
  let end = Math.max(start, Number(last ?? start));
  for (const number of list.match(/\d{1,7}/g) ?? []) if (Number(number) === end + 1) end += 1;
  return [start, end];
}
