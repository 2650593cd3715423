/** A range in a text: `start` to `end` (exclusive), in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * One kind of secret. `pattern` is global; its group `before` is kept, and the rest of the match is the secret.
 * Repetitions are bounded and start with a literal, which keeps matching linear.
 */
export interface SecretRule {
  readonly id: string;
  /** One of these must be in the text (lower case with `ignoreCase`). Searching for them is much cheaper. */
  readonly requiredWords: readonly string[];
  /** Words that rarely occur; they are searched together first. */
  readonly hasRareRequiredWords?: boolean;
  readonly ignoreCase?: true;
  readonly pattern?: RegExp;
  /** Whether a match is really a secret. */
  readonly accept?: (secret: string) => boolean;
  /** Used instead of the pattern if the pattern would take more than linear time. */
  readonly find?: (text: string) => readonly TextSpan[];
}

/** After an escaped character or terminal color, the preceding letter is not part of a word. */
const afterEscape = String.raw`(?<=(?:\\|%5C)[nrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}|(?:\[|%5B)[\d;]{0,9}m)`;
/** Mark of a line in a diff, or next to a match of `grep`. */
const afterLineMark = String.raw`(?<=(?:^|[\n"'\x60]|\\n)[-+]|[-:]\d{1,7}[-:])`;

/** Here a word starts although a letter or sign precedes it. */
export const afterMarkOrEscape = `(?:${afterLineMark}|${afterEscape})`;
/** Not within a word, nor after a dash in one. */
export const notAfterWordOrDash = String.raw`(?:(?<![\w-])|${afterMarkOrEscape})`;
/** After no letter or digit. */
export const notAfterAlphanumeric = String.raw`(?:(?<![A-Za-z0-9])|${afterEscape})`;
