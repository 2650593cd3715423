import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  Report,
  ReportAction,
  ReportBody,
  ReportCell,
  ReportColumn,
  ReportFact,
  ReportSection,
  ReportTable,
} from '../../src/model/pages/report.ts';
import { locale, t } from '../l10n.ts';
import { visibleTemplate, shownCode } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { sortedRows, type Sort } from './sorting.ts';

export interface ReportHandlers {
  readonly act: (id: string) => void;
  readonly refresh: () => void;
  readonly copyMarkdown: () => void;
  readonly sort: (table: string, column: number, numeric: boolean) => void;
  readonly toggle: (section: string, open: boolean) => void;
}

export interface ReportViewState {
  /** The report is being made again: it stays readable, and its buttons do not work. */
  readonly isBusy: boolean;
  /** Sorting by section and table, see `tableName`. */
  readonly sorts: ReadonlyMap<string, Sort>;
  /** Titles of the sections that are open although they come closed. */
  readonly openedTitles: ReadonlySet<string>;
  readonly handlers: ReportHandlers;
}

export function reportView(report: Report, state: ReportViewState): TemplateResult {
  const { isBusy, handlers: deeds } = state;
  return html`<header>
      <h1>${visibleTemplate(report.title)}</h1>
      <div class="acts">
        ${button(report.refreshLabel ?? t('Refresh'), 'refresh', deeds.refresh, isBusy)}
        ${button(t('Copy as Markdown'), 'copy', deeds.copyMarkdown, isBusy)}
      </div>
    </header>
    ${body(report, '', state)} ${report.sections.map((section) => sectionView(section, state))}`;
}

function sectionView(section: ReportSection, state: ReportViewState): TemplateResult {
  const { title } = section;
  if (section.collapsed !== true)
    return html`<section aria-label=${plain(title)}>
      <h2>${visibleTemplate(title)}</h2>
      ${body(section, title, state)}
    </section>`;
  const toggled = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLDetailsElement) state.handlers.toggle(title, currentTarget.open);
  };
  return html`<details ?open=${state.openedTitles.has(title)} @toggle=${toggled}>
    <summary><h2>${visibleTemplate(title)}</h2></summary>
    ${body(section, title, state)}
  </details>`;
}

function body({ text = [], facts = [], tables = [], actions = [] }: ReportBody, title: string, state: ReportViewState) {
  return html`${text.map((paragraph) => html`<p>${visibleTemplate(paragraph)}</p>`)}
  ${facts.length === 0 ? nothing : factList(facts, state)} ${tables.map((table) => tableView(table, title, state))}
  ${actionRow(actions, state)}`;
}

function factList(facts: readonly ReportFact[], state: ReportViewState): TemplateResult {
  return html`<dl>
    ${facts.map(
      ({ name, value }) =>
        html`<div>
          <dt>${visibleTemplate(name)}</dt>
          <dd>${cellText(value)} ${actionRow(value.actions, state)}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Key of a table's sorting in the reader's state. */
const tableName = (section: string, table: ReportTable): string => `${section}\n${table.label}`;

function tableView(table: ReportTable, section: string, state: ReportViewState): TemplateResult {
  const { label, columns, rows, note } = table;
  const name = tableName(section, table);
  const sort = state.sorts.get(name);
  const ordered = sort === undefined || sort.column >= columns.length ? rows : sortedRows(rows, sort, locale());
  return html`<div class="table" tabindex="0" role="group" aria-label=${plain(label)}>
      <table>
        <caption>
          ${visibleTemplate(label)}
        </caption>
        <thead>
          <tr>
            ${columns.map((column, at) => columnHead(column, at, sort, () => state.handlers.sort(name, at, column.numeric === true)))}
          </tr>
        </thead>
        <tbody>
          ${ordered.map(
            (row) =>
              html`<tr>
                ${row.map((cell, at) => cellView(cell, at === 0, columns[at]?.numeric === true, state))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${note === undefined ? nothing : html`<p class="dim">${visibleTemplate(note)}</p>`}`;
}

function columnHead({ label, numeric }: ReportColumn, at: number, sort: Sort | undefined, press: () => void) {
  const ownSort = sort?.column === at ? sort : undefined;
  const order = ownSort === undefined ? nothing : ownSort.descending ? 'descending' : 'ascending';
  const icon = ownSort === undefined ? 'none' : ownSort.descending ? 'arrow-down' : 'arrow-up';
  return html`<th scope="col" class=${numeric === true ? 'n' : ''} aria-sort=${order}>
    <button class="sort" @click=${press}>
      ${visibleTemplate(label)}<span class="codicon sm codicon-${icon}" aria-hidden="true"></span>
    </button>
  </th>`;
}

function cellView(cell: ReportCell, names: boolean, numeric: boolean, state: ReportViewState): TemplateResult {
  const content = html`${cellText(cell)} ${actionRow(cell.actions, state)}`;
  const kind = numeric ? 'n' : '';
  return names ? html`<th scope="row" class=${kind}>${content}</th>` : html`<td class=${kind}>${content}</td>`;
}

const toneIcons = { good: 'pass', warning: 'warning', error: 'error', dim: undefined } as const;

function cellText({ text, code, tone }: ReportCell): TemplateResult | typeof nothing {
  if (text === '') return nothing;
  const icon = tone === undefined ? undefined : toneIcons[tone];
  return html`<span class=${tone ?? ''}
    >${icon === undefined ? nothing : html`<span class="codicon sm codicon-${icon}" aria-hidden="true"></span>`}${code === true ? html`<code>${shownCode(text)}</code>` : visibleTemplate(text)}</span
  >`;
}

function actionRow(actions: readonly ReportAction[] | undefined, state: ReportViewState) {
  if (actions === undefined || actions.length === 0) return nothing;
  return html`<div class="acts">
    ${actions.map(({ id, label, icon }) => button(label, icon, () => state.handlers.act(id), state.isBusy))}
  </div>`;
}

function button(label: string, icon: string | undefined, press: () => void, off: boolean): TemplateResult {
  return html`<button class="act" ?disabled=${off} @click=${press}>
    ${icon === undefined ? nothing : html`<span class="codicon sm codicon-${icon}" aria-hidden="true"></span>`}${visibleTemplate(label)}
  </button>`;
}
