import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { Cost } from '../../../src/model/usage/usage.ts';
import { codicon } from '../../controls.ts';
import { plural, t } from '../../l10n.ts';
import { provenanceText } from '../../text/provenance.ts';
import { duration, plainUsd, formatNumber, usd } from '../../text/format.ts';
import type { Context } from '../context.ts';

/** Both amounts with their provenance; the card has the rest, also for screen readers. */
export function costBlock({ figures }: Context, summary: SessionSummary): TemplateResult {
  const { cost, total_cost: total } = summary;
  const about = [provenanceText(t('This run'), cost), provenanceText(t('Session'), total), ...counts(summary)].join(
    '. ',
  );
  const bothUnknown = cost.provenance === 'unknown' && total.provenance === 'unknown';
  const mark = [cost, total].some(({ provenance }) => provenance === 'estimated') ? 'estimated' : 'reported';
  return html`<button
    class="cost"
    id="cost"
    aria-description=${about}
    aria-haspopup="dialog"
    aria-expanded=${String(figures.isOpen)}
  >
    <span class="sr">${t('Cost')}: </span>${
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
  </button>`;
}

function amount(cost: Cost, of: 'run' | 'session'): TemplateResult {
  if (cost.provenance === 'unknown') return html`<b data-of=${of}>${t('not reported')}</b>`;
  const about = cost.provenance === 'estimated' ? '≈ ' : '';
  return html`<b data-of=${of} data-usd=${plainUsd(cost.usd)} data-provenance=${cost.provenance}
    >${about}${usd(cost.usd)}</b
  >`;
}

function counts({ turns, duration: took, api_duration: api, total_usage: usage }: SessionSummary): string[] {
  const tokens: readonly (readonly [string, number | undefined])[] = [
    [t('input'), usage.input],
    [t('output'), usage.output],
    [t('cache read'), usage.cacheRead],
    [t('cache write'), usage.cacheWrite],
  ];
  const counted = tokens.flatMap(([name, count]) => (count === undefined ? [] : [`${formatNumber(count)} ${name}`]));
  return [
    turns === null ? '' : plural(turns, t('{0} turn', 1), t('{0} turns')),
    took === null ? '' : t('Duration {0}', duration(took)),
    api === null ? '' : t('API duration {0}', duration(api)),
    counted.length === 0 ? '' : t('Tokens: {0}', counted.join(', ')),
  ].filter((figure) => figure !== '');
}
