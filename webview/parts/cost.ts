import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { SessionSummary } from '../../src/model/summary.ts';
import type { Cost } from '../../src/model/usage.ts';
import { codicon } from '../controls.ts';
import { plural, t } from '../l10n.ts';
import { duration, exactUsd, number, usd } from '../text/format.ts';
import { plain } from '../text/visible.ts';

/** Both amounts with their provenance; turns and durations on hover and for screen readers. */
export function costBlock(summary: SessionSummary): TemplateResult {
  const { cost, total_cost: total } = summary;
  const about = [sentence(t('This run'), cost), sentence(t('Session'), total), ...figures(summary)].join('. ');
  const bothUnknown = cost.provenance === 'unknown' && total.provenance === 'unknown';
  const mark = [cost, total].some(({ provenance }) => provenance === 'estimated') ? 'estimated' : 'reported';
  return html`<span
    class="cost"
    role="group"
    aria-label=${t('Cost')}
    aria-description=${about}
    title=${about}
    tabindex="0"
  >
    ${
      bothUnknown
        ? html`<span class="unknown">${t('Cost unknown')}</span>`
        : html`<span class="amount"
              >${amount(cost, 'run')}<span class="w"> ${t('this run')}</span><span class="w-n"> ${t('run')}</span></span
            >
            <span class="sep">·</span>
            <span class="amount">${amount(total, 'session')} ${t('session')}</span>
            <span class="prov">
              ${mark === 'reported' ? codicon('verified', 'sm') : nothing}
              <span>${mark === 'reported' ? t('reported') : t('estimated')}</span>
            </span>`
    }
  </span>`;
}

function amount(cost: Cost, of: 'run' | 'session'): TemplateResult {
  if (cost.provenance === 'unknown') return html`<b data-of=${of}>${t('not reported')}</b>`;
  const about = cost.provenance === 'estimated' ? '≈ ' : '';
  return html`<b data-of=${of} data-usd=${exactUsd(cost.usd)} data-provenance=${cost.provenance}
    >${about}${usd(cost.usd)}</b
  >`;
}

function sentence(of: string, cost: Cost): string {
  switch (cost.provenance) {
    case 'reported':
      return t('{0}: ${1}, reported by the agent', of, exactUsd(cost.usd));
    case 'estimated': {
      const { name, date } = cost.priceTable;
      const text = t('{0}: about ${1}, estimated with the price table {2} of {3}', of, exactUsd(cost.usd), name, date);
      return cost.reason === undefined ? text : `${text}. ${plain(cost.reason)}`;
    }
    case 'unknown':
      return t('{0}: unknown, {1}', of, plain(cost.reason));
  }
}

function figures({ turns, duration: took, api_duration: api, total_usage: usage }: SessionSummary): string[] {
  const tokens: readonly (readonly [string, number | undefined])[] = [
    [t('input'), usage.input],
    [t('output'), usage.output],
    [t('cache read'), usage.cacheRead],
    [t('cache write'), usage.cacheWrite],
  ];
  const counted = tokens.flatMap(([name, count]) => (count === undefined ? [] : [`${number(count)} ${name}`]));
  return [
    turns === null ? '' : plural(turns, t('{0} turn', 1), t('{0} turns')),
    took === null ? '' : t('Duration {0}', duration(took)),
    api === null ? '' : t('API duration {0}', duration(api)),
    counted.length === 0 ? '' : t('Tokens: {0}', counted.join(', ')),
  ].filter((figure) => figure !== '');
}
