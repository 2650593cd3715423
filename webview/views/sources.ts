import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { EvidenceStatus, PageSource } from '../../src/protocol/evidence.ts';
import type { FromPage, ToPage } from '../../src/protocol/messages.ts';
import { citeId } from '../cite/marks.ts';
import { codicon, field } from '../controls.ts';
import { plural, t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import { number } from '../text/format.ts';
import { splitPath } from '../text/paths.ts';
import { shown } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import type { PageView } from './view.ts';

interface SourcesDeps {
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  readonly changed: () => void;
}

type Answer = Extract<ToPage, { type: 'sources' }>;

/** Rows drawn at first, and more with each wish. */
const rowsShown = 150;

const icons = { given: 'verified', found: 'link', not_found: 'unverified' } as const;

/** Every source of the session once, with the messages that rest on it. */
export class SourcesView implements PageView {
  readonly id = 'sources';
  readonly #deps: SourcesDeps;
  #answer: Answer | undefined;
  #asked = false;
  /** Something came since the list was made. */
  #stale = true;
  #filter = '';
  #rows = rowsShown;

  constructor(deps: SourcesDeps) {
    this.#deps = deps;
  }

  title(): string {
    return t('Sources');
  }

  count(): number | undefined {
    if (this.#stale) void this.#ask();
    return this.#answer === undefined ? undefined : this.#answer.sources.length + this.#answer.more;
  }

  take(message: ToPage): void {
    const settled =
      message.type === 'updates' && message.updates.some((update) => update.op === 'put' && update.open !== true);
    if (message.type === 'init' || message.type === 'links' || settled) this.#stale = true;
  }

  /** One question at a time: what comes meanwhile is asked for after it. */
  async #ask(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    this.#stale = false;
    const answer = await this.#deps.request((request) => ({ type: 'getSources', request }));
    this.#asked = false;
    if (answer.type === 'sources') this.#answer = answer;
    this.#deps.changed();
  }

  draw(context: Context): TemplateResult {
    const answer = this.#answer;
    if (answer === undefined) return html`<p class="loadl">${t('Reading the session')}</p>`;
    const all = answer.sources;
    if (all.length === 0) {
      return html`<div class="empty">
        <div class="in">
          <h2>${t('No sources')}</h2>
          <p>${t('No message of this session names a file, a command or an address that can be looked up.')}</p>
        </div>
      </div>`;
    }
    const wanted = this.#filter.toLowerCase();
    const rows = all.filter((each) =>
      `${each.name} ${each.path ?? ''} ${each.url ?? ''}`.toLowerCase().includes(wanted),
    );
    return html`<div class="sumbar">
        ${summary(all)}
        <span class="filter">
          ${field({
            id: 'source-filter',
            label: t('Filter sources'),
            value: this.#filter,
            placeholder: t('Filter sources'),
            multiline: false,
            onInput: (query) => this.#setFilter(query),
            onKey: (event) => this.#filterKey(event),
          })}
        </span>
      </div>
      <div class="pane" tabindex="0" role="region" aria-label=${t('Sources')}>
        <table class="srct">
          <thead>
            <tr>
              <th scope="col" class="n"><span class="sr">${t('Number')}</span></th>
              <th scope="col">${t('Source')}</th>
              <th scope="col" class="w-e">${t('Evidence')}</th>
              <th scope="col" class="n c-opt">${t('Cited')}</th>
              <th scope="col" class="n">${t('Step')}</th>
            </tr>
          </thead>
          <tbody>
            ${rows.slice(0, this.#rows).map((source) => sourceRow(context, source))}
          </tbody>
        </table>
        ${rows.length === 0 ? html`<p class="loadl">${t('No source fits the filter.')}</p>` : nothing}
        ${rows.length > this.#rows ? html`<p class="loadl"><button class="link" @click=${() => this.#showMore()}>${t('Show more')}</button></p>` : nothing}
        ${answer.more > 0 ? html`<p class="loadl">${t('{0} more, not shown', number(answer.more))}</p>` : nothing}
        ${answer.complete ? nothing : html`<p class="loadl" aria-busy="true">${t('The session is still being read.')}</p>`}
      </div>`;
  }

  #showMore(): void {
    this.#rows += rowsShown;
    this.#deps.changed();
  }

  #setFilter(query: string): void {
    this.#filter = query;
    this.#deps.changed();
  }

  #filterKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.#filter !== '') this.#setFilter('');
    else return;
    event.preventDefault();
  }
}

function summary(all: readonly PageSource[]): TemplateResult {
  const count = (status: EvidenceStatus): number => all.filter((each) => each.status === status).length;
  const [given, found, missing] = [count('given'), count('found'), count('not_found')];
  return html`${given > 0 ? html`<span class="x">${t('{0} given by the agent', number(given))}</span>` : nothing}
  ${found > 0 ? html`<span class="x">${t('{0} found in this session', number(found))}</span>` : nothing}
  ${missing > 0 ? html`<span class="x warn">${t('{0} not found', number(missing))}</span>` : nothing}`;
}

function sourceRow({ store, actions }: Context, source: PageSource): TemplateResult {
  const { status, step, cited } = source;
  const { icon, name, about } = describe(source, store.view?.summary.project_dir);
  return html`<tr>
    <td class="n sub">${source.number}</td>
    <td>
      <span class="fl"
        >${codicon(icon)}<a
          class="obj"
          role="link"
          tabindex="0"
          aria-haspopup="dialog"
          data-cite=${citeId(source.entryIndex, source.link)}
          title=${plain(source.name)}
          >${shown(name)}</a
        >${about === '' ? nothing : html`<span class="dir">${shown(about)}</span>`}</span
      >
    </td>
    <td>
      <span class="ev" data-e=${status}>${codicon(icons[status])}<span>${statusWord(status)}</span></span>
    </td>
    <td class="n sub c-opt" title=${plural(cited, t('cited {0} time', 1), t('cited {0} times'))}>${number(cited)}</td>
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
    </td>
  </tr>`;
}

function statusWord(status: EvidenceStatus): string {
  switch (status) {
    case 'given':
      return t('Given');
    case 'found':
      return t('Found');
    case 'not_found':
      return t('Not found');
  }
}

interface Described {
  readonly icon: string;
  readonly name: string;
  readonly about: string;
}

function describe({ kind, name, path, lines, url, exitCode }: PageSource, projectDir: string | undefined): Described {
  if (path !== null && url === null) {
    const { name: file, folder } = splitPath(path, projectDir);
    const at = lines === null ? '' : lines[0] === lines[1] ? t('line {0}', lines[0]) : t('lines {0}–{1}', ...lines);
    return { icon: 'file', name: file, about: [folder, at].filter((part) => part !== '').join(' · ') };
  }
  if (url !== null) return { icon: 'globe', name, about: name === url ? '' : url };
  const icon = kind === 'citation' ? 'quote' : 'terminal';
  return { icon, name, about: exitCode === null ? '' : t('exit {0}', exitCode) };
}
