import type { TextSpan } from './rule.ts';

const run = /[\w-]*/y;
/** Start of the first part in base64: `{"alg":`, `{"typ":`, `{"kid":` and other header fields. */
const header = /^eyJ(?:hbGci|0eXAi|raWQi|lbmMi|jdHki|6aXAi|qa3Ui|4NXQi|4NWMi)/;
const minPart = 10;

/** Signed and encrypted tokens. Takes linear time: no part without a following dot is examined twice. */
export function jsonWebTokens(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (let at = text.indexOf('eyJ'); at >= 0;) {
    const start = at;
    const first = endOfRun(text, start);
    at = first;
    if (text[first] === '.') {
      const second = endOfRun(text, first + 1);
      const last = text[second] === '.' ? endOfRun(text, second + 1) : second;
      const isClaims = text.startsWith('eyJ', first + 1) || header.test(text.slice(start, start + 8));
      const isLong = first - start > minPart && second - first > minPart && last - second > minPart;
      if (isClaims && isLong) {
        found.push({ start, end: endOfParts(text, last) });
        at = last;
      }
    }
    at = text.indexOf('eyJ', at);
  }
  return found;
}

/** An encrypted token has two more parts. */
function endOfParts(text: string, from: number): number {
  let end = from;
  for (let part = 0; part < 2 && text[end] === '.'; part += 1) {
    const next = endOfRun(text, end + 1);
    if (next - end <= minPart) break;
    end = next;
  }
  return end;
}

function endOfRun(text: string, at: number): number {
  run.lastIndex = at;
  run.test(text);
  return run.lastIndex;
}
