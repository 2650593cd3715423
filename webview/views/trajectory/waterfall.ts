import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  MomentLine,
  LaneLine,
  StepLine,
  TrajectoryLine,
  TrajectoryPage,
} from '../../../src/protocol/panel/viewMessages.ts';
import { codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import type { Context } from '../../parts/context.ts';
import { stateIcons } from '../../steps/state.ts';
import { clock, duration, time } from '../../text/format.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { firstWords, plain } from '../../text/visible.ts';
import { lineHeight } from './lines.ts';
import { setStyles, px, share } from '../placed.ts';
import {
  barLabel,
  kindIcons,
  laneName,
  lineLabel,
  lineState,
  momentIcons,
  momentWord,
  repeatText,
  stepSubject,
} from './stepWords.ts';

export type Axis = TrajectoryPage['axis'];

/** Beyond this share of the axis, labels precede their bar. */
const late = 0.62;
const maxTicks = 6;
/** Share of the axis for the name of a turn. */
const turnRoom = 0.13;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400].map(
  (s) => s * 1000,
);

function ticksOf(length: number): number[] {
  const step =
    steps.find((tick) => length / tick <= maxTicks) ?? Math.ceil(length / maxTicks / 86_400_000) * 86_400_000;
  return length <= 0 ? [0] : Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => at * step);
}

/** Turns and times; the rows have the time of each step. */
export function axisHead({ length, turns, gaps }: Axis): TemplateResult {
  let end = -1;
  const named = turns.filter(({ offset }) => {
    const at = length === 0 ? 0 : offset / length;
    if (at < end || at > 0.8) return false;
    end = at + turnRoom;
    return true;
  });
  return html`<div class="axis" aria-hidden="true">
    <span class="h">${t('Step')}<span class="h2">${gaps.length > 0 ? t('excluding idle time') : t('time')}</span></span>
    <span class="ticks">
      ${named.map(
        ({ turn, offset, startedAt }) =>
          html`<b ${setStyles({ left: share(offset, length) })}
            >${t('Turn {0}', turn)}${offset > length * 0.7 ? nothing : html`<em> ${time(new Date(startedAt).toISOString()).slice(0, 5)}</em>`}</b
          >`,
      )}
      ${ticksOf(length)
        .filter((at) => at < length * 0.9 || at === 0)
        .map((at) => html`<span ${setStyles({ left: share(at, length) })}>${clock(at)}</span>`)}
    </span>
  </div>`;
}

export function axisLines({ length, turns, gaps }: Axis): TemplateResult {
  const line = (at: number, look: string): TemplateResult =>
    html`<i class=${look} ${setStyles({ left: share(at, length) })}></i>`;
  return html`<div class="grid" aria-hidden="true">
    <div>
      ${ticksOf(length)
        .slice(1)
        .map((at) => line(at, ''))}${turns.slice(1).map(({ offset }) => line(offset, 'turn'))}${gaps.map(({ offset }) =>
        line(offset, 'cut'),
      )}
    </div>
  </div>`;
}

interface RowState {
  readonly context: Context;
  readonly axis: Axis;
  readonly at: number;
  readonly isSelected: boolean;
  readonly total: number;
  readonly hasLanes: boolean;
  readonly onLineClick: (at: number, event: MouseEvent) => void;
  readonly reveal: (at: number) => void;
}

/** A line of the treegrid, or the placeholder of one that is not loaded. */
export function waterfallRow(line: TrajectoryLine | undefined, state: RowState): TemplateResult {
  const { context, at, isSelected } = state;
  const lane = line?.type === 'lane';
  const sub = line !== undefined && line.type !== 'lane' && state.hasLanes;
  return html`<div
    class="trow ${lane ? 'lane' : sub ? 'sub' : ''}"
    role="row"
    id=${`tr-${at}`}
    data-at=${at}
    data-kind=${line?.type === 'step' ? line.kind : nothing}
    aria-level=${lane || !state.hasLanes ? 1 : 2}
    aria-rowindex=${at + 1}
    aria-expanded=${lane ? String(line.open) : nothing}
    aria-selected=${String(isSelected)}
    aria-label=${line === undefined ? t('Loading…') : lineLabel(context, line)}
    tabindex=${isSelected ? 0 : -1}
    @click=${(event: MouseEvent) => state.onLineClick(at, event)}
    @dblclick=${() => state.reveal(at)}
    ${setStyles({ top: px(at * lineHeight) })}
  >
    <span class="lb" role="gridcell">${line === undefined ? nothing : label(line, context)}</span>
    <span class="tl" role="gridcell">${line === undefined ? nothing : renderBar(line, state)}</span>
  </div>`;
}

