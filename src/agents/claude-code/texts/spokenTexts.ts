/** Number of remembered texts; the latest are kept. */
const maxTexts = 100_000;

/** Whether a text was printed before. Keeps only fingerprints, whatever the length of the texts. */
export class SpokenTexts {
  readonly #exact = new Set<string>();
  readonly #plain = new Set<string>();

  add(text: string): void {
    const { exact, plain } = fingerprints(text.trim());
    remember(this.#exact, exact);
    remember(this.#plain, plain);
  }

  has(text: string): boolean {
    const { exact, plain } = fingerprints(text.trim());
    if (this.#exact.has(exact)) return true;
    // 1.0.3 breaks characters in its closing line that fall between two chunks of its output.
    return text.includes('\uFFFD') && this.#plain.has(plain);
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

/** Fingerprint of the whole text, and of its parts without broken characters. */
function fingerprints(text: string): { readonly exact: string; readonly plain: string } {
  const whole = new Fingerprint();
  const printable = new Fingerprint();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    whole.add(code);
    if (code > 0x20 && code < 0x7f) printable.add(code);
  }
  return { exact: whole.text, plain: printable.text };
}

/** FNV-1a, twice with different primes. */
class Fingerprint {
  #first = 0x811c9dc5;
  #second = 0x9747b28c;
  #length = 0;

  add(code: number): void {
    this.#first = Math.imul(this.#first ^ code, 0x01000193);
    this.#second = Math.imul(this.#second ^ code, 0x5bd1e995);
    this.#length += 1;
  }

  get text(): string {
    return `${this.#length}:${(this.#first >>> 0).toString(36)}:${(this.#second >>> 0).toString(36)}`;
  }
}
