/** Unicode code points, the unit of citation ranges. A lone surrogate counts as one. */
export function codePoints(text: string): number {
  let length = text.length;
  for (const pair of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) length -= pair[0].length - 1;
  return length;
}

/** The UTF-16 offset of each code point index; indexes must ascend, and those beyond the end give the end. */
export function utf16Offsets(text: string, indexes: readonly number[]): number[] {
  const offsets: number[] = [];
  let points = 0;
  let at = 0;
  for (const index of indexes) {
    while (points < index && at < text.length) {
      const wide = isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1));
      at += wide ? 2 : 1;
      points += 1;
    }
    offsets.push(at);
  }
  return offsets;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
