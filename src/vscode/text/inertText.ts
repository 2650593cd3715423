import { visibleLine } from '../../model/text/visibleText.ts';

/** Text of an agent for a row: makes invisible characters visible, such as `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return visibleLine(text);
}

/** The same for a notification, which would render `[…](…)` as links and drop `$(…)`. */
export function inertText(text: string): string {
  return visibleText(text).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/**
 * Escapes all markdown. `appendText` does not: it keeps addresses as links and joins words with non-breaking spaces, so
 * that hovers would not wrap.
 */
export function literalText(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/[!-/:-@[-`{-~]/g, '\\$&').replace(/^ +/, (spaces) => '\u00a0'.repeat(spaces.length)))
    .join('  \n');
}
