import { gapHeight, type Row } from './rows.ts';
import type { Store } from '../store/store.ts';

/** It has text, which usually takes more than one line. */
function isTall(store: Store, row: Row): boolean {
  if (row.kind !== 'entry') return false;
  const kind = store.entry(row.index)?.type.kind;
  return kind === 'assistant_message' || kind === 'user_message';
}

/** Assumed heights of rows in px until they are measured. */
const rowHeight = 24;
const textHeight = 68;
/** Height of one line in a message with several lines. */
const lineHeight = 20;
const charsOfLine = 100;

export function expectedHeight(store: Store, row: Row): number {
  if (row.kind === 'gap') return gapHeight(row);
  if (row.kind === 'turn') return 36;
  if (row.kind === 'resume') return 320;
  if (row.kind !== 'entry' || !isTall(store, row)) return rowHeight;
  const entry = store.entry(row.index);
  if (entry === undefined || store.parts(entry) === 1) return textHeight;
  const { lines = 0, chars = 0 } = store.document(entry)[row.part] ?? {};
  return Math.max(rowHeight, lineHeight * Math.max(lines, chars / charsOfLine));
}

/** Whether a row has a control that Tab should reach. */
export function hasButton(store: Store, row: Row): boolean {
  if (row.kind === 'noise' || row.kind === 'group' || row.kind === 'hidden') return true;
  return row.kind === 'entry' && !isTall(store, row);
}
