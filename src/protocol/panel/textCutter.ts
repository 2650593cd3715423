/** UTF-8 bytes of `text`, counted only up to `limit`. */
function bytesUpTo(text: string, limit: number): { fits: boolean; chars: number } {
  if (text.length * 3 <= limit) return { fits: true, chars: text.length };
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > limit) return { fits: false, chars: at };
    at += point > 0xffff ? 2 : 1;
  }
  return { fits: true, chars: text.length };
}

/**
 * Cuts the fields of one entry to budgets in UTF-8 bytes, and notes the full length of each in characters. Never splits
 * surrogate pairs.
 */
export class Cutter {
  readonly #lengths = new Map<string, number>();

  cutText(field: string, text: string, budget: number): string {
    const { fits, chars } = bytesUpTo(text, budget);
    if (fits) return text;
    this.#addCut(field, text.length);
    return text.slice(0, chars);
  }

  /** JSON of more than `budget` bytes becomes the beginning of its text. */
  json(field: string, value: unknown, budget: number): unknown {
    if (typeof value === 'string') return this.cutText(field, value, budget);
    if (typeof value !== 'object' || value === null) return value;
    const text = JSON.stringify(value);
    const { fits, chars } = bytesUpTo(text, budget);
    if (fits) return value;
    this.#addCut(field, text.length);
    return text.slice(0, chars);
  }

  list<T>(field: string, items: readonly T[], most: number): T[] {
    if (items.length > most) this.#addCut(field, items.length);
    return items.slice(0, most);
  }

  get lengths(): Readonly<Record<string, number>> | undefined {
    return this.#lengths.size > 0 ? Object.fromEntries(this.#lengths) : undefined;
  }

  #addCut(field: string, length: number): void {
    this.#lengths.set(field, length);
  }
}
