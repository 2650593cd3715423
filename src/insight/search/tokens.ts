/** Longer words are indexed by their beginning. */
const longestWord = 48;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** The same for ASCII only: several times faster. */
const plainWord = /[A-Za-z0-9_]+/g;
const foreign = /[\u0080-\uffff]/;
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/u;
const inner = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu;

/**
 * Searchable words of texts, in lower case: `nextDelay` gives `nextdelay`, `next` and `delay`; scripts without spaces give
 * every pair of characters.
 */
export class WordList {
  /** Number of added words, including repetitions. */
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

/** The words of a short text in order, in the form of `WordList`. */
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
    // Longer ones are rarely names.
    if (found.length <= longestWord) yield* partsOf(cut, whole);
  }
}

/** The words of a query, each a prefix; without parts of names. */
export function wordsOfQuery(text: string): string[] {
  const words = [...text.matchAll(word)].flatMap(([found]) =>
    unspaced.test(found) ? [...pairs(found.toLowerCase())] : [found.toLowerCase().slice(0, longestWord)],
  );
  return [...new Set(words)];
}

/** Only lower-case letters: most words of most texts. */
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
