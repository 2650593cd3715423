import type { Row } from './rows.ts';
import type { Store } from '../store/store.ts';

/** It holds text, which most often takes more than a line. */
export function isTall(store: Store, row: Row): boolean {
  if (row.kind !== 'entry') return false;
  const kind = store.entry(row.index)?.type.kind;
  return kind === 'assistant_message' || kind === 'user_message';
}

/** Whether a row has something that can be pressed, so that Tab may lead to it. */
export function hasButton(store: Store, row: Row): boolean {
  if (row.kind === 'noise' || row.kind === 'group' || row.kind === 'hidden') return true;
  return row.kind === 'entry' && !isTall(store, row);
}
