import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { StepKind } from '../../../src/model/transcript/steps.ts';
import type { ToPage } from '../../../src/protocol/panel/messages.ts';
import {
  maxCollapsedLanes,
  maxLines,
  type TrajectoryLine,
  type TrajectoryPage,
  type TrajectoryQuery,
} from '../../../src/protocol/panel/viewMessages.ts';
import { button, field } from '../../controls.ts';
import { t } from '../../l10n.ts';
import type { Context } from '../../parts/context.ts';
import { formatNumber } from '../../text/format.ts';
import { stepsHint } from '../../text/steps.ts';
import { stepKinds } from '../savedViews.ts';
import { lineHeight, Lines } from './lines.ts';
import { setStyles, px } from '../placed.ts';
import { stepPane } from './stepPane.ts';
import { kindWord } from './stepWords.ts';
import type { PageView, ViewDeps } from '../view.ts';
import { timeLanes, timeSummary } from './timeLanes.ts';
import { axisHead, axisLines, waterfallRow } from './waterfall.ts';

/** Milliseconds until the bars of an active run are requested again. */
const pause = 2000;
/** Assumed height of the list in px until it is drawn. */
const likelyHeight = 600;

const everything: TrajectoryQuery = { query: '', kinds: [], repeats: false, sort: 'time', closed: [] };

