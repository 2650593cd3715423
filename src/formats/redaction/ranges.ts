import { codePoints } from '../../model/text/codePoints.ts';

/** A replacement; `before` is the unchanged text since the previous one. */
export interface Edit {
  readonly before: string;
  readonly removed: string;
  readonly added: string;
}

interface Range {
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
}

/** The range in the edited text, in code points. A range that starts or ends within a replacement includes it. */
export function movedRange(range: Range, edits: readonly Edit[]): Range {
  return {
    ...(typeof range.start_index === 'number' && { start_index: shiftedIndex(range.start_index, edits, 'start') }),
    ...(typeof range.end_index === 'number' && { end_index: shiftedIndex(range.end_index, edits, 'end') }),
  };
}

function shiftedIndex(index: number, edits: readonly Edit[], side: 'start' | 'end'): number {
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