function label(line: TrajectoryLine, context: Context): TemplateResult {
  if (line.type === 'lane') return laneLabel(line, context);
  if (line.type !== 'step') {
    return html`<span class="num"></span>${codicon(momentIcons[line.type])}
      <span class="tx" title=${plain(line.title)}
        ><span class="obj">${momentWord(line.type)}</span
        ><span class="dir">${visibleTemplate(firstWords(line.title))}</span></span
      >`;
  }
  const { name, folder } = stepSubject(line, context.store.view?.summary.project_dir);
  const mono = line.path === null && (line.kind === 'command' || line.kind === 'search');
  return html`<span class="num">${line.number}</span>${codicon(kindIcons[line.kind])}
    <span class="tx" title=${plain(line.title)}
      ><span class="obj ${mono ? 'mono' : ''}">${visibleTemplate(name)}</span>${
        folder === '' ? nothing : html`<span class="dir">${visibleTemplate(folder)}</span>`
      }</span
    >
    ${line.repeats === null ? nothing : html`<span class="rep" title=${repeatText(line.repeats)}>${codicon('history', 'sm')}</span>`}`;
}

function laneLabel(line: LaneLine, context: Context): TemplateResult {
  const about = line.id === '' ? (context.store.view?.summary.model ?? '') : line.title;
  return html`${codicon(line.open ? 'chevron-down' : 'chevron-right')}${codicon('agent')}
    <span class="tx" title=${plain(line.title)}
      ><span class="obj">${visibleTemplate(laneName(line))}</span
      ><span class="dir"
        >${line.number === null ? nothing : t('step {0} · ', line.number)}${visibleTemplate(about)}</span
      ></span
    >`;
}

function renderBar(line: TrajectoryLine, { context, axis }: RowState): TemplateResult | typeof nothing {
  const { offset, duration: took } = line;
  if (offset === null) return html`<span class="bl notime">${t('no time recorded')}</span>`;
  const { look, words, icon } = styleOf(line, context);
  const end = axis.length === 0 ? 0 : (offset + took) / axis.length;
  const behind = `max(${share(offset + took, axis.length)}, calc(${share(offset, axis.length)} + 10px))`;
  const room: Record<string, string> =
    end > late
      ? {
          right: `calc(${100 - (axis.length === 0 ? 0 : (offset / axis.length) * 100)}% + 2px)`,
          left: 'auto',
          'max-width': 'none',
        }
      : { left: behind, right: 'auto', 'max-width': `calc(100% - ${behind})` };
  return html`<span
      class="bar"
      data-s=${look}
      data-kind=${line.type === 'step' ? line.kind : nothing}
      ${setStyles({ left: `min(${share(offset, axis.length)}, calc(100% - 8px))`, width: share(took, axis.length) })}
    ></span>
    ${
      words === '' && icon === ''
        ? nothing
        : html`<span class="bl" data-s=${look} ${setStyles(room)}
            >${icon === '' ? nothing : codicon(icon, look === 'running' ? 'spin' : '')}<span>${words}</span></span
          >`
    }`;
}

function styleOf(line: TrajectoryLine, context: Context): { look: string; words: string; icon: string } {
  if (line.type === 'lane') return { look: 'lane', words: line.id === '' ? '' : duration(line.duration), icon: '' };
  if (line.type !== 'step') return momentStyle(line);
  return describeBar(line, context);
}

function momentStyle(line: MomentLine): { look: string; words: string; icon: string } {
  if (line.type === 'error') return { look: 'failed', words: t('error'), icon: 'error' };
  return { look: 'think', words: line.duration === 0 ? '' : duration(line.duration), icon: '' };
}

function describeBar(line: StepLine, context: Context): { look: string; words: string; icon: string } {
  const state = lineState(context, line);
  return { look: state, words: barLabel(state, line), icon: state === 'done' ? '' : stateIcons[state] };
}