/** What ran when: a waterfall of steps in lanes, and details of one of them. */
export class TrajectoryView implements PageView {
  readonly id = 'trajectory';
  readonly #deps: ViewDeps;
  readonly #lines: Lines<TrajectoryLine>;
  #requestedQuery: TrajectoryQuery;
  #page: TrajectoryPage | undefined;
  #hasFailed = false;
  #isStale = true;
  #requestedAt = 0;
  /** Index of the selected line, and what identifies it. */
  #selectedIndex = 0;
  #selectedLine: TrajectoryLine | undefined;
  #mustFocus = false;
  #scroller: HTMLElement | undefined;
  #scrollTo: number | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#lines = new Lines({ ask: (from, count) => this.#ask(from, count), changed: () => this.#deps.changed() });
    this.#requestedQuery = deps.kept.trajectory ?? everything;
  }

  get wish(): TrajectoryQuery {
    return this.#requestedQuery;
  }

  count({ store }: Context): number | undefined {
    if (store.view === undefined) return undefined;
    const { main, subagents } = this.#countSteps(store.turns);
    return main + subagents;
  }

  hint({ store }: Context): string | undefined {
    const { main, subagents } = this.#countSteps(store.turns);
    return subagents === 0 ? undefined : stepsHint(main, subagents);
  }

  /**
   * From the record, in which earlier versions did not count steps of subagents; and from the entries, once they are read.
   */
  #countSteps(turns: Context['store']['turns']): TrajectoryPage['steps'] {
    if (this.#page !== undefined && !this.#isStale) return this.#page.steps;
    return {
      main: turns.reduce((sum, { steps }) => sum + steps, 0),
      subagents: turns.reduce((sum, { subagentSteps = 0 }) => sum + subagentSteps, 0),
    };
  }

  handleMessage(message: ToPage): void {
    if (message.type !== 'viewsChanged' && message.type !== 'init') return;
    this.#isStale = true;
    if (message.type === 'init') this.#lines.renew();
  }

  /** Selects the step of an entry, even if the filter excludes it. */
  async select(entryIndex: number): Promise<void> {
    let found = await this.#locate(entryIndex);
    if (found === null) {
      this.#setQuery({ ...everything, sort: this.#requestedQuery.sort });
      found = await this.#locate(entryIndex);
    }
    if (found === null) return;
    this.#moveTo(found);
  }

  async #locate(around: number): Promise<number | null> {
    const wish = this.#requestedQuery;
    const answer = await this.#deps.request((request) => ({
      type: 'getTrajectory',
      request,
      from: 0,
      count: maxLines,
      wish,
      around,
    }));
    if (answer.type !== 'trajectory') return null;
    this.#lines.total = answer.page.total;
    return answer.page.at;
  }

  async #ask(from: number, count: number): Promise<readonly TrajectoryLine[] | undefined> {
    const wish = this.#requestedQuery;
    const answer = await this.#deps.request((request) => ({ type: 'getTrajectory', request, from, count, wish }));
    this.#hasFailed = answer.type !== 'trajectory';
    if (answer.type !== 'trajectory' || wish !== this.#requestedQuery) return undefined;
    this.#page = answer.page;
    this.#lines.total = answer.page.total;
    return answer.page.lines;
  }

  #setQuery(wish: TrajectoryQuery): void {
    this.#requestedQuery = wish;
    this.#lines.renew();
    this.#deps.changed();
  }

  draw(context: Context): TemplateResult {
    const live = context.store.turns.at(-1)?.status === 'running';
    if (this.#isStale || (live && context.now - this.#requestedAt > pause)) {
      this.#isStale = false;
      this.#requestedAt = context.now;
      this.#lines.renew();
    }
    const scroller = this.#scroller;
    const range = this.#lines.look(scroller?.scrollTop ?? 0, scroller?.clientHeight ?? likelyHeight);
    this.#follow();
    const page = this.#page;
    if (page === undefined) return this.#renderPlaceholder();
    return html`${this.#renderBar(page)}${timeSummary(page)}
      <div class="traj">
        <div
          class="wf"
          role="treegrid"
          aria-label=${t('Steps over time')}
          aria-rowcount=${this.#lines.total}
          @keydown=${(event: KeyboardEvent) => this.#handleKey(context, event)}
        >
          ${axisHead(page.axis)}${timeLanes(page)}
          <div class="wfb" role="presentation" @scroll=${() => this.#deps.changed()}>
            ${
              this.#lines.total === 0
                ? html`<p class="none">
                    ${isFiltered(this.#requestedQuery) ? t('No steps match the filter') : t('No steps yet')}
                  </p>`
                : html`<div class="wfl" role="rowgroup" ${setStyles({ height: px(this.#lines.total * lineHeight) })}>
                    ${axisLines(page.axis)}${this.#renderRows(context, page, this.#lines.places(range, this.#selectedIndex))}
                  </div>`
            }
          </div>
        </div>
        ${stepPane(context, this.#selectedLine, (index) => void this.select(index))}
      </div>`;
  }

  handleDrawn(place: HTMLElement): void {
    const scroller = place.querySelector('.wfb');
    if (!(scroller instanceof HTMLElement)) return;
    if (this.#scroller !== scroller) {
      this.#scroller = scroller;
      new ResizeObserver(() => this.#deps.changed()).observe(scroller);
      this.#scrollTo ??= this.#selectedIndex * lineHeight - scroller.clientHeight / 2;
    }
    if (this.#scrollTo !== undefined) {
      scroller.scrollTop = this.#scrollTo;
      this.#scrollTo = undefined;
      this.#deps.changed();
    }
    if (!this.#mustFocus) return;
    const row = place.querySelector(`[data-at="${this.#selectedIndex}"]`);
    if (!(row instanceof HTMLElement)) return;
    this.#mustFocus = false;
    row.focus({ preventScroll: true });
  }

  #renderPlaceholder(): TemplateResult {
    return this.#hasFailed
      ? html`<p class="none">${t('The steps could not be read')}</p>`
      : html`<div class="progress" role="progressbar" aria-label=${t('Reading steps…')}><i></i></div>
          <p class="none">${t('Reading steps…')}</p>`;
  }

  #renderRows(context: Context, { axis }: TrajectoryPage, places: readonly number[]): unknown {
    return repeat(
      places,
      (at) => at,
      (at) =>
        waterfallRow(this.#lines.line(at), {
          context,
          axis,
          at,
          isSelected: at === this.#selectedIndex,
          total: this.#lines.total,
          hasLanes: this.#requestedQuery.sort === 'time',
          onLineClick: (to_, event) => this.#handleLineClick(to_, event),
          reveal: (to_) => this.#reveal(context, to_),
        }),
    );
  }

  /** Keeps the selection on its line when lines are inserted before it, and adds missing details. */
  #follow(): void {
    const known = this.#selectedLine;
    const current = this.#lines.line(this.#selectedIndex);
    if (known !== undefined && current !== undefined && !isSame(current, known) && !this.#hasMoved) {
      this.#selectedIndex =
        this.#lines.find((line) => isSame(line, known)) ??
        Math.min(this.#selectedIndex, Math.max(0, this.#lines.total - 1));
    }
    this.#selectedIndex = Math.max(0, Math.min(this.#selectedIndex, this.#lines.total - 1));
    const line = this.#lines.line(this.#selectedIndex);
    if (line === undefined) return;
    this.#hasMoved = false;
    if (known === undefined || !isSame(line, known)) {
      if (line.type !== 'lane') void this.#deps.load(line.entryIndex).then(() => this.#deps.changed());
    }
    this.#selectedLine = line;
  }

  #hasMoved = false;

  #renderBar({ counts, repeats, omitted }: TrajectoryPage): TemplateResult {
    const { kinds, sort } = this.#requestedQuery;
    const pick = (kind: StepKind): void =>
      this.#setQuery({
        ...this.#requestedQuery,
        kinds: kinds.includes(kind) ? kinds.filter((chosen) => chosen !== kind) : [...kinds, kind],
      });
    return html`<div class="fbar" role="toolbar" aria-label=${t('Filter steps')}>
      ${stepKinds
        .filter((kind) => counts[kind] > 0)
        .map((kind) => chip(kind, kindWord(kind), counts[kind], kinds.includes(kind), () => pick(kind)))}
      ${
        repeats === 0
          ? nothing
          : chip('repeats', t('Repeated'), repeats, this.#requestedQuery.repeats, () =>
              this.#setQuery({ ...this.#requestedQuery, repeats: !this.#requestedQuery.repeats }),
            )
      }
      ${omitted === 0 ? nothing : html`<span class="dim">${t('{0} entries omitted', formatNumber(omitted))}</span>`}
      <span class="filter">
        ${field({
          id: 'step-filter',
          label: t('Filter steps: words, kind:, tool:, file:, state:'),
          value: this.#requestedQuery.query,
          placeholder: t('Filter steps'),
          multiline: false,
          onInput: (query) => this.#setQuery({ ...this.#requestedQuery, query: query.slice(0, 1000) }),
          onKey: (event) => this.#handleFilterKey(event),
        })}
      </span>
      ${button({
        label: t('Longest steps first'),
        icon: 'sort-precedence',
        look: 'icon',
        pressed: sort === 'longest',
        onClick: () => this.#setQuery({ ...this.#requestedQuery, sort: sort === 'longest' ? 'time' : 'longest' }),
      })}
    </div>`;
  }

  #handleFilterKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.#moveTo(0);
    else if (event.key === 'Escape' && this.#requestedQuery.query !== '')
      this.#setQuery({ ...this.#requestedQuery, query: '' });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #handleLineClick(at: number, event: MouseEvent): void {
    const line = this.#lines.line(at);
    this.#moveTo(at);
    if (line?.type === 'lane' && event.detail < 2) this.#toggle(line.id);
  }

  #reveal(context: Context, at: number): void {
    const line = this.#lines.line(at);
    if (line !== undefined && line.type !== 'lane') context.actions.reveal(line.entryIndex);
  }

  #toggle(id: string, open = this.#requestedQuery.closed.includes(id)): void {
    const closed = this.#requestedQuery.closed.filter((closedId) => closedId !== id);
    this.#setQuery({ ...this.#requestedQuery, closed: open ? closed : [...closed, id].slice(-maxCollapsedLanes) });
  }

  /** Selects a line, scrolls to it and focuses it. */
  #moveTo(at: number): void {
    this.#selectedIndex = Math.max(0, Math.min(at, this.#lines.total - 1));
    this.#hasMoved = true;
    this.#mustFocus = true;
    const scroller = this.#scroller;
    if (scroller !== undefined) {
      const [top, view] = [this.#selectedIndex * lineHeight, scroller.clientHeight];
      const from = scroller.scrollTop;
      // From far away to the middle, from nearby just into view.
      if (top < from - view || top > from + 2 * view) this.#scrollTo = top - view / 2;
      else if (top < from) this.#scrollTo = top;
      else if (top + lineHeight > from + view) this.#scrollTo = top + lineHeight - view;
    }
    this.#deps.changed();
  }

  #handleKey(context: Context, event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || event.target.getAttribute('role') !== 'row') return;
    if (!this.#act(context, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #act(context: Context, key: string): boolean {
    const line = this.#lines.line(this.#selectedIndex);
    const screen = Math.max(1, Math.floor((this.#scroller?.clientHeight ?? likelyHeight) / lineHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: this.#selectedIndex + 1,
      ArrowUp: this.#selectedIndex - 1,
      PageDown: this.#selectedIndex + screen,
      PageUp: this.#selectedIndex - screen,
      Home: 0,
      End: this.#lines.total - 1,
    };
    const to = moves[key];
    if (to !== undefined) this.#moveTo(to);
    else if (key === 'Enter' && line?.type !== 'lane') this.#reveal(context, this.#selectedIndex);
    else if ((key === 'Enter' || key === ' ') && line?.type === 'lane') this.#toggle(line.id);
    else if (key === 'ArrowRight' && line?.type === 'lane') this.#toggle(line.id, true);
    else if (key === 'ArrowLeft') this.#collapseOrGoToParent(line);
    else return key === ' ';
    return true;
  }

  #collapseOrGoToParent(line: TrajectoryLine | undefined): void {
    if (line?.type === 'lane') {
      this.#toggle(line.id, false);
      return;
    }
    for (let at = this.#selectedIndex - 1; at >= 0 && this.#lines.line(at) !== undefined; at--) {
      if (this.#lines.line(at)?.type !== 'lane') continue;
      this.#moveTo(at);
      return;
    }
  }
}

function isSame(a: TrajectoryLine, b: TrajectoryLine): boolean {
  if (a.type === 'lane' || b.type === 'lane') return a.type === 'lane' && b.type === 'lane' && a.id === b.id;
  return a.entryIndex === b.entryIndex;
}

function isFiltered({ query, kinds, repeats }: TrajectoryQuery): boolean {
  return query.trim() !== '' || kinds.length > 0 || repeats;
}

function chip(kind: string, word: string, count: number, on: boolean, press: () => void): TemplateResult {
  return html`<button class="chip" data-kind=${kind} aria-pressed=${String(on)} @click=${press}>
    <i class="sw" aria-hidden="true"></i>${word}<span class="n">${formatNumber(count)}</span>
  </button>`;
}
