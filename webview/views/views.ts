import { html, render, type TemplateResult } from 'lit/html.js';
import type { ToPage } from '../../src/protocol/panel/messages.ts';
import { plural, t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import { loading, type Shell } from '../shell.ts';
import type { SecondaryViews } from './secondaryViews.ts';
import { type SavedViews, viewsToSave } from './savedViews.ts';
import type { Store } from '../store/store.ts';
import { tabId, type Tab, type TabsState } from './tabs.ts';
import { type SideViewId, type ViewId, viewIds } from './viewIds.ts';
import type { ViewDeps } from './view.ts';

interface ViewsDeps extends ViewDeps {
  readonly shell: Shell;
  /** The visible view when the page was left. */
  readonly active: string | undefined;
}

const besideIds = ['trajectory', 'files', 'sources'] as const satisfies readonly SideViewId[];

/**
 * Which view is visible. The transcript keeps its position behind the others, hidden and not focusable. The others are a
 * separate chunk, loaded after the first screen or when someone opens one.
 */
export class Views {
  readonly #deps: ViewsDeps;
  #secondaryViews: SecondaryViews | undefined;
  #activeImport: Promise<void> | undefined;
  #isLoadPlanned = false;
  #hasFailed = false;
  #activeView: ViewId;

  constructor(deps: ViewsDeps) {
    this.#deps = deps;
    this.#activeView = viewIds.find((id) => id === deps.active) ?? 'transcript';
  }

  get active(): ViewId {
    return this.#activeView;
  }

  /** Filters and sort orders of the views, to save with the page. */
  get kept(): SavedViews {
    const beside = this.#secondaryViews;
    return beside === undefined
      ? this.#deps.kept
      : viewsToSave({ trajectory: beside.trajectory.wish, files: beside.files.viewState });
  }

  show(id: ViewId): void {
    if (id === this.#activeView) return;
    this.#activeView = id;
    this.#deps.changed();
  }

  revealStep(index: number): void {
    this.show('trajectory');
    void this.#load().then(() => this.#secondaryViews?.trajectory.select(index));
  }

  tabs(context: Context): TabsState {
    const transcript = { id: 'transcript' as const, title: t('Transcript'), ...entryCount(context.store) };
    const others = besideIds.map((id) => ({
      id,
      title: titleOf(id),
      count: this.#findView(id)?.count(context),
      ...hintOf(this.#findView(id)?.hint?.(context)),
    }));
    return { tabs: [transcript, ...others], active: this.#activeView, show: (id) => this.show(id) };
  }

  handleMessage(message: ToPage): void {
    for (const view of this.#secondaryViews?.all ?? []) view.handleMessage?.(message);
  }

  draw(context: Context): void {
    const { shell } = this.#deps;
    const id = this.#activeView;
    const place = shell.view;
    place.hidden = id === 'transcript';
    if (place.parentElement !== null) place.parentElement.dataset['view'] = id;
    if (id === 'transcript') {
      render('', place);
      if (!this.#isLoadPlanned) requestIdleCallback(() => void this.#load());
      this.#isLoadPlanned = true;
      return;
    }
    place.setAttribute('aria-labelledby', tabId(id));
    place.className = `view ${id}`;
    const view = this.#findView(id);
    if (view === undefined) {
      if (!this.#hasFailed) void this.#load();
      render(this.#hasFailed ? this.#renderUnavailable() : loading(), place);
      return;
    }
    render(view.draw(context), place);
    view.handleDrawn?.(place);
  }

  #findView(id: ViewId): SecondaryViews['all'][number] | undefined {
    return this.#secondaryViews?.all.find((view) => view.id === id);
  }

  #load(): Promise<void> {
    this.#activeImport ??= import('./secondaryViews.ts').then(
      ({ buildViews }) => {
        this.#secondaryViews = buildViews(this.#deps);
        this.#deps.changed();
      },
      () => {
        this.#hasFailed = true;
        this.#deps.changed();
      },
    );
    return this.#activeImport;
  }

  /** An update of Vitrine can delete the files of the version that runs. */
  #renderUnavailable(): TemplateResult {
    return html`<p class="none">${t('This view could not be loaded. Close the session and open it again.')}</p>`;
  }
}

/** Without hidden messages, which the hint counts. */
function entryCount({ entryCount: total, leftOut }: Store): Pick<Tab, 'count' | 'hint'> {
  if (leftOut === 0) return { count: total };
  return {
    count: total - leftOut,
    hint: plural(leftOut, t('1 follow-up or child result hidden'), t('{0} follow-ups and child results hidden')),
  };
}

function hintOf(hint: string | undefined): Pick<Tab, 'hint'> {
  return hint === undefined ? {} : { hint };
}

function titleOf(id: SideViewId): string {
  switch (id) {
    case 'trajectory':
      return t('Trajectory');
    case 'files':
      return t('Files');
    case 'sources':
      return t('Sources');
  }
}
