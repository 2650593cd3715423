import { render } from 'lit/html.js';
import type { ToPage } from '../../src/protocol/messages.ts';
import { t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import type { Shell } from '../shell.ts';
import { tabId, type TabsState } from './tabs.ts';
import { type PageView, type ViewId, viewIds } from './view.ts';

interface ViewsDeps {
  readonly shell: Shell;
  /** Beside the transcript, in the order of their tabs. */
  readonly views: readonly PageView[];
  /** The view that was on screen when the page was left. */
  readonly active: string | undefined;
  readonly changed: () => void;
}

/** Which view is on screen. The transcript keeps its place behind the others, unseen and out of reach. */
export class Views {
  readonly #deps: ViewsDeps;
  #active: ViewId;

  constructor(deps: ViewsDeps) {
    this.#deps = deps;
    const known = viewIds.find((id) => id === deps.active);
    this.#active = known !== undefined && deps.views.some(({ id }) => id === known) ? known : 'transcript';
  }

  get active(): ViewId {
    return this.#active;
  }

  show(id: ViewId): void {
    if (id === this.#active) return;
    this.#active = id;
    this.#deps.changed();
  }

  tabs(context: Context): TabsState {
    const transcript = { id: 'transcript' as const, title: t('Transcript'), count: context.store.total };
    const others = this.#deps.views.map((view) => ({ id: view.id, title: view.title(), count: view.count(context) }));
    return { tabs: [transcript, ...others], active: this.#active, show: (id) => this.show(id) };
  }

  take(message: ToPage): void {
    for (const view of this.#deps.views) view.take?.(message);
  }

  draw(context: Context): void {
    const { shell, views } = this.#deps;
    const view = views.find(({ id }) => id === this.#active);
    const place = shell.view;
    place.hidden = view === undefined;
    if (place.parentElement !== null) place.parentElement.dataset['view'] = this.#active;
    if (view === undefined) {
      render('', place);
      return;
    }
    place.setAttribute('aria-labelledby', tabId(view.id));
    place.className = `view ${view.id}`;
    render(view.draw(context), place);
    view.drawn?.(place);
  }
}
