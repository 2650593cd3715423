import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { ToPage } from '../../../src/protocol/panel/messages.ts';
import type { FilesLine, FilesPage, FileComparison, FileSort } from '../../../src/protocol/panel/viewMessages.ts';
import { button, codicon, field } from '../../controls.ts';
import { t } from '../../l10n.ts';
import type { Context } from '../../parts/context.ts';
import { formatNumber } from '../../text/format.ts';
import { renderCells, labelOf, lineCounts, openLine } from './fileRows.ts';
import type { FilesViewState } from '../savedViews.ts';
import { lineHeight, Lines } from '../trajectory/lines.ts';
import { setStyles, px } from '../placed.ts';
import { FileComparisons } from './filesSince.ts';
import type { PageView, ViewDeps } from '../view.ts';

/** In sessions up to this size, entries are searched for the tab's count before the tab is opened. */
const countedAtOnce = 5000;
const likelyHeight = 600;

/** Files that a session read and changed, and changes without a tool call. */
export class FilesView implements PageView {
  readonly id = 'files';
  readonly #deps: ViewDeps;
  readonly #lines: Lines<FilesLine>;
  readonly #comparisons: FileComparisons;
  #viewState: FilesViewState;
  #sums: FilesPage['sums'] | undefined;
  #hasFailed = false;
  #isStale = true;
  #isCounted = false;
  #scroller: HTMLElement | undefined;
  #selectedIndex = 0;
  #mustFocus = false;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#lines = new Lines({ ask: (from, count) => this.#ask(from, count), changed: () => this.#deps.changed() });
    this.#comparisons = new FileComparisons(deps);
    this.#viewState = deps.kept.files ?? { query: '', sort: 'first' };
  }

  get viewState(): FilesViewState {
    return this.#viewState;
  }

  count({ store }: Context): number | undefined {
    if (!this.#isCounted && store.view !== undefined && store.entryCount <= countedAtOnce) {
      this.#isCounted = true;
      void this.#ask(0, 0).then(() => this.#deps.changed());
    }
    return this.#sums?.files;
  }

  handleMessage(message: ToPage): void {
    if (message.type !== 'viewsChanged' && message.type !== 'init') return;
    this.#isStale = true;
    this.#isCounted = false;
    if (message.type === 'init') this.#lines.renew();
  }

  async #ask(from: number, count: number): Promise<readonly FilesLine[] | undefined> {
    const wish = this.#viewState;
    const answer = await this.#deps.request((request) => ({ type: 'getFiles', request, from, count, ...wish }));
    this.#hasFailed = answer.type !== 'files';
    if (answer.type !== 'files' || wish !== this.#viewState) return undefined;
    this.#sums = answer.page.sums;
    this.#lines.total = answer.page.total;
    void this.#comparisons.requestComparisons(answer.page.lines);
    return answer.page.lines;
  }

  #filter(query: string): void {
    this.#setViewState({ ...this.#viewState, query: query.slice(0, 1000) });
  }

  #setViewState(wish: FilesViewState): void {
    this.#viewState = wish;
    this.#selectedIndex = 0;
    this.#lines.renew();
    this.#deps.changed();
  }

  draw(context: Context): TemplateResult {
    if (this.#isStale) {
      this.#isStale = false;
      this.#isCounted = true;
      this.#comparisons.renew();
      this.#lines.renew();
    }
    const scroller = this.#scroller;
    const range = this.#lines.look(scroller?.scrollTop ?? 0, scroller?.clientHeight ?? likelyHeight);
    const sums = this.#sums;
    if (sums === undefined) {
      return this.#hasFailed
        ? html`<p class="none">${t('The files could not be read')}</p>`
        : html`<div class="progress" role="progressbar" aria-label=${t('Reading files…')}><i></i></div>
            <p class="none">${t('Reading files…')}</p>`;
    }
    return html`${this.#renderBar(sums, context)}
      <div
        class="tbl"
        role="grid"
        aria-label=${t('Files of the session')}
        aria-rowcount=${this.#lines.total + 1}
        @keydown=${(event: KeyboardEvent) => this.#handleKey(context, event)}
      >
        <div class="tblh" role="row" aria-rowindex="1">
          ${this.#renderColumn('name', t('File'), '')} ${this.#renderColumn('lines', t('Lines'), 'n')}
          ${this.#renderColumn('touches', t('Uses'), 'n opt')}
          ${this.#renderColumn('first', t('First step'), 'n', t('First'))}
          ${this.#renderColumn('last', t('Last step'), 'n', t('Last'))}
          <span role="columnheader" class="since">${t('Changed since')}</span>
        </div>
        <div class="tblb" role="presentation" @scroll=${() => this.#deps.changed()}>
          ${
            this.#lines.total === 0
              ? html`<p class="none">
                  ${this.#viewState.query.trim() === '' ? t('No files were read or changed') : t('No files match the filter')}
                </p>`
              : html`<div class="wfl" role="rowgroup" ${setStyles({ height: px(this.#lines.total * lineHeight) })}>
                  ${this.#renderRows(context, this.#lines.places(range, this.#selectedIndex))}
                </div>`
          }
        </div>
      </div>`;
  }

  handleDrawn(place: HTMLElement): void {
    const scroller = place.querySelector('.tblb');
    if (!(scroller instanceof HTMLElement)) return;
    if (this.#scroller !== scroller) {
      this.#scroller = scroller;
      new ResizeObserver(() => this.#deps.changed()).observe(scroller);
    }
    if (!this.#mustFocus) return;
    const row = place.querySelector(`[data-at="${this.#selectedIndex}"]`);
    if (!(row instanceof HTMLElement)) return;
    this.#mustFocus = false;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  /** Sorts the files; a second click restores the order of first use. `short`: for little room. */
  #renderColumn(sort: FileSort, title: string, look: string, short?: string): TemplateResult {
    const on = this.#viewState.sort === sort;
    const ascending = sort === 'name' || sort === 'first';
    return html`<span
      role="columnheader"
      class=${look}
      aria-sort=${!on ? 'none' : ascending ? 'ascending' : 'descending'}
      ><button
        class="sort"
        aria-label=${title}
        title=${t('Sort by: {0}', title)}
        @click=${() => this.#setViewState({ ...this.#viewState, sort: on ? 'first' : sort })}
      >
        ${short === undefined ? title : html`<i class="w">${title}</i><i class="nw">${short}</i>`}${
          on && sort !== 'first' ? codicon(ascending ? 'arrow-up' : 'arrow-down', 'sm') : nothing
        }
      </button></span
    >`;
  }

  #renderBar(sums: FilesPage['sums'], { actions }: Context): TemplateResult {
    const { changed, read, unreported, found, added, removed, counted, omitted } = sums;
    const since = this.#comparisons.count(changed + read) ?? 0;
    return html`<div class="sumbar">
      <span class="x">
        ${t('{0} changed', formatNumber(changed))} ${changed === 0 ? nothing : lineCounts(added, removed, counted)}
      </span>
      ${
        unreported === 0
          ? nothing
          : html`<span class="x warn"
              >${codicon('eye-watch', 'sm')}${t('{0} not reported', formatNumber(unreported))}</span
            >`
      }
      <span class="x">${t('{0} only read', formatNumber(read))}</span>
      ${found === 0 ? nothing : html`<span class="x">${t('{0} never opened', formatNumber(found))}</span>`}
      ${
        since === 0
          ? nothing
          : html`<span class="x warn"
              >${codicon('diff-modified', 'sm')}${t('{0} changed since', formatNumber(since))}</span
            >`
      }
      ${omitted === 0 ? nothing : html`<span class="x">${t('{0} omitted', formatNumber(omitted))}</span>`}
      <span class="filter">
        ${field({
          id: 'file-filter',
          label: t('Filter files'),
          value: this.#viewState.query,
          placeholder: t('Filter files'),
          multiline: false,
          onInput: (query) => this.#filter(query),
          onKey: (event) => this.#handleFilterKey(event),
        })}
      </span>
      ${button({
        label: t('Open all changes'),
        icon: 'diff-multiple',
        look: 'icon',
        disabled: changed === 0,
        onClick: () => actions.openChanges(),
      })}
    </div>`;
  }

  #handleFilterKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.#moveTo(0, 1);
    else if (event.key === 'Escape' && this.#viewState.query !== '') this.#filter('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #renderRows(context: Context, places: readonly number[]): unknown {
    return repeat(
      places,
      (at) => at,
      (at) => {
        const line = this.#lines.line(at);
        const selected = at === this.#selectedIndex;
        const focus = (): void => {
          this.#selectedIndex = at;
          this.#deps.changed();
        };
        return html`<div
          class="frow ${line?.type === 'group' ? 'grp' : ''}"
          role="row"
          data-at=${at}
          data-group=${line?.type === 'group' ? line.group : nothing}
          aria-rowindex=${at + 2}
          aria-label=${line === undefined ? t('Loading…') : labelOf(line, this.#comparisonOf(line))}
          tabindex=${selected ? 0 : -1}
          @focus=${focus}
          @dblclick=${() => openLine(context, line)}
          ${setStyles({ top: px(at * lineHeight) })}
        >
          ${line === undefined ? nothing : renderCells(context, line, this.#comparisonOf(line))}
        </div>`;
      },
    );
  }

  #comparisonOf(line: FilesLine): FileComparison | undefined {
    return line.type === 'file' ? this.#comparisons.comparisonOf(line.path) : undefined;
  }

  #moveTo(at: number, step: number): void {
    const last = this.#lines.total - 1;
    let to = Math.max(0, Math.min(at, last));
    // Headings are skipped, unless there is nothing after them.
    if (this.#lines.line(to)?.type === 'group' && to + step >= 0 && to + step <= last) to += step;
    this.#selectedIndex = this.#lines.line(to)?.type === 'group' ? Math.min(last, to + 1) : to;
    this.#mustFocus = true;
    this.#deps.changed();
  }

  #handleKey(context: Context, event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || event.target.getAttribute('role') !== 'row') return;
    if (event.key === 'ArrowDown') this.#moveTo(this.#selectedIndex + 1, 1);
    else if (event.key === 'ArrowUp') this.#moveTo(this.#selectedIndex - 1, -1);
    else if (event.key === 'Home') this.#moveTo(0, 1);
    else if (event.key === 'End') this.#moveTo(this.#lines.total - 1, -1);
    else if (event.key === 'Enter') openLine(context, this.#lines.line(this.#selectedIndex));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
