import { codePoints } from '../../model/text/codePoints.ts';

/** A replacement in a text, after `before`, which follows the replacement before it. */
export interface Edit {
  readonly before: string;
  readonly removed: string;
  readonly added: string;
}

interface Range {
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
}

/** The same range in the edited text, in code points; one that began or ended within a replacement takes all of it in. */
export function movedRange(range: Range, edits: readonly Edit[]): Range {
  return {
    ...(typeof range.start_index === 'number' && { start_index: moved(range.start_index, edits, 'start') }),
    ...(typeof range.end_index === 'number' && { end_index: moved(range.end_index, edits, 'end') }),
  };
}

function moved(index: number, edits: readonly Edit[], side: 'start' | 'end'): number {
  let before = 0;
  let after = 0;
  for (const edit of edits) {
    const start = before + codePoints(edit.before);
    if (index <= start) break;
    after += codePoints(edit.before);
    const end = start + codePoints(edit.removed);
    if (index < end) return side === 'start' ? after : after + codePoints(edit.added);
    before = end;
    after += codePoints(edit.added);
  }
  return after + index - before;
}
