import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Phase } from '../../../src/model/session/phases.ts';
import type { TimeLane, TrajectoryPage } from '../../../src/protocol/panel/viewMessages.ts';
import { codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { duration } from '../../text/format.ts';
import { setStyles, share } from '../placed.ts';

type Times = Pick<TrajectoryPage, 'time' | 'axis'>;

const lanes: readonly { readonly id: string; readonly icon: string; readonly of: readonly Phase[] }[] = [
  { id: 'model', icon: 'sparkle', of: ['waiting', 'thinking', 'writing'] },
  { id: 'tools', icon: 'tools', of: ['tools'] },
  { id: 'you', icon: 'account', of: ['you'] },
];

function laneWord(id: string): string {
  switch (id) {
    case 'tools':
      return t('Tools');
    case 'you':
      return t('Waiting for you');
    default:
      return t('Model');
  }
}

function phaseWord(phase: Phase): string {
  switch (phase) {
    case 'waiting':
      return t('waiting for first token');
    case 'thinking':
      return t('thinking');
    case 'writing':
      return t('writing');
    case 'tools':
      return t('tools');
    case 'you':
      return t('waiting for you');
  }
}

function sumOf(time: readonly TimeLane[], of: readonly Phase[]): number {
  return time.reduce((sum, { phase, ms }) => (of.includes(phase) ? sum + ms : sum), 0);
}

/** `model 20.8 s · tools 0.6 s · waiting for you 10 s`; the sum is the duration of the runs. */
export function timeSummary({ time }: Times): TemplateResult | typeof nothing {
  const total = time.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return nothing;
  const model = sumOf(time, ['waiting', 'thinking', 'writing']);
  const parts = [
    t('model {0}', duration(model)),
    t('tools {0}', duration(sumOf(time, ['tools']))),
    t('waiting for you {0}', duration(sumOf(time, ['you']))),
  ];
  const ofModel = lanes[0]?.of.map((phase) => `${phaseWord(phase)} ${duration(sumOf(time, [phase]))}`).join(', ') ?? '';
  const hint = [
    t('Total: {0}. Model time: {1}.', duration(total), ofModel),
    t(
      'Overlapping times count once: first as waiting for you, then as tools, then as the model. A subagent’s time is the duration of its tool call.',
    ),
  ].join('\n');
  return html`<p class="times" title=${hint}>${parts.join(' · ')}</p>`;
}

/** How the time was spent, on the axis of the steps. The summary has the same in words. */
export function timeLanes({ time, axis }: Times): TemplateResult {
  return html`<div class="lanes" aria-hidden="true">
    ${lanes
      .filter(({ of }) => sumOf(time, of) > 0)
      .map(
        ({ id, icon, of }) =>
          html`<div class="tlane" data-lane=${id}>
            <span class="lb">${codicon(icon, 'sm')}<span class="obj">${laneWord(id)}</span></span>
            <span class="tl"
              >${of.flatMap((phase) =>
                (time.find((lane) => lane.phase === phase)?.segments ?? []).map(
                  ({ offset, duration: took }) =>
                    html`<i
                      data-p=${phase}
                      title=${`${phaseWord(phase)} ${duration(took)}`}
                      ${setStyles({ left: share(offset, axis.length), width: share(took, axis.length) })}
                    ></i>`,
                ),
              )}</span
            >
          </div>`,
      )}
  </div>`;
}
