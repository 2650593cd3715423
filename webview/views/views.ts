import { render } from 'lit/html.js';
import type { FromPage, ToPage } from '../../src/protocol/messages.ts';
import { t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import type { Shell } from '../shell.ts';
import { FilesView } from './files.ts';
import { SourcesView } from './sources.ts';
import { tabId, type TabsState } from './tabs.ts';
import { TrajectoryView } from './trajectory.ts';
import { type PageView, type ViewId, viewIds } from './view.ts';

interface ViewsDeps {
  readonly shell: Shell;
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  /** Has an entry loaded into the store. */
  readonly load: (index: number) => Promise<void>;
  /** The view that was on screen when the page was left. */
  readonly active: string | undefined;
  readonly changed: () => void;
}

/** Which view is on screen. The transcript keeps its place behind the others, unseen and out of reach. */
export class Views {
  readonly #deps: ViewsDeps;
  readonly #trajectory: TrajectoryView;
  /** Beside the transcript, in the order of their tabs. */
  readonly #views: readonly PageView[];
  #active: ViewId;

  constructor(deps: ViewsDeps) {
    this.#deps = deps;
    this.#trajectory = new TrajectoryView(deps);
    this.#views = [this.#trajectory, new FilesView(deps), new SourcesView(deps)];
    const known = viewIds.find((id) => id === deps.active);
    this.#active = known !== undefined && this.#views.some(({ id }) => id === known) ? known : 'transcript';
  }

  get active(): ViewId {
    return this.#active;
  }

  show(id: ViewId): void {
    if (id === this.#active) return;
    this.#active = id;
    this.#deps.changed();
  }

  revealStep(index: number): void {
    this.show('trajectory');
    void this.#trajectory.select(index);
  }

  tabs(context: Context): TabsState {
    const transcript = { id: 'transcript' as const, title: t('Transcript'), count: context.store.total };
    const others = this.#views.map((view) => ({ id: view.id, title: view.title(), count: view.count(context) }));
    return { tabs: [transcript, ...others], active: this.#active, show: (id) => this.show(id) };
  }

  take(message: ToPage): void {
    for (const view of this.#views) view.take?.(message);
  }

  draw(context: Context): void {
    const { shell } = this.#deps;
    const view = this.#views.find(({ id }) => id === this.#active);
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
