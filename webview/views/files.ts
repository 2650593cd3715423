import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { FromPage, ToPage } from '../../src/protocol/messages.ts';
import type {
  FileGroup,
  FileLine,
  FilesLine,
  FilesPage,
  StepLink,
  UnreportedLine,
} from '../../src/protocol/viewMessages.ts';
import { button, codicon, field } from '../controls.ts';
import { plural, t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import { number } from '../text/format.ts';
import { splitPath } from '../text/paths.ts';
import { shown } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { lineHeight, Lines } from './lines.ts';
import { placed, px } from './placed.ts';
import type { PageView } from './view.ts';

/** Sessions up to this many entries are looked through for the number on the tab before anybody opens it. */
const countedAtOnce = 5000;
const likelyHeight = 600;

interface Deps {
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  readonly changed: () => void;
}

/** What a session read and changed, and what changed behind the backs of its tools. */
export class FilesView implements PageView {
  readonly id = 'files';
  readonly #deps: Deps;
  readonly #lines: Lines<FilesLine>;
  #query = '';
  #sums: FilesPage['sums'] | undefined;
  #failed = false;
  #stale = true;
  #counted = false;
  #scroller: HTMLElement | undefined;
  #at = 0;
  #focusWanted = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#lines = new Lines({ ask: (from, count) => this.#ask(from, count), changed: () => this.#deps.changed() });
  }

  title(): string {
    return t('Files');
  }

  count({ store }: Context): number | undefined {
    if (!this.#counted && store.view !== undefined && store.total <= countedAtOnce) {
      this.#counted = true;
      void this.#ask(0, 0).then(() => this.#deps.changed());
    }
    return this.#sums?.files;
  }

  take(message: ToPage): void {
    if (message.type !== 'viewsChanged' && message.type !== 'init') return;
    this.#stale = true;
    this.#counted = false;
    if (message.type === 'init') this.#lines.renew();
  }

  async #ask(from: number, count: number): Promise<readonly FilesLine[] | undefined> {
    const query = this.#query;
    const answer = await this.#deps.request((request) => ({ type: 'getFiles', request, from, count, query }));
    this.#failed = answer.type !== 'files';
    if (answer.type !== 'files' || query !== this.#query) return undefined;
    this.#sums = answer.page.sums;
    this.#lines.total = answer.page.total;
    return answer.page.lines;
  }

  #filter(query: string): void {
    this.#query = query.slice(0, 1000);
    this.#at = 0;
    this.#lines.renew();
    this.#deps.changed();
  }

  draw(context: Context): TemplateResult {
    if (this.#stale) {
      this.#stale = false;
      this.#counted = true;
      this.#lines.renew();
    }
    const scroller = this.#scroller;
    const { from, to } = this.#lines.look(scroller?.scrollTop ?? 0, scroller?.clientHeight ?? likelyHeight);
    const sums = this.#sums;
    if (sums === undefined) {
      return this.#failed
        ? html`<p class="none">${t('The files could not be read')}</p>`
        : html`<div class="progress" role="progressbar" aria-label=${t('Reading the files')}><i></i></div>
            <p class="none">${t('Reading the files')}</p>`;
    }
    return html`${this.#bar(sums, context)}
      <div
        class="tbl"
        role="grid"
        aria-label=${t('Files of the session')}
        aria-rowcount=${this.#lines.total + 1}
        @keydown=${(event: KeyboardEvent) => this.#key(context, event)}
      >
        <div class="tblh" role="row" aria-rowindex="1">
          <span role="columnheader">${t('File')}</span>
          <span role="columnheader" class="n">${t('Lines')}</span>
          <span role="columnheader" class="n opt">${t('Touches')}</span>
          <span role="columnheader" class="n" aria-label=${t('First step')}
            >${t('First')}<i class="w"> ${t('step')}</i></span
          >
          <span role="columnheader" class="n" aria-label=${t('Last step')}
            >${t('Last')}<i class="w"> ${t('step')}</i></span
          >
        </div>
        <div class="tblb" role="presentation" @scroll=${() => this.#deps.changed()}>
          ${
            this.#lines.total === 0
              ? html`<p class="none">
                  ${this.#query.trim() === '' ? t('No file was read or changed') : t('No file fits the filter')}
                </p>`
              : html`<div class="wfl" role="rowgroup" ${placed({ height: px(this.#lines.total * lineHeight) })}>
                  ${this.#rows(context, from, to)}
                </div>`
          }
        </div>
      </div>`;
  }

  drawn(place: HTMLElement): void {
    const scroller = place.querySelector('.tblb');
    if (!(scroller instanceof HTMLElement)) return;
    if (this.#scroller !== scroller) {
      this.#scroller = scroller;
      new ResizeObserver(() => this.#deps.changed()).observe(scroller);
    }
    if (!this.#focusWanted) return;
    const row = place.querySelector(`[data-at="${this.#at}"]`);
    if (!(row instanceof HTMLElement)) return;
    this.#focusWanted = false;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  #bar(sums: FilesPage['sums'], { actions }: Context): TemplateResult {
    const { changed, read, unreported, added, removed, counted, omitted } = sums;
    return html`<div class="sumbar">
      <span class="x">
        ${t('{0} changed', number(changed))} ${changed === 0 ? nothing : lines(added, removed, counted)}
      </span>
      ${
        unreported === 0
          ? nothing
          : html`<span class="x warn">${codicon('eye-watch', 'sm')}${t('{0} not reported', number(unreported))}</span>`
      }
      <span class="x">${t('{0} read only', number(read))}</span>
      ${omitted === 0 ? nothing : html`<span class="x">${t('{0} left out', number(omitted))}</span>`}
      <span class="filter">
        ${field({
          id: 'file-filter',
          label: t('Filter files'),
          value: this.#query,
          placeholder: t('Filter files'),
          multiline: false,
          onInput: (query) => this.#filter(query),
          onKey: (event) => this.#filterKey(event),
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

  #filterKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.#go(0, 1);
    else if (event.key === 'Escape' && this.#query !== '') this.#filter('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #rows(context: Context, from: number, to: number): unknown {
    const places = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
    if (this.#at < from) places.unshift(this.#at);
    else if (this.#at >= to) places.push(this.#at);
    return repeat(
      places.filter((at) => at < this.#lines.total),
      (at) => at,
      (at) => {
        const line = this.#lines.line(at);
        const selected = at === this.#at;
        const focus = (): void => {
          this.#at = at;
          this.#deps.changed();
        };
        return html`<div
          class="frow ${line?.type === 'group' ? 'grp' : ''}"
          role="row"
          data-at=${at}
          data-group=${line?.type === 'group' ? line.group : nothing}
          aria-rowindex=${at + 2}
          aria-label=${line === undefined ? t('Loading') : labelOf(line)}
          tabindex=${selected ? 0 : -1}
          @focus=${focus}
          @dblclick=${() => open(context, line)}
          ${placed({ top: px(at * lineHeight) })}
        >
          ${line === undefined ? nothing : cells(context, line)}
        </div>`;
      },
    );
  }

  #go(at: number, step: number): void {
    const last = this.#lines.total - 1;
    let to = Math.max(0, Math.min(at, last));
    // Headings are no stops, unless there is nothing beyond them.
    if (this.#lines.line(to)?.type === 'group' && to + step >= 0 && to + step <= last) to += step;
    this.#at = this.#lines.line(to)?.type === 'group' ? Math.min(last, to + 1) : to;
    this.#focusWanted = true;
    this.#deps.changed();
  }

  #key(context: Context, event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || event.target.getAttribute('role') !== 'row') return;
    if (event.key === 'ArrowDown') this.#go(this.#at + 1, 1);
    else if (event.key === 'ArrowUp') this.#go(this.#at - 1, -1);
    else if (event.key === 'Home') this.#go(0, 1);
    else if (event.key === 'End') this.#go(this.#lines.total - 1, -1);
    else if (event.key === 'Enter') open(context, this.#lines.line(this.#at));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The changes of what was changed, else the file as it is now. */
function open({ actions }: Context, line: FilesLine | undefined): void {
  if (line === undefined || line.type === 'group') return;
  if (line.type === 'file' && line.change !== 'read') actions.openChanges(line.path);
  else actions.openFile(line.path);
}

function cells(context: Context, line: FilesLine): TemplateResult {
  if (line.type === 'group') {
    return html`<span role="gridcell"
      >${groupWord(line.group)} <span class="dim">${plural(line.count, t('{0} file', 1), t('{0} files'))}</span></span
    >`;
  }
  return html`${name(context, line)}${line.type === 'file' ? touched(context, line) : behind(context, line)}`;
}

function name({ actions, store }: Context, line: FileLine | UnreportedLine): TemplateResult {
  const { name: base, folder } = splitPath(line.path, store.view?.summary.project_dir);
  const act = (label: string, icon: string, onClick: () => void): TemplateResult =>
    button({ label: t('{0}: {1}', label, plain(base)), title: label, icon, look: 'icon', tabIndex: -1, onClick });
  const changed = line.type === 'file' && line.change !== 'read';
  const icon =
    line.change === 'added'
      ? 'new-file'
      : line.change === 'deleted'
        ? 'trash'
        : line.type === 'unreported'
          ? 'eye-watch'
          : 'file';
  return html`<span class="fl" role="gridcell" title=${plain(line.path)}>
    ${codicon(icon)}<span class="obj">${shown(base)}</span>
    ${folder === '' ? nothing : html`<span class="dir">${shown(folder)}</span>`}
    ${line.change === 'added' || line.change === 'deleted' ? html`<span class="dir word">${changeWord(line.change)}</span>` : nothing}
    <span class="ha">
      ${changed ? act(t('Open changes'), 'diff-single', () => actions.openChanges(line.path)) : nothing}
      ${line.change === 'deleted' ? nothing : act(t('Open file'), 'go-to-file', () => actions.openFile(line.path))}
    </span>
  </span>`;
}

function touched({ actions }: Context, line: FileLine): TemplateResult {
  const step = ({ entryIndex, number: step_ }: StepLink, label: string): TemplateResult =>
    html`<span role="gridcell" class="n"
      ><button class="link" tabindex="-1" aria-label=${label} @click=${() => actions.reveal(entryIndex)}>
        ${step_}
      </button></span
    >`;
  return html`<span role="gridcell" class="n"
      >${line.change === 'read' ? nothing : lines(line.added, line.removed, line.counted)}</span
    >
    <span role="gridcell" class="n opt">${number(line.touches)}</span>
    ${step(line.first, t('Step {0}', line.first.number))}${step(line.last, t('Step {0}', line.last.number))}`;
}

function behind({ actions }: Context, line: UnreportedLine): TemplateResult {
  return html`<span role="gridcell" class="note"
    >${line.besides ? html`<span class="dim">${t('besides reported edits')}</span>` : nothing}
    <button class="link" tabindex="-1" @click=${() => actions.reveal(line.entryIndex)}>
      ${t('Show the note')}
    </button></span
  >`;
}

function lines(added: number, removed: number, counted: boolean): TemplateResult {
  const unsure = counted ? '' : t('At least: not every change said how many lines it was');
  return html`<span class="ds" title=${unsure === '' ? nothing : unsure}
    >${counted ? nothing : '≥ '}<ins>+${number(added)}</ins> <del>−${number(removed)}</del></span
  >`;
}

function groupWord(group: FileGroup): string {
  switch (group) {
    case 'changed':
      return t('Changed');
    case 'unreported':
      return t('Changed by no reported tool call');
    case 'read':
      return t('Read only');
  }
}

function changeWord(change: FileLine['change']): string {
  switch (change) {
    case 'added':
      return t('added');
    case 'deleted':
      return t('deleted');
    case 'changed':
      return t('changed');
    case 'read':
      return t('read');
  }
}

function labelOf(line: FilesLine): string {
  if (line.type === 'group') return `${groupWord(line.group)}, ${plural(line.count, t('{0} file', 1), t('{0} files'))}`;
  const path = plain(line.path);
  if (line.type === 'unreported') {
    const besides = line.besides ? t('besides reported edits') : '';
    return [path, changeWord(line.change), t('by no reported tool call'), besides]
      .filter((part) => part !== '')
      .join(', ');
  }
  const sum =
    line.change === 'read'
      ? ''
      : line.counted
        ? t('{0} lines added, {1} removed', line.added, line.removed)
        : t('at least {0} lines added, {1} removed', line.added, line.removed);
  const steps = t('first step {0}, last step {1}', line.first.number, line.last.number);
  return [path, changeWord(line.change), sum, steps].filter((part) => part !== '').join(', ');
}
