import type { TextSpan } from './rule.ts';

const begin = '-----BEGIN ';
const end = '-----END ';
const label = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const closing = /-----END [A-Z0-9 ]{0,40}(?:-----)?/y;
/** Characters of a key, including escaped line ends and diff marks. */
const body = /[A-Za-z0-9+/=\s\\:,-]{0,65536}/y;
const maxKeyCharacters = 65_536;
const maxLineCharacters = 400;
/** `PRIVATE KEY` in base64, at each of the three possible offsets. */
const privateKeyInBase64 = /UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW/;

/** Keys in PEM, also without their end. Takes linear time. */
export function privateKeys(text: string): TextSpan[] {
  const found: TextSpan[] = [];
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
    const stop =
      nextEnd - start <= maxKeyCharacters
        ? skipMatch(closing, text, nextEnd)
        : Math.max(skipMatch(body, text, inside), endOfLines(text, inside));
    found.push({ start, end: stop });
    at = text.indexOf(begin, stop);
  }
  return found;
}

/** End of the lines that continue a key, with line numbers, quotes or diff marks around them. */
function endOfLines(text: string, from: number): number {
  let stop = from;
  for (let at = lineEnd(text, from); at >= 0 && at - from < maxKeyCharacters;) {
    const next = lineEnd(text, at + 1);
    const line = text.slice(at + 1, next < 0 ? at + 1 + maxLineCharacters : next);
    const part = /[A-Za-z0-9+/]{40,}={0,2}/.exec(line);
    if (part === null) {
      // The last line of a key is shorter.
      const last = stop > from ? /^[^A-Za-z]{0,24}[A-Za-z0-9+/]{2,39}={0,2}/.exec(line) : null;
      return last !== null && /[\d+/=]/.test(last[0]) ? at + 1 + last[0].length : stop;
    }
    stop = at + 1 + part.index + part[0].length;
    at = next;
  }
  return stop;
}

/** Searches no further than a key's line, because it is called for each of many starts. */
function lineEnd(text: string, from: number): number {
  const end = text.slice(from, from + maxLineCharacters).indexOf('\n');
  return end < 0 ? -1 : from + end;
}

/** PEM in base64: a key, not a certificate. */
export function isEncodedKey(base64: string): boolean {
  return privateKeyInBase64.test(base64.slice(0, 80));
}

function skipMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
