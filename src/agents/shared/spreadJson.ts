import { parse } from './normalizer/lineLog.ts';

/** Characters of one multi-line value. */
const maxCharacters = 8 * 1024 * 1024;

/** Characters of a line with only a bracket, including a byte order mark and blanks. */
const maxOpening = 8;

/** For nearly every line. */
const nothing: readonly string[] = [];

/** `no`: not part of a multi-line value; `more`: part of one that continues. */
export type JsonProgress = 'no' | 'more' | { readonly value: unknown; readonly raw: string };

/**
 * Multi-line JSON, from some versions and `jq`: an opening bracket alone on its line, indented lines, a closing bracket
 * alone.
 */
export class SpreadJson {
  #lines: string[] = [];
  #characters = 0;
  #abandonedLines: string[] = [];

  /** Whether lines are held back until their meaning is clear. */
  get open(): boolean {
    return this.#lines.length > 0;
  }

  addLine(text: string): JsonProgress {
    // Nearly every line: no single bracket, and no open value.
    if (this.#lines.length === 0 && text.length > maxOpening) return 'no';
    const line = text.trimEnd().replace(/^\uFEFF/, '');
    if (this.#lines.length > 0 && !/^[ \t\]}]/.test(line)) this.abandon();
    if (this.#lines.length === 0 && line !== '{' && line !== '[') return 'no';
    this.#lines.push(line);
    this.#characters += line.length;
    if (line === '}' || line === ']') return this.#parseCollected();
    if (this.#characters > maxCharacters) this.abandon();
    return 'more';
  }

  /** Nothing more follows, or nothing that belongs to it. */
  abandon(): void {
    this.#abandonedLines.push(...this.#lines);
    this.#clear();
  }

  /** Lines that turned out not to be part of a value; returned once. */
  takeAbandoned(): readonly string[] {
    return this.#abandonedLines.length === 0 ? nothing : this.#abandonedLines.splice(0);
  }

  #parseCollected(): JsonProgress {
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
