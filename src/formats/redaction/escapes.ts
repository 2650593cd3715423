import type { TextSpan } from './rules/rule.ts';

/** Terminal colors, raw or escaped. */
const color = String.raw`(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[\d;]{0,20}[mK]`;
const named: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  lowbar: '_',
  UnderBar: '_',
  period: '.',
  colon: ':',
  sol: '/',
  plus: '+',
  equals: '=',
  hyphen: '-',
  dash: '-',
  commat: '@',
  excl: '!',
  num: '#',
  dollar: '$',
  percnt: '%',
  tilde: '~',
  ast: '*',
  shy: '',
  nbsp: ' ',
  ZeroWidthSpace: '',
  zwj: '',
  zwnj: '',
  NoBreak: '',
};
/** Invisible characters, which are not part of a secret: zero-width characters, soft hyphens, direction marks. */
const invisibleCharacters = String.raw`[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]`;
const escapedInvisibleCharacters = String.raw`\\{1,4}u(?:00[aA][dD]|200[b-fB-F]|206[0-4]|[fF][eE][fF][fF]|202[a-eA-E])`;
const character = String.raw`\\{1,4}(?:u00|x)(?<unicode>[2-7][\da-fA-F])|\\{1,4}u\{0{0,4}(?<braced>[2-7][\da-fA-F])\}|%(?:25){0,2}(?<percent>[2-7][\da-fA-F])|\\{1,3}(?<slash>\/)|&(?:amp;){0,2}(?:#(?:0{0,4}(?<decimal>\d{2,5})|[xX]0{0,4}(?<hex>[\da-fA-F]{2,4}))|(?<entity>${Object.keys(named).join('|')}));`;
/** Line continuations and string concatenations of programming languages. */
const blanks = String.raw`[ \t]{0,9}(?:\r?\n)?[ \t]{0,40}`;
const quote = String.raw`\\{0,3}["'\x60]`;
const joint = String.raw`\\(?:\r?\n|\\(?:\\r)?\\n)|${quote}(?:${blanks}(?:\+|\.{1,2}|&)${blanks}|[ \t]{0,9}\r?\n[ \t]{0,40})${quote}`;
const escape = new RegExp(`${color}|${escapedInvisibleCharacters}|${invisibleCharacters}|${character}|${joint}`, 'g');
const anyEscape = new RegExp(escape.source);

/** Never part of a secret. */
const leftOut = '\0';
/** Text further than this from any escape is left out, because it is searched unmodified, too. */
const reach = 4000;

/** A text with escapes decoded. */
export interface UnescapedText {
  readonly text: string;
  /** Maps a range of `text` to the original. */
  original(stretch: TextSpan): TextSpan;
}

/** Position after an escape or omission in the new text, and the length difference up to there. */
interface Place {
  readonly end: number;
  readonly longer: number;
  readonly added: number;
}

/** Decodes terminal colors and escapes of URLs, HTML and strings; `null` if there are none. */
export function unescapeText(text: string): UnescapedText | null {
  if (!anyEscape.test(text)) return null;
  const view = new View(text);
  for (const match of text.matchAll(escape))
    view.replace(match.index, match[0].length, decodeEscape(match.groups ?? {}));
  return view.build();
}

/** Builds the text from left to right. */
class View implements UnescapedText {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #places: Place[] = [];
  #takenUpTo = 0;
  #length = 0;
  text = '';

  constructor(source: string) {
    this.#source = source;
  }

  replace(at: number, length: number, by: string): void {
    const isFirst = this.#takenUpTo === 0;
    if (at - this.#takenUpTo > (isFirst ? reach : 2 * reach)) {
      if (!isFirst) this.#keep(this.#takenUpTo + reach);
      this.#put(at - reach, leftOut);
    }
    this.#keep(at);
    this.#put(at + length, by);
  }

  build(): UnescapedText {
    this.#keep(this.#takenUpTo + reach);
    this.text = this.#parts.join('');
    return this;
  }

  original({ start, end }: TextSpan): TextSpan {
    return { start: this.#start(start), end: this.#end(end) };
  }

  #keep(to: number): void {
    const saved = this.#source.slice(this.#takenUpTo, to);
    this.#parts.push(saved);
    this.#length += saved.length;
    this.#takenUpTo += saved.length;
  }

  #put(to: number, added: string): void {
    this.#parts.push(added);
    this.#length += added.length;
    this.#takenUpTo = to;
    this.#places.push({ end: this.#length, longer: to - this.#length, added: added.length });
  }

  #start(at: number): number {
    return at + (this.#places[this.#countPlacesUpTo(at) - 1]?.longer ?? 0);
  }

  /** After the last character, but before a following color. */
  #end(at: number): number {
    const count = this.#countPlacesUpTo(at - 1);
    const next = this.#places[count];
    const last = next?.end === at && next.added > 0 ? next : this.#places[count - 1];
    return at + (last?.longer ?? 0);
  }

  /** Number of places up to this position. */
  #countPlacesUpTo(at: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.end ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function decodeEscape(groups: Readonly<Record<string, string | undefined>>): string {
  const { unicode, braced, percent, hex, decimal, slash, entity } = groups;
  const digits = unicode ?? braced ?? percent ?? hex;
  const code =
    digits === undefined ? (decimal === undefined ? undefined : Number(decimal)) : Number.parseInt(digits, 16);
  if (code !== undefined)
    return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d ? String.fromCharCode(code) : '';
  if (slash !== undefined) return '/';
  return entity === undefined ? '' : (named[entity] ?? '');
}
