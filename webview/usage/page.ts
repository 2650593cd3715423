import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import type { TeamCoverage, UsageGroup, UsagePage, UsageScope } from '../../src/protocol/pages/usageMessages.ts';
import { plural, t } from '../l10n.ts';
import { compact, formatNumber } from '../text/format.ts';
import { visibleTemplate } from '../text/shown.ts';
import { sumText, tokensOf } from '../figures/costText.ts';
import { dayText, addMonths, monthText } from './dates.ts';
import { renderPlot } from './plot.ts';

export interface UsageActions {
  readonly show: (month: string, scope: UsageScope) => void;
  readonly exportCsv: () => void;
}

/** Spending: two totals, the days of a month, groups, and what the totals exclude. */
export function usagePage(page: UsagePage, actions: UsageActions): TemplateResult {
  const { total, day } = page;
  return html`<main aria-label=${t('Usage')}>
    ${renderControls(page, actions)}
    <dl class="sums">${sum(t('Today'), day)} ${sum(monthText(page.month), total)}</dl>
    ${
      total.runs === 0
        ? html`<p class="none">${t('No runs this month.')}</p>`
        : html`${renderPlot(page.days)}
            ${renderTable(t('By agent'), t('Agent'), page.agents, ({ key }) => visibleTemplate(key === '' ? t('unknown') : key))}
            ${renderTable(t('By model'), t('Model'), page.models, ({ key }) => visibleTemplate(key === 'unknown' ? t('not reported') : key))}
            <details>
              <summary>${t('Days as a table')}</summary>
              ${renderTable(
                t('By day'),
                t('Day'),
                page.days.filter(({ runs }) => runs > 0),
                ({ key }) => dayText(key),
              )}
            </details>`
    }
    ${notes(page)}
    <button class="link" @click=${actions.exportCsv}>${t('Export as CSV…')}</button>
  </main>`;
}

function renderControls({ month, first, last, scope, isInTeam }: UsagePage, { show }: UsageActions): TemplateResult {
  const step = (by: -1 | 1, label: string, icon: string, off: boolean): TemplateResult =>
    html`<button
      class="icon"
      aria-label=${label}
      title=${label}
      ?disabled=${off}
      @click=${() => show(addMonths(month, by), scope)}
    >
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>`;
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    const { value } = target;
    show(month, value === 'all' || value === 'team' ? value : 'workspace');
  };
  return html`<div class="controls">
    ${step(-1, t('Previous month'), 'chevron-left', month <= first)}
    <h1>${monthText(month)}</h1>
    ${step(1, t('Next month'), 'chevron-right', month >= last)}
    <select aria-label=${t('Sessions to include')} .value=${live(scope)} @change=${choose}>
      <option value="workspace" ?selected=${scope === 'workspace'}>${t('This workspace')}</option>
      <option value="all" ?selected=${scope === 'all'}>${t('All sessions')}</option>
      ${isInTeam ? html`<option value="team" ?selected=${scope === 'team'}>${t('Including the team')}</option>` : nothing}
    </select>
  </div>`;
}

function sum(name: string, group: UsageGroup): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>
      <b>${group.runs === 0 ? '–' : sumText(group)}</b>
      <span class="dim">${plural(group.runs, t('{0} run', 1), t('{0} runs'))}</span>
    </dd>
    ${provenanceParts(group).map((part) => html`<dd class="dim">${part}</dd>`)}
  </div>`;
}

/** Provenance of a total; empty if all of it was reported. */
function provenanceParts(group: UsageGroup): string[] {
  const { unknown, estimatedUsd, usd } = group;
  return [
    ...(estimatedUsd === 0 ? [] : [estimatedUsd === usd ? t('≈ estimated') : t('≈ includes estimates')]),
    ...(unknown === 0
      ? []
      : [
          t('{0} with unknown cost', formatNumber(unknown)) +
            (tokensOf(group.unknownUsage) === 0
              ? ''
              : `: ${t('{0} tokens', formatNumber(tokensOf(group.unknownUsage)))}`),
        ]),
  ];
}

function renderTable(
  caption: string,
  head: string,
  groups: readonly UsageGroup[],
  name: (group: UsageGroup) => unknown,
): TemplateResult {
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${head}</th>
        <th scope="col" class="n">${t('Runs')}</th>
        <th scope="col" class="n">${t('Tokens')}</th>
        <th scope="col" class="n">${t('Cost')}</th>
      </tr>
    </thead>
    <tbody>
      ${groups.map((group) => {
        const tokens = tokensOf(group.usage);
        const about = provenanceParts(group).join('; ');
        return html`<tr>
          <th scope="row">${name(group)}</th>
          <td class="n">${formatNumber(group.runs)}</td>
          <td class="n" title=${tokens === 0 ? nothing : formatNumber(tokens)}>
            ${tokens === 0 ? '–' : compact(tokens)}
          </td>
          <td class="n" title=${about === '' ? nothing : about}>${sumText(group)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

function notes({ omitted, unreadable, team }: UsagePage): TemplateResult | typeof nothing {
  const all = [
    ...(team === undefined ? [] : [teamText(team)]),
    ...(omitted === 0
      ? []
      : [
          plural(
            omitted,
            t('{0} older run is shown on the day its session was created.', 1),
            t('{0} older runs are shown on the day their session was created.'),
          ),
        ]),
    ...(unreadable === 0
      ? []
      : [
          plural(
            unreadable,
            t('{0} record could not be read and is not included in the totals.', 1),
            t('{0} records could not be read and are not included in the totals.'),
          ),
        ]),
    t('Recordings and imported sessions are not counted. Each run counts on the day it ended.'),
  ];
  return html`<ul class="notes">
    ${all.map((note) => html`<li>${note}</li>`)}
  </ul>`;
}

function teamText({ sessions, isComplete, isConnected }: TeamCoverage): string {
  if (!isConnected) return t('The team cannot be reached. Sessions from other members are not included.');
  const text = plural(
    sessions,
    t('Includes {0} session from other members, on the day it was created.', 1),
    t('Includes {0} sessions from other members, each on the day it was created.'),
  );
  return isComplete ? text : `${text} ${t('Older ones are not included.')}`;
}
