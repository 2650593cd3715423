import { html, svg, type TemplateResult } from 'lit/html.js';
import type { UsageGroup } from '../../src/protocol/pages/usageMessages.ts';
import { sumText, tokensOf } from '../figures/costText.ts';
import { t } from '../l10n.ts';
import { formatNumber, usd } from '../text/format.ts';
import { dayText } from './dates.ts';

/** Units of the drawing; a day is one of 31 columns in every month. */
const column = 10;
const bar = 8;
const height = 88;
/** Height of the mark for unknown costs. */
const mark = 5;
const columns = 31;

/** Columns per day: reported costs filled, estimated ones hatched on top, a hollow mark for unknown ones. */
export function renderPlot(days: readonly UsageGroup[]): TemplateResult {
  const most = Math.max(...days.map((day) => day.usd ?? 0));
  const estimated = days.some((day) => day.estimatedUsd > 0);
  const unknown = days.some((day) => day.unknown > 0);
  return html`<figure>
    <div class="axis" aria-hidden="true"><span>${most === 0 ? '' : usd(most)}</span></div>
    <svg
      viewBox="0 0 ${columns * column} ${height + mark + 3}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${t('Cost by day. The table below lists the days.')}
    >
      <defs>
        <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="ground" width="4" height="4"></rect>
          <rect class="stripe" width="2" height="4"></rect>
        </pattern>
      </defs>
      ${days.map((day) => svg`<g>${dayBar(day, most)}</g>`)}
      <line class="base" x1="0" x2=${columns * column} y1=${height + mark + 2.5} y2=${height + mark + 2.5}></line>
    </svg>
    <div class="days" aria-hidden="true">${[1, 8, 15, 22, 29].map((day) => html`<span>${day}</span>`)}</div>
    <figcaption>
      <span class="key"><i class="reported"></i>${t('reported')}</span>
      ${estimated ? html`<span class="key"><i class="estimated"></i>${t('estimated')}</span>` : ''}
      ${unknown ? html`<span class="key"><i class="unknown"></i>${t('cost unknown (tokens are in the table)')}</span>` : ''}
    </figcaption>
  </figure>`;
}

function dayBar(day: UsageGroup, most: number): unknown {
  const x = (Number(day.key.slice(8)) - 1) * column + 1;
  const scale = (amount: number): number => (most === 0 ? 0 : (amount / most) * height);
  const estimated = scale(day.estimatedUsd);
  const reported = scale((day.usd ?? 0) - day.estimatedUsd);
  const base = height + mark + 2;
  const top = base - reported - estimated;
  return svg`
    <title>${dayTitle(day)}</title>
    <rect class="hit" x=${x - 1} y="0" width=${column} height=${base}></rect>
    ${reported > 0 ? svg`<rect class="reported" x=${x} y=${base - reported} width=${bar} height=${reported}></rect>` : ''}
    ${estimated > 0 ? svg`<rect class="estimated" x=${x} y=${top} width=${bar} height=${estimated}></rect>` : ''}
    ${day.unknown > 0 ? svg`<rect class="unknown" x=${x + 0.5} y=${top - mark - 0.5} width=${bar - 1} height=${mark - 1}></rect>` : ''}`;
}

function dayTitle(day: UsageGroup): string {
  const tokens = tokensOf(day.unknownUsage);
  return [
    `${dayText(day.key)}: ${day.runs === 0 ? t('no runs') : sumText(day)}`,
    ...(day.estimatedUsd > 0 ? [t('including ≈ {0} estimated', usd(day.estimatedUsd))] : []),
    ...(day.unknown > 0 && tokens > 0 ? [t('{0} tokens of unknown cost', formatNumber(tokens))] : []),
  ].join('; ');
}
