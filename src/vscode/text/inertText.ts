import { visibleLine } from '../../model/text/visibleText.ts';

/** Text of an agent for one line of VS Code's own lists: what is not seen is written out as `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return visibleLine(text);
}

/** The same for a notification, which makes links of `[…](…)` and leaves out `$(…)`. */
export function inertText(text: string): string {
  return visibleText(text).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/**
 * Text that says in markdown what it says: no mark of it means anything. `appendText` leaves addresses links and glues words together,
 * so that nothing of a prompt would break at the edge of a hover.
 */
export function literalText(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/[!-/:-@[-`{-~]/g, '\\$&').replace(/^ +/, (spaces) => '\u00a0'.repeat(spaces.length)))
    .join('  \n');
}
