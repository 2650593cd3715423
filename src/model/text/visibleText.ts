/**
 * `prose` is written by people and agents, with emoji, joiners of Arabic and Indic scripts, and typographic spaces.
 * `code` runs or names something (commands, paths, tools): nothing in it may be hidden.
 */
export type TextKind = 'prose' | 'code';

export interface Piece {
  readonly text: string;
  /** `text` is the name of an invisible character, such as `U+202E`. */
  readonly isEscape: boolean;
}

/**
 * Every character without a glyph: controls, format characters, separators, lone surrogates, default ignorables (the
 * engine's Unicode lists), and the few that are blank by design. Space, tab and line feed are excluded.
 */
const hidden =
  /(?![ \n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{16fe4}\u{1d159}\u{1d173}-\u{1d17a}\u{1bca0}-\u{1bca3}]/gu;
const spacePattern = /\p{Zs}/u;
const cjk = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
/** What a variation selector, joiner or tag may follow in ordinary text. */
const emoji = /[\p{Emoji}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const flag = /\u{1f3f4}[\u{e0020}-\u{e007e}]*$/u;
const ideograph = /[\p{sc=Han}\p{sc=Mongolian}\p{sc=Myanmar}]$/u;
const joining = /(?![\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Hangul}\p{sc=Han}])[\p{L}\p{M}]$/u;
const pictograph = /^\p{Extended_Pictographic}/u;
/** Longer than any flag. */
const before = 20;

/** `U+202E`. */
export function characterName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The invisible characters, with their offsets in UTF-16 units. */
export function* hiddenCharacters(text: string, kind: TextKind): Generator<{ index: number; character: string }> {
  for (const { index, 0: character } of text.matchAll(hidden)) {
    if (!isOrdinary(text, index, character, kind)) yield { index, character };
  }
}

function isOrdinary(text: string, index: number, character: string, kind: TextKind): boolean {
  const next = text.slice(index + character.length, index + character.length + 2);
  const last = text.slice(Math.max(0, index - 2), index);
  if (character === '\u3000' && cjk.test(last.slice(-1)) && cjk.test(next)) return true;
  if (kind === 'code') return false;
  const code = character.codePointAt(0) ?? 0;
  if (spacePattern.test(character)) return true;
  if (code === 0x0d) return next.startsWith('\n');
  if (code === 0x200d && emoji.test(last) && pictograph.test(next)) return true;
  if (code === 0x200c || code === 0x200d) return joining.test(last);
  if (code === 0xfe0e || code === 0xfe0f) return emoji.test(last);
  if (code >= 0xe0020 && code <= 0xe007f) return flag.test(text.slice(Math.max(0, index - before), index));
  const selects = (code >= 0xfe00 && code <= 0xfe02) || (code >= 0xe0100 && code <= 0xe01ef);
  if (selects || (code >= 0x180b && code <= 0x180f && code !== 0x180e)) return ideograph.test(last);
  // Arabic format characters that are visible.
  return (code >= 0x0600 && code <= 0x0605) || code === 0x06dd;
}

/** Splits a text at characters that must be shown by name. */
export function pieces(text: string, kind: TextKind = 'prose'): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const { index, character } of hiddenCharacters(text, kind)) {
    if (index > from) found.push({ text: text.slice(from, index), isEscape: false });
    found.push({ text: characterName(character), isEscape: true });
    from = index + character.length;
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from), isEscape: false });
  return found;
}

/** The text with each invisible character written as `⟨U+202E⟩`. */
export function visibleText(text: string, kind: TextKind = 'prose'): string {
  const parts = pieces(text, kind);
  return parts.length === 1 && parts[0]?.isEscape === false
    ? text
    : parts.map((part) => (part.isEscape ? `⟨${part.text}⟩` : part.text)).join('');
}

/** As `visibleText`, on one line. */
export function visibleLine(text: string, kind: TextKind = 'prose'): string {
  return visibleText(text, kind).replaceAll(/[\n\t]/g, (character) => `⟨${characterName(character)}⟩`);
}

/** Quotes foreign text so that it cannot end the quote itself. */
export function quoteSafely(text: string): string {
  return `“${text.replaceAll(/[“”„‟"«»]/g, "'")}”`;
}
