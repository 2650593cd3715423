import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { EvidenceStatus, PageSource, SourcesPage } from '../../src/protocol/panel/evidence.ts';
import type { ToPage } from '../../src/protocol/panel/messages.ts';
import { citeId } from '../cite/marks.ts';
import { codicon, field } from '../controls.ts';
import { plural, t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import { formatNumber } from '../text/format.ts';
import { splitPath } from '../text/paths.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { verdictIcons, verdictWord } from '../parts/evidence/claimVerdict.ts';
import { lineHeight, Lines } from './trajectory/lines.ts';
import { setStyles, px } from './placed.ts';
import type { PageView, ViewDeps } from './view.ts';

/** Milliseconds between two checks of the list while entries arrive. */
const pause = 1000;
/** While only the number on its tab is visible, and the agent is running. */
const unseenPause = 3000;
/** Assumed height of the list in px until it is drawn. */
const likelyHeight = 600;

const icons = { given: 'verified', found: 'link', not_found: 'unverified' } as const;

/** Every source of the session once, with the messages that cite it. */
export class SourcesView implements PageView {
  readonly id = 'sources';
  readonly #deps: ViewDeps;
  readonly #lines: Lines<PageSource>;
  #page: SourcesPage | undefined;
  /** Something changed since the list was requested. */
  #isStale = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When it ends. */
  #due = 0;
  #query = '';
  #scroller: HTMLElement | undefined;
  /** Index of the focused row, which stays in the page wherever it scrolls. */
  #focusedIndex: number | undefined;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#lines = new Lines({ ask: (from, count) => this.#ask(from, count), changed: () => this.#deps.changed() });
  }

  count({ store }: Context): number | undefined {
    const grows = store.turns.at(-1)?.status === 'running' && this.#page?.complete === true;
    if (this.#isStale) this.#renew(grows ? unseenPause : pause);
    const { sums } = this.#page ?? {};
    return sums === undefined ? undefined : sums.given + sums.found + sums.not_found;
  }

  handleMessage(message: ToPage): void {
    const settled =
      message.type === 'updates' && message.updates.some((update) => update.op === 'put' && update.open !== true);
    if (message.type === 'init' || message.type === 'links' || settled) this.#isStale = true;
  }

  /** Immediately at first, then only from time to time. */
  #renew(wait: number): void {
    const after = this.#page === undefined ? 0 : wait;
    const due = Date.now() + after;
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isStale = false;
      this.#lines.renew();
      void this.#ask(0, 0).then(() => this.#deps.changed());
    }, after);
  }

  async #ask(from: number, count: number): Promise<readonly PageSource[] | undefined> {
    const query = this.#query;
    const answer = await this.#deps.request((request) => ({ type: 'getSources', request, from, count, query }));
    if (answer.type !== 'sources' || query !== this.#query) return undefined;
    this.#page = answer.page;
    this.#lines.total = answer.page.total;
    if (!answer.page.complete) this.#isStale = true;
    return answer.page.sources;
  }

  draw(context: Context): TemplateResult {
    if (this.#isStale) this.#renew(pause);
    const page = this.#page;
    const { given, found, not_found: missing } = page?.sums ?? { given: 0, found: 0, not_found: 0 };
    const none = given + found + missing === 0;
    if (page === undefined || (none && !page.complete)) return html`<p class="loadl">${t('Reading session…')}</p>`;
    if (none) {
      return html`<div class="empty">
        <div class="in">
          <h2>${t('No sources')}</h2>
          <p>${t('The messages of this session name no files, commands or URLs.')}</p>
        </div>
      </div>`;
    }
    return html`<div class="sumbar">
        ${summary(page.sums)}
        <span class="filter">
          ${field({
            id: 'source-filter',
            label: t('Filter sources'),
            value: this.#query,
            placeholder: t('Filter sources'),
            multiline: false,
            onInput: (query) => this.#filter(query),
            onKey: (event) => this.#handleFilterKey(event),
          })}
        </span>
      </div>
      <div
        class="pane"
        tabindex="0"
        role="region"
        aria-label=${t('Sources')}
        @scroll=${() => this.#deps.changed()}
        @focusin=${({ target }: FocusEvent) => (this.#focusedIndex = placeOf(target))}
        @focusout=${() => (this.#focusedIndex = undefined)}
      >
        <table class="srct" aria-rowcount=${this.#lines.total + 1}>
          <thead>
            <tr aria-rowindex="1">
              <th scope="col" class="n"><span class="sr">${t('Number')}</span></th>
              <th scope="col">${t('Source')}</th>
              <th scope="col" class="w-e">${t('Evidence')}</th>
              <th scope="col" class="n c-opt">${t('Cited')}</th>
              <th scope="col" class="n">${t('Step')}</th>
            </tr>
          </thead>
          <tbody>
            ${this.#renderRows(context)}
          </tbody>
        </table>
        ${this.#lines.total === 0 ? html`<p class="loadl">${t('No sources match the filter.')}</p>` : nothing}
        ${page.complete ? nothing : html`<p class="loadl" aria-busy="true">${t('Vitrine is still reading the session.')}</p>`}
      </div>`;
  }

  /** Visible rows, the focused one, and placeholders for the others. */
  #renderRows(context: Context): TemplateResult {
    const scroller = this.#scroller;
    const { from, to } = this.#lines.look(scroller?.scrollTop ?? 0, scroller?.clientHeight ?? likelyHeight);
    const saved = this.#focusedIndex ?? from;
    const places = new Set(Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n));
    if (saved < this.#lines.total) places.add(saved);
    const sorted = [...places].sort((a, b) => a - b);
    return html`${repeat(
      sorted,
      (at) => at,
      (at, n) => html`${renderSpacer(at - (sorted[n - 1] ?? -1) - 1)}${this.#renderRow(context, at)}`,
    )}${renderSpacer(this.#lines.total - (sorted.at(-1) ?? -1) - 1)}`;
  }

  #renderRow(context: Context, at: number): TemplateResult {
    const source = this.#lines.line(at);
    return html`<tr data-at=${at} aria-rowindex=${at + 2}>
      ${source === undefined ? html`<td colspan="5" class="sub">${t('Loading…')}</td>` : renderCells(context, source)}
    </tr>`;
  }

  handleDrawn(place: HTMLElement): void {
    const scroller = place.querySelector('.pane');
    if (!(scroller instanceof HTMLElement) || this.#scroller === scroller) return;
    this.#scroller = scroller;
    new ResizeObserver(() => this.#deps.changed()).observe(scroller);
  }

  #filter(query: string): void {
    this.#query = query.slice(0, 1000);
    this.#lines.renew();
    this.#deps.changed();
  }

  #handleFilterKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.#query !== '') this.#filter('');
    else return;
    event.preventDefault();
  }
}

function placeOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('[data-at]') : null;
  return row === null ? undefined : Number(row.getAttribute('data-at'));
}

/** For rows that are not drawn. */
function renderSpacer(rows: number): TemplateResult | typeof nothing {
  if (rows <= 0) return nothing;
  return html`<tr class="space" aria-hidden="true">
    <td colspan="5" ${setStyles({ height: px(rows * lineHeight) })}></td>
  </tr>`;
}

function summary({ given, found, not_found: missing }: SourcesPage['sums']): TemplateResult {
  return html`${given > 0 ? html`<span class="x">${t('{0} cited by the agent', formatNumber(given))}</span>` : nothing}
  ${found > 0 ? html`<span class="x">${t('{0} found in this session', formatNumber(found))}</span>` : nothing}
  ${missing > 0 ? html`<span class="x warn">${t('{0} not found', formatNumber(missing))}</span>` : nothing}`;
}

function renderCells({ store, actions }: Context, source: PageSource): TemplateResult {
  const { status, verdict, step, cited } = source;
  const { icon, name, about } = describe(source, store.view?.summary.project_dir);
  return html`<td class="n sub">${source.number}</td>
    <td>
      <span class="fl"
        >${codicon(icon)}<a
          class="obj"
          role="link"
          tabindex="0"
          aria-haspopup="dialog"
          data-cite=${citeId(source.entryIndex, source.link)}
          title=${plain(source.name)}
          >${visibleTemplate(name)}</a
        >${about === '' ? nothing : html`<span class="dir">${visibleTemplate(about)}</span>`}</span
      >
    </td>
    <td>
      <span class="ev" data-e=${status}>${codicon(icons[status])}<span>${statusWord(status)}</span></span>
      ${
        status !== 'found' || verdict === null
          ? nothing
          : html`<span class="ev" data-v=${verdict}
              >${codicon(verdictIcons[verdict])}<span>${verdictWord(verdict)}</span></span
            >`
      }
    </td>
    <td class="n sub c-opt" title=${plural(cited, t('cited {0} time', 1), t('cited {0} times'))}>
      ${formatNumber(cited)}
    </td>
    <td class="n sub">
      ${
        step === null
          ? html`<span aria-label=${t('none')}>–</span>`
          : html`<button
              class="link"
              aria-label=${t('Go to step {0}', step.step)}
              @click=${() => actions.reveal(step.entryIndex)}
            >
              ${step.step}
            </button>`
      }
    </td>`;
}

function statusWord(status: EvidenceStatus): string {
  switch (status) {
    case 'given':
      return t('Cited by agent');
    case 'found':
      return t('Found');
    case 'not_found':
      return t('Not found');
  }
}

interface SourceLabel {
  readonly icon: string;
  readonly name: string;
  readonly about: string;
}

function describe({ kind, name, path, lines, url, exitCode }: PageSource, projectDir: string | undefined): SourceLabel {
  if (path !== null && url === null) {
    const { name: file, folder } = splitPath(path, projectDir);
    const at = lines === null ? '' : lines[0] === lines[1] ? t('line {0}', lines[0]) : t('lines {0}–{1}', ...lines);
    return { icon: 'file', name: file, about: [folder, at].filter((part) => part !== '').join(' · ') };
  }
  if (url !== null) return { icon: 'globe', name, about: name === url ? '' : url };
  const icon = kind === 'citation' ? 'quote' : 'terminal';
  return { icon, name, about: exitCode === null ? '' : t('exit {0}', exitCode) };
}
