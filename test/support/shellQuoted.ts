/** A word for a POSIX shell. Folders of tests may hold any character. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
