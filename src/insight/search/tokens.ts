/** Longer words are indexed by their beginning. */
export const longestWord = 48;
export const wordPattern = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/u;
const inner = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu;

/** The words of a short text in order, with the parts of names. */
export function wordsIn(text: string): string[] {
  return (text.match(wordPattern) ?? []).flatMap((found) => [...wordsOf(found)]);
}

/**
 * A word in lower case and its parts: `nextDelay` gives `nextdelay`, `next` and `delay`; scripts without spaces give every
 * pair of characters.
 */
export function* wordsOf(found: string): Generator<string> {
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
  const words = [...text.matchAll(wordPattern)].flatMap(([found]) =>
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

/** The parts of a name that are not the whole name. */
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
