import { withDetail } from './detailLevel.ts';
import { buildRows, type Row } from './rows.ts';
import type { Store } from '../store/store.ts';

/** All rows of the list: loaded entries at the reader's level of detail, and what follows the last entry. */
export function pageRows(store: Store): Row[] {
  const rows = withDetail(buildRows(store), {
    level: store.level,
    peopleOnly: store.peopleOnly,
    hidesSynthetic: store.leftOut > 0,
    entry: (index) => store.entry(index),
    open: (key) => store.expanded.has(key),
    isRevealed: (index) => store.isRevealed(index),
  });
  if (store.offersResume) rows.push({ kind: 'resume', key: 'resume', turn: store.turns.length - 1 });
  return rows;
}
