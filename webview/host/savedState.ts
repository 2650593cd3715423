import type { List } from '../list/list.ts';
import type { Requests } from '../request/requests.ts';
import type { Store } from '../store/store.ts';
import type { Views } from '../views/views.ts';
import { type SavedState, saveState } from './vscodeApi.ts';

const delay = 300;
/** Drafts up to this many characters are saved with each key. */
const maxAtOnce = 20_000;

type ShownViews = Pick<Views, 'active' | 'kept'>;

interface StateSaverDeps {
  /** What to save; `undefined` if there is nothing yet. */
  readonly state: () => SavedState | undefined;
  /** Called for each drawn frame. */
  readonly views: () => ShownViews;
}

/** Saves the state shortly after it changed; the view, its filter and its order at once, because a reload may follow. */
export class StateSaver {
  readonly #deps: StateSaverDeps;
  #savedText = '';
  #savedViews = '';
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: StateSaverDeps) {
    this.#deps = deps;
    for (const leaving of ['visibilitychange', 'pagehide']) window.addEventListener(leaving, () => this.#save());
  }

  scheduleSave(): void {
    if (viewsText(this.#deps.views()) !== this.#savedViews) this.#save();
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
    const state = this.#deps.state();
    const text = JSON.stringify(state);
    if (state === undefined || text === this.#savedText) return;
    this.#savedText = text;
    this.#savedViews = viewsText(this.#deps.views());
    saveState(state);
  }
}

function viewsText(views: ShownViews): string {
  return JSON.stringify([views.active, views.kept]);
}

interface SavedPage {
  readonly store: Store;
  readonly list: List;
  readonly requests: Requests;
  readonly draft: string;
  readonly views: ShownViews;
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
