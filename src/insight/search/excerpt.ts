/** A line of an entry with matches; `ranges` are [from, to) in `text`, in order, without overlaps. */
export interface Excerpt {
  readonly text: string;
  readonly ranges: readonly (readonly [number, number])[];
}

const before = 24;
const longest = 160;
const maxRanges = 20;

/** Terminal sequences mean nothing to readers. */
// eslint forbids control characters in literals.
const controls = new RegExp('\\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?|.)', 'g');

/** Where `texts` (lower case) occur in the texts of an entry: around the place with most of them. */
export function excerptOf(all: readonly string[], texts: readonly string[]): Excerpt {
  let best: { readonly text: string; readonly at: number; readonly count: number } | undefined;
  for (const text of all) {
    const small = text.toLowerCase();
    // If lower-casing changes the length, offsets do not match.
    const places = small.length === text.length ? texts.map((word) => small.indexOf(word)).filter((at) => at >= 0) : [];
    if (places.length > (best?.count ?? 0)) best = { text, at: Math.min(...places), count: places.length };
  }
  const { text, at } = best ?? { text: all[0] ?? '', at: 0 };
  return excerptAround(text, at, texts);
}

function excerptAround(text: string, at: number, texts: readonly string[]): Excerpt {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const start = at - lineStart > before * 2 ? at - before : lineStart;
  const piece = text
    .slice(start, start + longest * 2)
    .replace(controls, '')
    .replace(/\s+/g, ' ')
    .trim();
  const shown = `${start > lineStart ? '…' : ''}${piece.slice(0, longest)}${piece.length > longest ? '…' : ''}`;
  return { text: shown, ranges: rangesIn(shown, texts) };
}

function rangesIn(text: string, texts: readonly string[]): (readonly [number, number])[] {
  const small = text.toLowerCase();
  if (small.length !== text.length) return [];
  const found: (readonly [number, number])[] = [];
  for (const word of texts) {
    for (let at = small.indexOf(word); at !== -1 && word !== ''; at = small.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
  }
  found.sort(([a], [b]) => a - b);
  const apart: (readonly [number, number])[] = [];
  for (const range of found) {
    if (range[0] >= (apart.at(-1)?.[1] ?? 0) && apart.length < maxRanges) apart.push(range);
  }
  return apart;
}
