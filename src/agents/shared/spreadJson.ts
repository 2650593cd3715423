import { parse } from './normalizer/lineLog.ts';

/** Characters of one value that is printed over many lines. */
const maxCharacters = 8 * 1024 * 1024;

/** Characters of a line with nothing but a bracket: with a byte order mark, and blanks. */
const maxOpening = 8;

/** After nearly every line. */
const nothing: readonly string[] = [];

/** `no`: the line is no part of a value that is spread; `more`: it is, and the value continues. */
export type Gathered = 'no' | 'more' | { readonly value: unknown; readonly raw: string };

/**
 * JSON that is printed over many lines, as some versions and `jq` do: the opening bracket alone on its line, then lines that
 * are indented, then the closing bracket alone.
 */
export class SpreadJson {
  #lines: string[] = [];
  #characters = 0;
  #abandoned: string[] = [];

  /** Whether lines are held back until it is clear what they are. */
  get open(): boolean {
    return this.#lines.length > 0;
  }

  take(text: string): Gathered {
    // Nearly every line: no bracket alone, and nothing that it could belong to.
    if (this.#lines.length === 0 && text.length > maxOpening) return 'no';
    const line = text.trimEnd().replace(/^\uFEFF/, '');
    if (this.#lines.length > 0 && !/^[ \t\]}]/.test(line)) this.abandon();
    if (this.#lines.length === 0 && line !== '{' && line !== '[') return 'no';
    this.#lines.push(line);
    this.#characters += line.length;
    if (line === '}' || line === ']') return this.#whole();
    if (this.#characters > maxCharacters) this.abandon();
    return 'more';
  }

  /** Nothing more comes, or nothing that belongs to it. */
  abandon(): void {
    this.#abandoned.push(...this.#lines);
    this.#clear();
  }

  /** Lines that turned out to be no part of a value; given once. */
  abandoned(): readonly string[] {
    return this.#abandoned.length === 0 ? nothing : this.#abandoned.splice(0);
  }

  #whole(): Gathered {
    const raw = this.#lines.join('\n');
    const value = parse(raw);
    if (value === undefined) this.abandon();
    this.#clear();
    return value === undefined ? 'more' : { value, raw };
  }

  #clear(): void {
    this.#lines = [];
    this.#characters = 0;
  }
}
