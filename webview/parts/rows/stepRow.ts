import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import type { PageEntry } from '../../../src/protocol/panel/messages.ts';
import { codicon } from '../../controls.ts';
import { describeStep, type StepView } from '../../steps/describe.ts';
import { stepDetail } from '../../steps/detail.ts';
import { stateIcons } from '../../steps/state.ts';
import { clock, duration } from '../../text/format.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { firstWords } from '../../text/visible.ts';
import { t } from '../../l10n.ts';
import { type Context, waitsForEarlier, isLive } from '../context.ts';
import { figureDetails, figureText, figureDescription } from './messageFigure.ts';

interface StepRow {
  readonly entry: PageEntry;
  readonly tool: ToolUse;
  readonly key: string;
  readonly turn: number;
}

/** A tool call: one line; input and result when open. */
export function stepRow(context: Context, { entry, tool, key, turn }: StepRow): TemplateResult {
  const { store, actions } = context;
  const projectDir = store.view?.summary.project_dir;
  const waiting = context.requests.requestOfCall(tool.callId);
  const isRunLive = isLive(context, turn);
  const isBehindWaiting = isRunLive && waitsForEarlier(context, entry.step);
  const view = describeStep(entry, tool, { projectDir, isRunLive, waits: waiting, isBehindWaiting });
  const open = store.expanded.has(key);
  const branch = tool.action.kind === 'task';
  const figure = context.figures.messages.figureOf(entry.index);
  const used = store.level === 'everything' ? figureText(figure) : '';
  const childrenShown = branch && !store.isClosed(`c:${tool.callId}`);
  const toggle = (): void => (branch ? actions.toggleOpen(`c:${tool.callId}`) : actions.toggle(key));
  return html`<div class="row" data-s=${view.state} data-kind=${tool.action.kind}>
    <button
      class="rb"
      data-focus
      data-toggle=${branch ? 'branch' : 'detail'}
      tabindex=${context.focusKey === key ? 0 : -1}
      aria-expanded=${String(branch ? childrenShown : open)}
      aria-controls=${open ? detailId(key) : nothing}
      title=${view.title}
      @click=${toggle}
    >
      <span class="sr">${[view.label, figureDescription(figure)].filter((part) => part !== '').join('. ')}</span>
      <span class="num" aria-hidden="true">${entry.step ?? ''}</span
      >${codicon('chevron-right', 'tw')}${codicon(view.icon, 'k')}
      <span class="tx" aria-hidden="true">
        <span class="verb">${visibleTemplate(view.verb)}</span>
        <span class="obj ${view.isMonospace ? 'mono' : ''}">${visibleTemplate(view.object)}</span>
        ${view.folder === '' ? nothing : html`<span class="dir">${visibleTemplate(view.folder)}</span>`}
        ${view.note === '' ? nothing : html`<span class="note">${view.note}</span>`}
      </span>
      <span class="mt" aria-hidden="true">
        ${
          view.counts === undefined
            ? nothing
            : html`<span class="ds"><ins>+${view.counts.added}</ins><del>−${view.counts.removed}</del></span>`
        }
        ${used === '' ? nothing : html`<span class="used" title=${figureDetails(figure).join('\n')}>${used}</span>`}
        ${view.word === '' ? nothing : html`<span class="word">${view.word}</span>`}
      </span>
      <span class="dur" aria-hidden="true"
        >${waiting === undefined ? elapsedText(view, context.now) : clock(context.now - Date.parse(waiting.asked_at))}</span
      >
      ${codicon(stateIcons[view.state], view.state === 'running' ? 'st spin' : 'st')}
    </button>
    ${branch ? agentLine(context, tool, key, open) : nothing}
    ${
      open
        ? html`<div class="detail" id=${detailId(key)}>
            ${stepDetail({
              entry,
              tool,
              projectDir,
              actions,
              showsAllLines: store.expanded.has(`d:${entry.index}`),
              footer: html`<div class="detail-f">
                <button class="link" @click=${() => actions.revealStep(entry.index)}>${t('Show in trajectory')}</button>
              </div>`,
            })}
          </div>`
        : nothing
    }
  </div>`;
}

function detailId(key: string): string {
  return `d-${key.replace(/[^\w]/g, '-')}`;
}

function elapsedText({ durationMs, state, startedAt }: StepView, now: number): string {
  if (durationMs !== undefined) return duration(durationMs);
  if (state !== 'running' || startedAt === undefined) return '';
  const ms = now - Date.parse(startedAt);
  return Number.isFinite(ms) ? clock(ms) : '';
}

/** Below a subagent's row: its result in one line, and a link to all of it. */
function agentLine({ actions }: Context, tool: ToolUse, key: string, open: boolean): TemplateResult | typeof nothing {
  if (tool.action.kind !== 'task' || (tool.action.prompt === undefined && tool.result === undefined)) return nothing;
  const words = firstWords(tool.result?.text ?? tool.action.prompt ?? '');
  return html`<div class="agentline">
    <span>${visibleTemplate(words)}</span>
    <button class="link" aria-expanded=${String(open)} @click=${() => actions.toggle(key)}>
      ${open ? t('Hide') : t('Prompt and result')}
    </button>
  </div>`;
}
