/** Longer words are indexed by their beginning. */
const longestWord = 48;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
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
  readonly #texts: string[] = [];
  readonly #found = new Set<string>();

  add(text: string): void {
    if (this.#addPlain(text)) {
      this.#texts.push(text);
      return;
    }
    for (const found of text.match(word) ?? []) {
      this.length += 1;
      this.#found.add(found);
    }
  }

  /** A text with these words for the full-text index, which splits it again, lowers ASCII and ignores repetitions. */
  text(): string {
    const words = new Set<string>();
    for (const found of this.#found) for (const each of wordsOf(found)) words.add(each);
    return [...this.#texts, [...words].join(' ')].join('\n');
  }

  /**
   * Whether the index can split the text itself: if it is ASCII, without words that are too long. Only names then need to be
   * found, for their parts. A set of all words would take several times as long.
   */
  #addPlain(text: string): boolean {
    let [words, start, isName] = [0, -1, false];
    const names: string[] = [];
    for (let at = 0; at <= text.length; at += 1) {
      const code = at === text.length ? 0 : text.charCodeAt(at);
      if (code > 127) return false;
      const kind = kindOf(code);
      if (kind === 0) {
        if (start < 0) continue;
        if (at - start > longestWord) return false;
        words += 1;
        if (isName) names.push(text.slice(start, at));
        [start, isName] = [-1, false];
      } else {
        if (start < 0) start = at;
        isName ||= kind === 2;
      }
    }
    this.length += words;
    for (const name of names) this.#found.add(name);
    return true;
  }
}

/** Of an ASCII character: 0 between words, 1 a small letter, 2 another character of words. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 ? 2 : 0;
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
