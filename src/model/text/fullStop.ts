/** Adds a full stop, unless the text ends with punctuation. */
export function withFullStop(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?:…][)\]"'”’]*$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
