/** A word longer than this is known by its beginning. */
const longestWord = 48;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** The same where there is nothing but ASCII: several times as fast. */
const plainWord = /[A-Za-z0-9_]+/g;
const foreign = /[\u0080-\uffff]/;
/** Writing without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/u;
const inner = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu;

/**
 * The words of texts in small letters, as they are found again: `nextDelay` is `nextdelay`, `next` and `delay`; writing
 * without spaces gives every pair of signs.
 */
export class WordList {
  /** Words that were added, repetitions included. */
  length = 0;
  readonly #found = new Set<string>();

  add(text: string): void {
    for (const found of text.match(foreign.test(text) ? word : plainWord) ?? []) {
      this.length += 1;
      this.#found.add(found);
    }
  }

  /** Each word once, separated by spaces. */
  text(): string {
    const words = new Set<string>();
    for (const found of this.#found) for (const each of wordsOf(found)) words.add(each);
    return [...words].join(' ');
  }
}

/** The words of a short text in their order, as `WordList` has them. */
export function wordsIn(text: string): string[] {
  return (text.match(word) ?? []).flatMap((found) => [...wordsOf(found)]);
}

function* wordsOf(found: string): Generator<string> {
  if (isPlain(found)) {
    yield found.length > longestWord ? found.slice(0, longestWord) : found;
  } else if (unspaced.test(found)) {
    yield* pairs(found.toLowerCase());
  } else {
    const cut = found.slice(0, longestWord);
    const whole = cut.toLowerCase();
    yield whole;
    // What is longer is rarely a name.
    if (found.length <= longestWord) yield* partsOf(cut, whole);
  }
}

/** The words of a query, each to be found by its beginning; without the parts of names. */
export function wordsOfQuery(text: string): string[] {
  const words = [...text.matchAll(word)].flatMap(([found]) =>
    unspaced.test(found) ? [...pairs(found.toLowerCase())] : [found.toLowerCase().slice(0, longestWord)],
  );
  return [...new Set(words)];
}

/** Small letters only: most words of most texts. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

function* partsOf(name: string, whole: string): Generator<string> {
  for (const [part] of name.matchAll(inner)) {
    const small = part.toLowerCase();
    if (small.length > 1 && small !== whole) yield small;
  }
}

function* pairs(text: string): Generator<string> {
  const signs = Array.from(text);
  if (signs.length === 1) yield text;
  for (let at = 0; at + 1 < signs.length; at += 1) yield `${signs[at]}${signs[at + 1]}`;
}
