import type { List } from '../list/list.ts';
import type { Requests } from '../request/requests.ts';
import type { Store } from '../store/store.ts';
import type { Views } from '../views/views.ts';
import { type SavedState, saveState } from './vscodeApi.ts';

const delay = 300;
/** Drafts up to this many characters are saved with each key. */
const maxAtOnce = 20_000;

/** Saves the state shortly after it changed; what is shown in which order at once, because a reload may follow. */
export class StateSaver {
  readonly #state: () => SavedState | undefined;
  #savedText = '';
  #savedViews = '';
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  /** `state` returns what to save; `undefined` if there is nothing yet. */
  constructor(state: () => SavedState | undefined) {
    this.#state = state;
    for (const leaving of ['visibilitychange', 'pagehide']) window.addEventListener(leaving, () => this.#save());
  }

  scheduleSave(): void {
    if (viewsOf(this.#state()) !== this.#savedViews) this.#save();
    this.#saveTimer ??= setTimeout(() => this.#save(), delay);
  }

  /** The draft changed. A hidden tab loses its page without warning, so each key is saved immediately. */
  handleTyping(draft: string): void {
    if (draft.length <= maxAtOnce) this.#save();
    else this.scheduleSave();
  }

  #save(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const state = this.#state();
    const text = JSON.stringify(state);
    if (state === undefined || text === this.#savedText) return;
    this.#savedText = text;
    this.#savedViews = viewsOf(state);
    saveState(state);
  }
}

function viewsOf(state: SavedState | undefined): string {
  return JSON.stringify([state?.tab, state?.views]);
}

interface SavedPage {
  readonly store: Store;
  readonly list: List;
  readonly requests: Requests;
  readonly draft: string;
  readonly views: Pick<Views, 'active' | 'kept'>;
}

/** Rows whose open state is saved. */
const maxKeys = 500;

/** With `sessionId`, the host finds the session again after a reload of the window. */
export function pageState({ store, list, requests, draft, views }: SavedPage): SavedState | undefined {
  const sessionId = store.view?.summary.session_id;
  if (sessionId === undefined) return undefined;
  const anchor = list.anchor();
  const answers = requests.drafts();
  return {
    sessionId,
    expanded: [...store.expanded].slice(-maxKeys),
    closed: [...store.closedKeys].slice(-maxKeys),
    draft,
    ...(store.peopleOnly && { peopleOnly: true }),
    ...(store.showsSynthetic && { showsSynthetic: true }),
    tab: views.active,
    views: views.kept,
    ...(Object.keys(answers).length > 0 && { answers }),
    ...(anchor !== undefined && { anchor }),
  };
}

/** Gives a new store what its reader had opened, closed and filtered. */
export function restoreStore(store: Store, { expanded, peopleOnly, showsSynthetic, closed }: SavedState): void {
  for (const key of expanded ?? []) store.expanded.add(key);
  store.setPeopleOnly(peopleOnly === true);
  store.setShowsSynthetic(showsSynthetic === true);
  for (const key of closed ?? []) store.toggleOpen(key, false);
}
