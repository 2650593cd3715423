const minEntropy = 3.2;
const sample = 200;

/** Words that stand where a secret would. */
const placeholder =
  /^(?:[x*.•_-]+|<.*>|\$(?:[a-z_]\w*|[{(].*)|%.*%|\{.*\}|\[.*\]|.*(?:example|sample|placeholder|changeme|change_me|change-me|your[_-]|dummy|redacted|test[_-]?(?:key|token|secret)).*|pass(?:w(?:or)?d)?\d*|secret\d*|token|user(?:name)?|null|undefined|true|false|none)$/i;

export function isPlaceholder(text: string): boolean {
  return placeholder.test(text.slice(0, sample));
}

/** Whether a value looks made by a generator: mixed, and more varied than words are. */
export function looksRandom(text: string): boolean {
  if (isPlaceholder(text)) return false;
  const part = text.slice(0, sample);
  const digits = part.match(/\d/g)?.length ?? 0;
  const letters = part.match(/[a-z]/gi)?.length ?? 0;
  if (digits < 2 || letters < 2) return false;
  // Names, calls and paths of a program: words with dots, slashes or underscores between them.
  if (/^[a-z_$]+(?:[./-][a-z_$]+)*\d{0,3}[.)]?$/i.test(part)) return false;
  if (/^(?:process\.env|import\.meta\.env|os\.environ|env|self|this|config|settings)\b[.[\w]/.test(part)) return false;
  // A path that ends in a file.
  if (/^(?:~|\.{1,2})?(?:\/[\w.-]+){2,}\.[a-z]{1,5}$/i.test(part)) return false;
  return entropy(part) >= minEntropy;
}

/** Shannon entropy in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
