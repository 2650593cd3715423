import type { List } from './list.ts';
import type { Row } from '../rows/rows.ts';
import type { Store } from '../store/store.ts';

export interface KeyboardDeps {
  readonly store: Store;
  readonly list: List;
  /** Focuses a row, after drawing it if necessary. */
  focusRow(key: string): void;
}

/** Keys for the rows while one of them has the focus. True if the key was used. */
export function handleListKey(deps: KeyboardDeps, key: string, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const at = deps.list.place(key);
  if (at === undefined) return false;
  const go = (to: number | undefined): boolean => {
    const row = to === undefined ? undefined : deps.list.row(to);
    if (row !== undefined) deps.focusRow(row.key);
    return true;
  };
  const { list } = deps;
  switch (event.key) {
    case 'ArrowDown':
      return go(findRow(list, at, 1, isFocusableRow));
    case 'ArrowUp':
      return go(findRow(list, at, -1, isFocusableRow));
    case 'Home':
      return go(findRow(list, -1, 1, isFocusableRow));
    case 'End':
      return go(findRow(list, list.length, -1, isFocusableRow));
    case 'ArrowRight':
      return pressToggle(event, 'false');
    case 'ArrowLeft':
      return pressToggle(event, 'true');
    case ']':
      return go(findRow(list, at, 1, ({ kind }) => kind === 'turn'));
    case '[':
      return go(findRow(list, at, -1, ({ kind }) => kind === 'turn'));
    case 'e':
      return go(findRow(list, at, 1, (row) => hasFailed(deps.store, row)));
    case 'E':
      return go(findRow(list, at, -1, (row) => hasFailed(deps.store, row)));
    default:
      return false;
  }
}

function findRow(list: List, from: number, step: 1 | -1, fits: (row: Row) => boolean): number | undefined {
  for (let at = from + step; at >= 0 && at < list.length; at += step) {
    const row = list.row(at);
    if (row !== undefined && fits(row)) return at;
  }
  return undefined;
}

/** Later parts of a long message are reached by scrolling, not as separate rows. */
function isFocusableRow(row: Row): boolean {
  return row.kind !== 'gap' && !(row.kind === 'entry' && row.part > 0);
}

function hasFailed(store: Store, row: Row): boolean {
  if (row.kind !== 'entry') return false;
  const type = store.entry(row.index)?.type;
  if (type?.kind === 'error') return true;
  if (type?.kind !== 'tool_use') return false;
  const { status, action } = type.tool;
  const failed = action.kind === 'command_run' && typeof action.exitCode === 'number' && action.exitCode !== 0;
  return status === 'failed' || status === 'denied' || failed;
}

/** Opens or closes the focused row if its state is `expanded`. */
function pressToggle({ target }: KeyboardEvent, expanded: 'true' | 'false'): boolean {
  if (!(target instanceof HTMLElement) || target.getAttribute('aria-expanded') !== expanded) return false;
  target.click();
  return true;
}
