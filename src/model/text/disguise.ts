import { characterName, hiddenCharacters } from './visibleText.ts';

/** Ways in which a command looks like a different one. */
export interface Disguise {
  /** Names of invisible characters, such as `U+200B`; each once. */
  readonly hiddenCharacters: readonly string[];
  /** Alphabets mixed within one word. */
  readonly scripts: readonly string[];
  /** Characters that look like ASCII characters; each once. */
  readonly lookAlikes: readonly string[];
  /** Positions of all of them, in order. */
  readonly spots: readonly SuspiciousCharacter[];
}

interface SuspiciousCharacter {
  readonly start: number;
  readonly end: number;
  readonly isHidden: boolean;
}

const ascii = /^[\n\t -~]*$/;
const scripts =
  'Latin Cyrillic Greek Armenian Cherokee Coptic Lisu Georgian Hebrew Arabic Devanagari Deseret Gothic Osage Tifinagh Canadian_Aboriginal Old_Italic'
    .split(' ')
    .map((name) => ({ name: name.replace('_', ' '), pattern: new RegExp(String.raw`\p{Script=${name}}`, 'u') }));
/** Rare alphabets whose letters look like Latin ones. */
const rare = /[\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}\p{sc=Deseret}\p{sc=Gothic}\p{sc=Osage}\p{sc=Old_Italic}]/u;
/** Letters of these alphabets that look like Latin ones, then those that nearly do. */
const likeLatin = /[аеорсухіјѕѵԁԛԝһӏүАВЕЗІЈКМНОРСТУХЅԚԜҮӀονιραγυκϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհաՏՕՍԼ]/u;
const nearlyLatin = /[кпгтмнвбьзиἀ-ἇτωηχεβζք]/u;
const foreignLetters = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}]/gu;
const words = /(?<=\\)[abefnrtv0](?=[^ -~])|(?<=%)[dqs](?=[^ -~])|[\p{L}\p{M}\p{N}\u02b0-\u02ff]+/gu;
const tokens = /[^\s;|&()<>`'"$/\\=,]+/gu;
const commandPosition = /(?:^|[;|&(`]|\b(?:sudo|exec|env|nohup|time|xargs|command) )[ \t]*$/;
/** Look like ASCII punctuation, and never occur in ordinary commands; the last few only look like it between ASCII. */
const likeMarks =
  /[\u01c0-\u01c3\u02b9-\u02bc\u02c8\u02cb\u02d0\u02d7\u02f8\u05c0\u05c3\u1427\u1735\u2010-\u2012\u2043\u2044\u204e\u2212\u2215-\u2217\u2223\u2236\u223c\u2571\u2572\u2758\u27cb\u29f5\u29f8\u29f9\u2e40\ua4fa\ua4fd\ua4ff\ua789\ua78c\u{1f150}-\u{1f169}]|(?<=[!-~])[\u0589\u3002\u3007\u30ce\u30fc\u3163\u4e00\u4e36\u4e3f\uff61](?=[!-~])|(?<=\s)[\u30fc\u4e00](?=[A-Za-z])|(?<=[A-Za-z])\u00d7(?=[A-Za-z])|[!-~](?=\p{M})|(?<=[ -~])(?![\ufe00-\ufe0f])\p{M}/gu;
/** Latin letters of phonetic alphabets and small capitals. */
const likeLetters =
  /[\u0131\u0184\u0185\u0237\u0250-\u02af\u1d00-\u1d7f\u212e\u2374\ua730\ua731\ua798\ua799\ua7ae\ua7b0]/gu;
const turkish = /[şğçöüâİŞĞÇÖÜ]/;
/** Typographic dashes and quotes, which replace ASCII ones outside quotes. */
const typographic = /[\u2013-\u2015\u2018\u2019\u201b-\u201d\u2032\u2033]/u;
/** Look like a shell's operator, quote or dash; ordinary inside quotes and in text of another script. */
const likeOperators =
  /(?<=^|[ -~])[\u00a6\u00ab\u00b4\u00bb\u02c2\u02c3\u02dc\u055a\u05be\u061b\u066a\u06d4\u0701\u1806\u201a\u2039\u203a\u204f\u2053\u2500\u2502\u276e\u276f\u2796\u2a1f\u301c\u3033\ua778\uffe8](?=$|[ -~])/u;
