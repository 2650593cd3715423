import type { Stretch } from './rules.ts';

const begin = '-----BEGIN ';
const end = '-----END ';
const label = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const closing = /-----END [A-Z0-9 ]{0,40}(?:-----)?/y;
/** What a key is made of, escaped line ends and the marks of a diff included. */
const body = /[A-Za-z0-9+/=\s\\:,-]{0,65536}/y;
const maxKey = 65_536;

/** Keys in PEM, and what there is of one whose end is missing. Linear: every place is passed once. */
export function privateKeys(text: string): Stretch[] {
  const found: Stretch[] = [];
  let nextEnd = -1;
  for (let at = text.indexOf(begin); at >= 0;) {
    const start = at;
    label.lastIndex = start;
    if (!label.test(text)) {
      at = text.indexOf(begin, start + begin.length);
      continue;
    }
    const inside = label.lastIndex;
    if (nextEnd < inside && nextEnd !== Infinity) {
      const index = text.indexOf(end, inside);
      nextEnd = index < 0 ? Infinity : index;
    }
    const stop = nextEnd - start <= maxKey ? after(closing, text, nextEnd) : after(body, text, inside);
    found.push({ start, end: stop });
    at = text.indexOf(begin, stop);
  }
  return found;
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
