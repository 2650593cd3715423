import { longestWord, partsOf, wordPattern, wordsOf } from '../../insight/search/tokens.ts';

const space = 32;
/** The golden ratio: spreads similar numbers over all slots. */
const spread = 0x9e37_79b1;
const [lower, upper, digit, underscore, foreign] = [1, 2, 4, 8, 16] as const;
/** Kind of each ASCII character in words; 0 for all others. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  return /\d/.test(character) ? digit : character === '_' ? underscore : 0;
});
const slotBits = 13;
const slots = 2 ** slotBits;
/** With more words in the table, further ones may be repeated. */
const maxRemembered = slots / 2;

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
 * Most words are ASCII, so the text is read by characters. A regular expression and a set of strings take three times as
 * long.
 */
export class WordList {
  /** Number of added words, including repetitions. */
  length = 0;
  readonly #list = (lastList += 1);
  readonly #names = new Set<string>();
  #remembered = 0;
  /** Bytes of `output` in use. */
  #end = 0;

  add(text: string): void {
    const { length } = text;
    let at = 0;
    while (at < length) {
      if (kindOf(text.charCodeAt(at)) === 0) {
        at += 1;
        continue;
      }
      this.#reserve(longestWord);
      const [bytes, start, end] = [output, at, this.#end];
      let [seen, laterSeen, hash] = [0, 0, 0];
      for (; at < length; at += 1) {
        const code = text.charCodeAt(at);
        const kind = kindOf(code);
        if (kind === 0) break;
        laterSeen |= seen === 0 ? 0 : kind;
        seen |= kind;
        if (at - start >= longestWord) continue;
        const small = kind === upper ? code + 32 : code;
        bytes[end + at - start] = small;
        hash = (Math.imul(hash, 31) + small) | 0;
      }
      if (seen >= foreign) this.#addForeign(text.slice(start, at));
      else {
        this.length += 1;
        this.#keep(Math.min(at - start, longestWord), hash);
        if (seen !== lower && at - start <= longestWord && isName(seen, laterSeen))
          this.#addParts(text.slice(start, at));
      }
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

  #addParts(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    for (const part of partsOf(name, name.toLowerCase())) this.#addWord(part);
  }

  #addWord(word: string): void {
    this.#reserve(word.length * 3);
    const written = output.write(word, this.#end);
    let hash = 0;
    for (let at = 0; at < written; at += 1) hash = (Math.imul(hash, 31) + (output[this.#end + at] ?? 0)) | 0;
    this.#keep(written, hash);
  }

  /** Keeps the word at the end of the output if it is new. */
  #keep(length: number, hash: number): void {
    const [bytes, end, list] = [output, this.#end, this.#list];
    bytes[end + length] = space;
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

function kindOf(code: number): number {
  return code > 127 ? foreign : (kinds[code] ?? 0);
}

/** Whether a word may consist of several parts. `later`: kinds of its characters without the first one. */
function isName(seen: number, later: number): boolean {
  if ((seen & (digit | underscore)) !== 0) return seen !== digit;
  return (later & upper) !== 0 && seen !== upper;
}

/** Whether two words are the same, including the space after them. */
function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at <= length; at += 1) if (bytes[one + at] !== bytes[other + at]) return false;
  return true;
}
