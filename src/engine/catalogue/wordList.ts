import { longestWord, wordPattern, wordsOf } from '../../insight/search/tokens.ts';

const spaceByte = 32;
/** The golden ratio: spreads similar numbers over all slots. */
const spread = 0x9e37_79b1;
const [lower, upper, digit, underscore, foreign] = [1, 2, 4, 8, 16] as const;
/** Kind of each byte in words; 0 for all others. */
const kindOfByte = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 127) return foreign;
  const character = String.fromCharCode(byte);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  return /\d/.test(character) ? digit : character === '_' ? underscore : 0;
});
const slotBits = 13;
const slots = 2 ** slotBits;
/** With more words in the table, further ones may be repeated. */
const maxRemembered = slots / 2;

/** The current text in UTF-8. Used again for each text. */
let source = Buffer.alloc(256 * 1024);
/** Words of the current list, each followed by a space, in UTF-8. Used again for each list. */
let output = Buffer.alloc(64 * 1024);
/** For each slot: number of the list that uses it, where its word starts in `output`, and the hash of the word. */
const owners = new Uint32Array(slots);
const starts = new Uint32Array(slots);
const hashes = new Int32Array(slots);
let lastList = 0;

/**
 * Searchable words of texts, each once, in lower case: `nextDelay` gives `nextdelay`, `next` and `delay`; scripts without
 * spaces give every pair of characters. Only one list can be filled at a time.
 *
 * Most words are ASCII, so the text is read by bytes. A regular expression and a set of strings take three times as long,
 * characters of strings one and a half times as long.
 */
export class WordList {
  /** Number of added words, including repetitions. */
  length = 0;
  readonly #list = (lastList += 1);
  #remembered = 0;
  /** Bytes of `output` in use. */
  #end = 0;

  add(text: string): void {
    if (source.length < text.length * 3) source = Buffer.alloc(text.length * 3);
    const [bytes, length] = [source, source.write(text)];
    for (let at = 0; at < length; at += 1) {
      const start = at;
      let [seen, kind] = [0, 0];
      while (at < length && (kind = kindOfByte[bytes[at] ?? 0] ?? 0) !== 0) {
        seen |= kind;
        at += 1;
      }
      if (seen === 0) continue;
      if (seen >= foreign) {
        this.#addForeign(bytes.toString('utf8', start, at));
        continue;
      }
      this.length += 1;
      this.#addAscii(start, Math.min(at, start + longestWord));
      // Longer ones are rarely names.
      if (seen !== lower && seen !== digit && at - start <= longestWord) this.#addParts(start, at);
    }
  }

  /** The words in UTF-8, separated by spaces, for the full-text index. */
  bytes(): Uint8Array {
    return Uint8Array.from(output.subarray(0, this.#end));
  }

  /** With characters beyond ASCII. */
  #addForeign(text: string): void {
    for (const found of text.match(wordPattern) ?? []) {
      this.length += 1;
      for (const word of wordsOf(found)) this.#addWord(word);
    }
  }

  /** Adds ASCII bytes of the source. */
  #addAscii(from: number, to: number): void {
    this.#reserve(to - from);
    const [bytes, words, end] = [source, output, this.#end - from];
    let hash = 0;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      const small = kindOfByte[byte] === upper ? byte + 32 : byte;
      words[end + at] = small;
      hash = (Math.imul(hash, 31) + small) | 0;
    }
    this.#addIfNew(to - from, hash);
  }

  /** The parts of an ASCII name: `HTTPServer_2x` gives `http` and `server`. Single characters are not added. */
  #addParts(from: number, to: number): void {
    const kindAt = (at: number): number => (at < to ? (kindOfByte[source[at] ?? 0] ?? 0) : 0);
    for (let at = from; at < to;) {
      const start = at;
      const kind = kindAt(at);
      while (kindAt(at) === kind) at += 1;
      if (kind === upper && kindAt(at) === lower) {
        // The last capital begins the next part.
        this.#addPart(start, at - 1, to - from);
        const capital = at - 1;
        while (kindAt(at) === lower) at += 1;
        this.#addPart(capital, at, to - from);
      } else if (kind !== underscore) this.#addPart(start, at, to - from);
    }
  }

  #addPart(from: number, to: number, whole: number): void {
    if (to - from > 1 && to - from < whole) this.#addAscii(from, to);
  }

  #addWord(word: string): void {
    this.#reserve(word.length * 3);
    const written = output.write(word, this.#end);
    let hash = 0;
    for (let at = 0; at < written; at += 1) hash = (Math.imul(hash, 31) + (output[this.#end + at] ?? 0)) | 0;
    this.#addIfNew(written, hash);
  }

  /** Keeps the word at the end of the output if it is new. */
  #addIfNew(length: number, hash: number): void {
    const [bytes, end, list] = [output, this.#end, this.#list];
    bytes[end + length] = spaceByte;
    let slot = Math.imul(hash, spread) >>> (32 - slotBits);
    while (owners[slot] === list) {
      if (hashes[slot] === hash && isSame(bytes, starts[slot] ?? 0, end, length)) return;
      slot = (slot + 1) % slots;
    }
    if (this.#remembered < maxRemembered) {
      owners[slot] = list;
      starts[slot] = end;
      hashes[slot] = hash;
      this.#remembered += 1;
    }
    this.#end = end + length + 1;
  }

  /** Makes room for a word and a space. */
  #reserve(bytes: number): void {
    if (this.#end + bytes < output.length) return;
    output = Buffer.concat([output, Buffer.alloc(output.length)]);
  }
}

/** Whether two words are the same, including the space after them. */
function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at <= length; at += 1) if (bytes[one + at] !== bytes[other + at]) return false;
  return true;
}
