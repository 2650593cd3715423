import { html, nothing, type TemplateResult } from 'lit/html.js';
import { ref } from 'lit/directives/ref.js';
import type { Turn } from '../../../src/model/session/turn.ts';
import { codicon } from '../../controls.ts';
import { plural, t } from '../../l10n.ts';
import { gapHeight, type Row } from '../../rows/rows.ts';
import { stepsHint } from '../../text/steps.ts';
import { clock, dateTime, duration, plainUsd, formatNumber, time, usd } from '../../text/format.ts';
import type { Context } from '../context.ts';
import { hiddenText } from './hiddenText.ts';
import { promptRow, proseRow, thoughtRow } from './messageRow.ts';
import { originView } from './origin.ts';
import { requestRow } from './requestRow.ts';
import { stepRow } from './stepRow.ts';
import { systemRow } from './systemRow.ts';

export function rowBody(context: Context, row: Row): TemplateResult | typeof nothing {
  switch (row.kind) {
    case 'entry':
      return entryBody(context, row);
    case 'noise':
      return foldRow(context, row.key, {
        icon: 'ellipsis',
        text: plural(row.count, t('{0} system line', 1), t('{0} system lines')),
        note: row.open ? t('hide') : t('show'),
        open: row.open,
        toggle: () => context.actions.toggle(row.key),
        kind: 'detail',
      });
    case 'group':
      return foldRow(context, row.key, {
        icon: 'list-tree',
        text: t('{0} steps in parallel', row.indexes.length),
        note: '',
        open: row.open,
        toggle: () => context.actions.toggleOpen(row.key),
        kind: 'branch',
      });
    case 'gap':
      return gapBody(row);
    case 'end':
      return endBody(row.view);
    case 'hidden':
      return foldRow(context, row.key, {
        icon: 'eye-closed',
        text: hiddenText(row.counts),
        note: row.open ? t('hide') : t('show'),
        open: row.open,
        toggle: () => context.actions.toggle(row.key),
        kind: 'detail',
      });
    case 'resume':
      return resumeBody(context);
    case 'turn':
      return nothing;
  }
}

/** As tall as the estimated rows, so that everything around it stays in place. */
function gapBody(row: Extract<Row, { kind: 'gap' }>): TemplateResult {
  const size = (element: Element | undefined): void => {
    if (element instanceof HTMLElement) element.style.height = `${gapHeight(row)}px`;
  };
  return html`<div class="unread" ${ref(size)}>
    <p class="loadl" aria-busy="true">
      ${plural(row.to - row.from, t('Reading {0} entry', 1), t('Reading {0} entries'))}
    </p>
  </div>`;
}

function resumeBody({ figures, store, actions, now }: Context): TemplateResult | typeof nothing {
  const { code, resume } = figures;
  const { view } = store;
  if (code === undefined || resume === undefined || view === undefined) return nothing;
  return code.resumeCard({ view, resume, actions, now });
}

function entryBody(context: Context, row: Extract<Row, { kind: 'entry' }>): TemplateResult | typeof nothing {
  const entry = context.store.entry(row.index);
  if (entry === undefined) return nothing;
  switch (entry.type.kind) {
    case 'user_message':
      return promptRow(context, entry);
    case 'assistant_message':
      return proseRow(context, entry, row.part);
    case 'thinking':
      return thoughtRow(context, entry, row.key);
    case 'tool_use':
      return stepRow(context, { entry, tool: entry.type.tool, key: row.key, turn: row.turn });
    default:
      if (entry.asked !== undefined) {
        return requestRow(context, { entry, asked: entry.asked, key: row.key, turn: row.turn });
      }
      return systemRow(context, entry, row.key);
  }
}

interface Fold {
  readonly icon: string;
  readonly text: string;
  readonly note: string;
  readonly open: boolean;
  readonly kind: 'detail' | 'branch';
  readonly toggle: () => void;
}

