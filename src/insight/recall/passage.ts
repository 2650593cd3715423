/** Characters of a passage. */
export const longestPassage = 900;
/** Characters of a text that are looked at; what comes later is not found by its words either. */
const mostCharacters = 64 * 1024;

/** Blocks of text between empty lines: what is cut should begin and end with one. */
const blockBreak = /\n\s*\n/g;

export interface Passage {
  readonly text: string;
  /** Something stands before or after it. */
  readonly cut: boolean;
}

/** The stretch of a text that holds most of the words, which are in small letters; the whole where it is short. */
export function passageOf(text: string, words: readonly string[]): Passage {
  const whole = text.slice(0, mostCharacters).trim();
  if (whole.length <= longestPassage) return { text: whole, cut: text.length > mostCharacters };
  const small = whole.toLowerCase();
  const heldFrom = (from: number): number => {
    const stretch = small.slice(from, from + longestPassage);
    return words.reduce((sum, word) => sum + (stretch.includes(word) ? 1 : 0), 0);
  };
  const best = { from: 0, held: heldFrom(0) };
  const { blocks, within } = beginnings(whole);
  // The last block that holds as much is nearest to it; another place is worth it only where it holds more.
  for (const [places, more] of [
    [blocks, 0],
    [within, 1],
  ] as const) {
    for (const from of places) {
      const held = heldFrom(from);
      if (held >= best.held + more) Object.assign(best, { from, held });
    }
  }
  const piece = whole.slice(best.from, best.from + longestPassage);
  const atEnd = best.from + longestPassage >= whole.length;
  return { text: atEnd ? piece : upToBreak(piece), cut: true };
}

/** Where a stretch may begin: with a block, and within a long one every so often. */
function beginnings(text: string): { readonly blocks: readonly number[]; readonly within: readonly number[] } {
  const blocks = [0, ...Array.from(text.matchAll(blockBreak), ({ 0: gap, index }) => index + gap.length)];
  const within: number[] = [];
  for (const [at, from] of blocks.entries()) {
    const to = blocks[at + 1] ?? text.length;
    for (let place = from + longestPassage / 2; place < to; place += longestPassage / 2) {
      const space = text.indexOf(' ', place);
      if (space >= 0 && space < to) within.push(space + 1);
    }
  }
  return { blocks, within };
}

/** Without the half of a block, or else of a word, that the cut left. */
function upToBreak(piece: string): string {
  const half = piece.length / 2;
  const at = [piece.lastIndexOf('\n\n'), piece.lastIndexOf('\n'), piece.lastIndexOf(' ')].find((each) => each > half);
  return (at === undefined ? piece.replace(/[\ud800-\udbff]$/, '') : piece.slice(0, at)).trim();
}
