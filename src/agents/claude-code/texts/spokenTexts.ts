/** Number of remembered texts; the latest are kept. */
const maxTexts = 100_000;

/** Whether a text was printed before. Keeps only fingerprints, whatever the length of the texts. */
export class SpokenTexts {
  readonly #exactFingerprints = new Set<string>();
  readonly #plainFingerprints = new Set<string>();

  add(text: string): void {
    const { exact, plain } = fingerprints(text.trim());
    remember(this.#exactFingerprints, exact);
    remember(this.#plainFingerprints, plain);
  }

  has(text: string): boolean {
    const { exact, plain } = fingerprints(text.trim());
    if (this.#exactFingerprints.has(exact)) return true;
    // 1.0.3 breaks characters in its closing line that fall between two chunks of its output.
    return text.includes('\uFFFD') && this.#plainFingerprints.has(plain);
  }
}

function remember(texts: Set<string>, text: string): void {
  texts.add(text);
  if (texts.size <= maxTexts) return;
  for (const oldest of texts) {
    texts.delete(oldest);
    return;
  }
}

/** Initial values and primes of two FNV-1a hashes. */
const [basis, otherBasis] = [0x811c9dc5, 0x9747b28c];
const [prime, otherPrime] = [0x01000193, 0x5bd1e995];

/** Fingerprint of the whole text, and of its parts without broken characters. One loop, because it reads every character. */
function fingerprints(text: string): { readonly exact: string; readonly plain: string } {
  let [whole, otherWhole] = [basis, otherBasis];
  let [printable, otherPrintable, length] = [basis, otherBasis, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    whole = Math.imul(whole ^ code, prime);
    otherWhole = Math.imul(otherWhole ^ code, otherPrime);
    if (code <= 0x20 || code >= 0x7f) continue;
    printable = Math.imul(printable ^ code, prime);
    otherPrintable = Math.imul(otherPrintable ^ code, otherPrime);
    length += 1;
  }
  return {
    exact: fingerprint(text.length, whole, otherWhole),
    plain: fingerprint(length, printable, otherPrintable),
  };
}

function fingerprint(length: number, first: number, second: number): string {
  return `${length}:${(first >>> 0).toString(36)}:${(second >>> 0).toString(36)}`;
}