function foldRow(context: Context, key: string, { icon, text, note, open, kind, toggle }: Fold): TemplateResult {
  return html`<div class="row" data-s="done" data-kind="fold">
    <button
      class="rb"
      data-focus
      data-toggle=${kind}
      tabindex=${context.focusKey === key ? 0 : -1}
      aria-expanded=${String(open)}
      @click=${toggle}
    >
      <span class="sr">${text}</span>
      <span class="num"></span>${codicon('chevron-right', 'tw')}${codicon(icon, 'k')}
      <span class="tx" aria-hidden="true"
        ><span class=${kind === 'branch' ? 'obj' : 'verb'}>${text}</span>
        ${note === '' ? nothing : html`<span class="note">· ${note}</span>`}</span
      >
      <span class="mt" aria-hidden="true"></span><span class="dur"></span><span class="st"></span>
    </button>
  </div>`;
}

/** The heading of a turn; sticky while the turn is visible. */
export function turnHeading(context: Context, view: Turn, place: number): TemplateResult {
  const prompt = context.store.entry(view.firstIndex);
  const origin = prompt?.type.kind === 'user_message' ? originView(prompt, context.store.member) : undefined;
  const ms = view.status === 'running' ? context.now - Date.parse(view.startedAt) : view.durationMs;
  const durationText = ms === null || !Number.isFinite(ms) ? '' : view.status === 'running' ? clock(ms) : duration(ms);
  return html`<div class="turn-h">
    ${codicon(origin?.icon ?? 'comment', 'org')}
    <div class="lbl">
      <h2 class="t" id=${headingId(view)} data-focus tabindex="-1">${t('Turn {0}', place + 1)}</h2>
      <span class="why">${origin?.word ?? ''}</span>
      <time datetime=${view.startedAt} title=${dateTime(view.startedAt)}>${time(view.startedAt)}</time>
    </div>
    <span class="sum"> ${turnSteps(view)} ${turnCost(view)} </span>
    <span class="dur">${durationText}</span>
  </div>`;
}

/** Numbers as in the trajectory: for the main agent and subagents. */
function turnSteps({ steps, subagentSteps = 0 }: Turn): TemplateResult {
  const count = steps + subagentSteps;
  return html`<span class="steps" title=${subagentSteps === 0 ? nothing : stepsHint(steps, subagentSteps)}
    >${plural(count, t('{0} step', 1), t('{0} steps', formatNumber(count)))}</span
  >`;
}

export function headingId({ runId }: Turn): string {
  return `h-${runId.replace(/[^\w]/g, '-')}`;
}

function turnCost({ usd: amount, costProvenance }: Turn): TemplateResult {
  if (amount === null || costProvenance === 'unknown') {
    return html`<span title=${t('Cost unknown')}>${t('cost unknown')}</span>`;
  }
  const estimated = costProvenance === 'estimated';
  const title = estimated ? t('About {0}, estimated', usd(amount)) : t('{0}, reported by the agent', usd(amount));
  return html`<span data-usd=${plainUsd(amount)} title=${title}>${estimated ? '≈ ' : ''}${usd(amount)}</span>`;
}

function endBody(view: Turn): TemplateResult {
  const [icon, text] = endLabels()[view.status === 'failed' || view.status === 'stopped' ? view.status : 'interrupted'];
  const at = view.durationMs === null ? '' : time(new Date(Date.parse(view.startedAt) + view.durationMs).toISOString());
  return html`<div class="divider" data-k=${view.status} data-focus tabindex="-1">
    ${codicon(icon)}
    <span class="tx" aria-hidden="true"><b>${text}</b>${at === '' ? nothing : html` ${t('at {0}', at)}`}</span>
  </div>`;
}

function endLabels() {
  return {
    failed: ['error', t('Run failed')],
    stopped: ['stop-circle', t('Stopped')],
    interrupted: ['debug-disconnect', t('Run interrupted')],
  } as const;
}
