/** A text as a sentence that others can follow: with a full stop, unless it ends with punctuation. */
export function withFullStop(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?:…][)\]"'”’]*$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