const outsideOfQuotes = new RegExp(`${typographic.source}|${likeOperators.source}`, 'gu');
/** Ordinary characters that compatibility normalization turns into ASCII: superscripts, fractions, units, ellipses, circled numbers. */
const compatible =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u0132\u0133\u2025\u2026\u203c\u2047-\u2049\u2070-\u209c\u2103\u2109\u2116\u2120\u2122\u2139\u2150-\u215e\u2460-\u249b\u3200-\u33ff]/;
/** Those that may end a word: superscripts, units, dots and trade marks. */
const mayEndWord =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u2025\u2026\u203c\u2047-\u2049\u2070-\u209c\u2103\u2109\u2120\u2122\u3371-\u33ff]/;
/** Raised dots that look like the dot of a host or file name; Catalan has the first between two l. */
const middleDots = /(?<=[A-Za-z\d])[\u00b7\u0387\u2022\u2027\u2219\u22c5\u30fb\uff65](?=[A-Za-z\d])/gu;
const dotBetweenLs = /l\u00b7l/i;
const compatibles = new RegExp(compatible, 'g');
const notAscii = /[^\n\t -~]/gu;
const fullWidth = /[\u3000-\u303f\ufe50-\uff5e]/;
const cjk = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3000-\u303f]/u;

/** `undefined` if the text is what it looks like: ASCII, or ordinary text of any language. */
export function findDisguise(command: string): Disguise | undefined {
  if (ascii.test(command)) return undefined;
  const scan = new Scan(command);
  scan.findHidden();
  scan.findMixedWords();
  scan.foreignTokens();
  scan.marks();
  scan.findNormalizable();
  scan.findUnquoted();
  return scan.result();
}

