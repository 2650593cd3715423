/** A stretch of a text: from `start` up to, and without, `end`, in UTF-16 units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * How one kind of secret looks. A `pattern` is global; its group `before` is kept, the rest of the match is the secret.
 * Every repetition in it is bounded and begins with a literal, so that a text costs time in proportion to its length.
 */
export interface SecretRule {
  readonly id: string;
  /** One of these must be in the text, in lower case with `ignoreCase`; looking for them is much cheaper. */
  readonly hints: readonly string[];
  /** Hardly a text has one of the hints: they are looked for all at once first. */
  readonly rare?: boolean;
  readonly ignoreCase?: true;
  readonly pattern?: RegExp;
  /** Whether what the pattern found is a secret after all. */
  readonly accept?: (secret: string) => boolean;
  /** Instead of a pattern, where that would take more than linear time. */
  readonly find?: (text: string) => readonly Stretch[];
}

/** An escaped character or the end of a terminal's colour stands right before: what looks like a letter is none. */
const escaped = String.raw`(?<=(?:\\|%5C)[nrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}|(?:\[|%5B)[\d;]{0,9}m)`;
/** The mark of a line in a diff, or of a line beside a match as `grep` has it. */
const marked = String.raw`(?<=(?:^|[\n"'\x60]|\\n)[-+]|[-:]\d{1,7}[-:])`;

/** A word can begin here, whatever letter or dash stands before. */
export const begins = `(?:${marked}|${escaped})`;
/** Not within a word, nor after a dash in one. */
export const edge = String.raw`(?:(?<![\w-])|${begins})`;
/** After no letter or digit. */
export const start = String.raw`(?:(?<![A-Za-z0-9])|${escaped})`;
