/** What moves the cursor, colours the terminal or changes how a text reads, and is not seen itself. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Text of an agent or a file for one line of a terminal: what is not seen is written out as `[U+001B]`. */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}
