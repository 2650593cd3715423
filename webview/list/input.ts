import type { List } from './list.ts';
import type { Actions } from '../actions.ts';

export interface InputDeps {
  readonly main: HTMLElement;
  readonly rows: HTMLElement;
  readonly actions: Actions;
  focused(key: string): void;
  onLeft(): void;
  /** Closes the topmost open element; false if there was none. */
  handleEscape(): boolean;
  /** A key while a row has the focus; true if used. */
  handleRowKey(key: string, event: KeyboardEvent): boolean;
  onPressOutsideMenu(): void;
}

/** Input that no single control handles. */
export function listen(deps: InputDeps): void {
  const { main, rows } = deps;
  rows.addEventListener('focusin', ({ target }) => {
    const key = keyOf(target);
    if (key !== undefined) deps.focused(key);
  });
  rows.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && rows.contains(relatedTarget))) deps.onLeft();
  });
  main.addEventListener('click', (event) => followLink(deps, event));
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    if (handleGlobalKey(deps, event) || handleLinkKey(event) || handleKeyInRow(deps, event)) event.preventDefault();
  });
  window.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Element && target.closest('.menu-at') !== null)) deps.onPressOutsideMenu();
  });
}

/** Links have no URL of their own: the host opens their targets. */
function followLink(deps: InputDeps, event: Event): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-url], [data-file]') : null;
  if (link === null) return;
  event.preventDefault();
  const { url, file, line } = link.dataset;
  if (url !== undefined) deps.actions.followPage(url);
  else if (file !== undefined) deps.actions.openFile(file, line === undefined ? undefined : Number(line));
}

function handleGlobalKey(deps: InputDeps, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (key.toLowerCase() === 'f' && (ctrlKey || metaKey) && !shiftKey && !altKey) {
    deps.actions.find();
    return true;
  }
  if (key === 'F2') {
    deps.actions.command('rename');
    return true;
  }
  return key === 'Escape' && deps.handleEscape();
}

function handleLinkKey({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' || !(target instanceof HTMLElement) || target.getAttribute('role') !== 'link') return false;
  target.click();
  return true;
}

function handleKeyInRow(deps: InputDeps, event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof Element) || !target.matches('[data-focus]')) return false;
  const key = keyOf(target);
  if (key === undefined) return false;
  return handleTrajectoryKey(deps, key, target, event) || deps.handleRowKey(key, event);
}

/** `t` on a step shows it in the trajectory. */
function handleTrajectoryKey(deps: InputDeps, key: string, target: Element, event: KeyboardEvent): boolean {
  const isStep = /^e:\d+$/.test(key) && target.closest('.row[data-kind]:not([data-kind=system])') !== null;
  if (!isStep || event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return false;
  deps.actions.revealStep(Number(key.slice(2)));
  return true;
}

function keyOf(target: EventTarget | null): string | undefined {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-key]') : null;
  return item?.dataset['key'];
}

/** While the page is printed, all loaded rows are in it. */
export function drawAllForPrint(list: List, draw: () => void): void {
  for (const event of ['beforeprint', 'afterprint']) {
    window.addEventListener(event, () => {
      list.drawAll(event === 'beforeprint');
      draw();
    });
  }
}
