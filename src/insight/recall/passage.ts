/** Characters of a passage. */
export const maxPassage = 900;
/** Characters of a text that are searched. */
const maxCharacters = 64 * 1024;

/** Blocks of text between empty lines, the preferred boundaries of a passage. */
const blockBreak = /\n\s*\n/g;

export interface Passage {
  readonly text: string;
  /** More text precedes or follows. */
  readonly cut: boolean;
}

/** The part of a text with the most of these lower-case words; the whole text if it is short. */
export function passageOf(text: string, words: readonly string[]): Passage {
  const whole = text.slice(0, maxCharacters).trim();
  if (whole.length <= maxPassage) return { text: whole, cut: text.length > maxCharacters };
  const small = whole.toLowerCase();
  const countWordsFrom = (from: number): number => {
    const stretch = small.slice(from, from + maxPassage);
    return words.reduce((sum, word) => sum + (stretch.includes(word) ? 1 : 0), 0);
  };
  const best = { from: 0, held: countWordsFrom(0) };
  const { blocks, within } = passageStarts(whole);
  // The last block with as many words is the nearest; another position must have more.
  for (const [places, minimumGain] of [
    [blocks, 0],
    [within, 1],
  ] as const) {
    for (const from of places) {
      const heldEnd = countWordsFrom(from);
      if (heldEnd >= best.held + minimumGain) Object.assign(best, { from, held: heldEnd });
    }
  }
  const piece = whole.slice(best.from, best.from + maxPassage);
  const atEnd = best.from + maxPassage >= whole.length;
  return { text: atEnd ? piece : cutAtBreak(piece), cut: true };
}

/** Possible starts of a passage: at a block, and at regular distances in a long one. */
function passageStarts(text: string): { readonly blocks: readonly number[]; readonly within: readonly number[] } {
  const blocks = [0, ...Array.from(text.matchAll(blockBreak), ({ 0: gap, index }) => index + gap.length)];
  const within: number[] = [];
  for (const [at, from] of blocks.entries()) {
    const to = blocks[at + 1] ?? text.length;
    for (let place = from + maxPassage / 2; place < to; place += maxPassage / 2) {
      const space = text.indexOf(' ', place);
      if (space >= 0 && space < to) within.push(space + 1);
    }
  }
  return { blocks, within };
}

/** The piece without a block or word that was cut in half. */
function cutAtBreak(piece: string): string {
  const half = piece.length / 2;
  const at = [piece.lastIndexOf('\n\n'), piece.lastIndexOf('\n'), piece.lastIndexOf(' ')].find(
    (position) => position > half,
  );
  return (at === undefined ? piece.replace(/[\ud800-\udbff]$/, '') : piece.slice(0, at)).trim();
}