class Scan {
  readonly #text: string;
  readonly #spotsByStart = new Map<number, SuspiciousCharacter>();
  readonly #scripts = new Set<string>();
  readonly #hiddenNames = new Set<string>();
  readonly #lookAlikes = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  result(): Disguise | undefined {
    if (this.#spotsByStart.size === 0) return undefined;
    const spots = [...this.#spotsByStart.values()].toSorted((a, b) => a.start - b.start);
    return {
      hiddenCharacters: [...this.#hiddenNames],
      scripts: [...this.#scripts],
      lookAlikes: [...this.#lookAlikes],
      spots,
    };
  }

  findHidden(): void {
    for (const { index, character } of hiddenCharacters(this.#text, 'code')) {
      this.#hiddenNames.add(characterName(character));
      this.#spotsByStart.set(index, { start: index, end: index + character.length, isHidden: true });
    }
    for (const { index, 0: character } of this.#text.matchAll(/\p{Co}/gu)) {
      this.#hiddenNames.add(characterName(character));
      this.#spotsByStart.set(index, { start: index, end: index + character.length, isHidden: true });
    }
  }

  /** Letters of two alphabets in one word, and digits of another script beside ASCII. */
  findMixedWords(): void {
    for (const { index, 0: word } of this.#text.matchAll(words)) {
      if (ascii.test(word)) continue;
      const found = scripts.filter(({ pattern }) => pattern.test(word));
      const [first] = found;
      if (found.length > 1) for (const { name } of found) this.#scripts.add(name);
      for (const { index: at, 0: character } of word.matchAll(notAscii)) {
        const isMixed = found.length > 1 && /\p{L}/u.test(character) && first?.pattern.test(character) === false;
        const isDigit = /\p{Nd}/u.test(character) && /[A-Za-z\d]/.test(word);
        if (isMixed || isDigit || rare.test(character)) this.#add(index + at, character);
      }
    }
  }

  /** Words of another alphabet that look entirely Latin: in a name with Latin parts, as a command, or alone. */
  foreignTokens(): void {
    const isText = (this.#text.match(foreignLetters) ?? []).some((letter) => !likeLatin.test(letter));
    for (const { index, 0: token } of this.#text.matchAll(tokens)) {
      const letters = token.match(foreignLetters);
      if (letters === null) continue;
      const isLike = letters.every((letter) => likeLatin.test(letter));
      const isNearly = isLike || letters.every((letter) => likeLatin.test(letter) || nearlyLatin.test(letter));
      const starts = isNearly && commandPosition.test(this.#text.slice(Math.max(0, index - 40), index));
      if (!starts && !(isLike && (!isText || /[A-Za-z]/.test(token)))) continue;
      for (const { index: at, 0: letter } of token.matchAll(foreignLetters)) this.#add(index + at, letter);
    }
  }

  marks(): void {
    for (const { index, 0: mark } of this.#text.matchAll(likeMarks)) {
      if (ascii.test(mark)) continue;
      const pair = this.#text.slice(index - 1, index) + mark;
      // Decomposed letters, as in macOS file names, are letters.
      if (/\p{M}/u.test(mark) && pair.normalize('NFC').length < pair.length) continue;
      this.#add(index, mark);
    }
    const isTurkish = turkish.test(this.#text);
    for (const { index, 0: letter } of this.#text.matchAll(likeLetters)) {
      if (letter !== 'ı' || !isTurkish) this.#add(index, letter);
    }
    this.#findTypography();
  }

  #findTypography(): void {
    const isQuoted = quotedPlaces(this.#text);
    for (const { index, 0: mark } of this.#text.matchAll(outsideOfQuotes)) {
      const isInQuotes = isQuoted(index);
      if (!typographic.test(mark)) {
        if (!isInQuotes) this.#add(index, mark);
        continue;
      }
      const [last, next] = [this.#text.charAt(index - 1), this.#text.charAt(index + 1)];
      const beside = `${last}${next}`;
      const isOption = /[\u2013-\u2015]/.test(mark) && /^[\s=(]?$/.test(last) && /[\w\u2013-\u2015]/.test(next);
      if (isOption || (!isInQuotes && /[!-~]/.test(beside))) this.#add(index, mark);
    }
  }

  /** Full-width, mathematical and other characters that stand for ASCII. */
  findNormalizable(): void {
    for (const { index, 0: character } of this.#text.matchAll(notAscii)) {
      const plain = character.normalize('NFKC');
      if (plain === character || !/^[!-~]+$/.test(plain) || compatible.test(character)) continue;
      if (fullWidth.test(character) && this.#isAmongIdeographs(index)) continue;
      this.#add(index, character);
    }
  }

  /** Ordinary in prose, but not in what a shell reads as a name. Inside quotes, only URLs count as names. */
  findUnquoted(): void {
    const isQuoted = quotedPlaces(this.#text);
    for (const { index, 0: token } of this.#text.matchAll(tokens)) {
      if (isQuoted(index) && !this.#text.slice(Math.max(0, index - 8), index).includes('://')) continue;
      for (const { index: at, 0: dot } of token.matchAll(middleDots)) {
        if (!dotBetweenLs.test(token.slice(at - 1, at + 2))) this.#add(index + at, dot);
      }
      if (cjk.test(token.replace(compatibles, ''))) continue;
      for (const { index: at, 0: character } of token.matchAll(compatibles)) {
        const isAtWordEnd = at > 0 && !/[A-Za-z\d]/.test(token.slice(at + 1));
        const stands = /^[ -~\u2044]+$/.test(character.normalize('NFKC'));
        if (stands && !(isAtWordEnd && mayEndWord.test(character))) this.#add(index + at, character);
      }
    }
  }

  #isAmongIdeographs(index: number): boolean {
    let [from, to] = [index, index + 1];
    const least = index - 40;
    const most = index + 40;
    while (from > 0 && from > least && fullWidth.test(this.#text.charAt(from - 1))) from -= 1;
    while (to < most && fullWidth.test(this.#text.charAt(to))) to += 1;
    return cjk.test(this.#text.charAt(from - 1)) || cjk.test(this.#text.charAt(to));
  }

  #add(start: number, character: string): void {
    if (this.#spotsByStart.has(start)) return;
    this.#lookAlikes.add(character);
    this.#spotsByStart.set(start, { start, end: start + character.length, isHidden: false });
  }
}

/** Tells whether a position of the text is inside quotes. Positions must ascend. */
function quotedPlaces(text: string): (place: number) => boolean {
  let quote = '';
  let from = 0;
  return (place) => {
    for (const mark of text.slice(from, place).match(/["']/g) ?? []) {
      quote = quote === '' ? mark : quote === mark ? '' : quote;
    }
    from = place;
    return quote !== '';
  };
}
