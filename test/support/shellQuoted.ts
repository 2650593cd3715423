/** Quotes a word for a POSIX shell. Test folders may contain any character. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
