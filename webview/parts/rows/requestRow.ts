import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { AgentRequest } from '../../../src/model/agent/request.ts';
import type { RequestState, PageEntry } from '../../../src/protocol/panel/messages.ts';
import { codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import {
  requestSubject,
  attentionText,
  outcome,
  timeLeft,
  waitingTime,
  requestTitle,
} from '../../request/approvalText.ts';
import { questions } from '../../request/questions.ts';
import { renderSubject } from '../../request/subject.ts';
import { isJoined } from '../../store/joined.ts';
import { showAll } from '../../steps/detail.ts';
import { clock, dateTime, time } from '../../text/format.ts';
import { agentName, agentTextHeading, visibleTemplate, shownCode } from '../../text/shown.ts';
import { quoted } from '../../../src/protocol/panel/pageModel.ts';
import { firstWords, plain } from '../../text/visible.ts';
import { type Context, isLive } from '../context.ts';
import { planBody, requestActions } from './requestActions.ts';

interface RequestRow {
  readonly entry: PageEntry;
  readonly asked: RequestState;
  readonly key: string;
  readonly turn: number;
}

/** A request of the agent: complete while it waits, then one line with the decision and who made it. */
export function requestRow(context: Context, row: RequestRow): TemplateResult {
  const waits = row.asked.decision === undefined && isLive(context, row.turn);
  return waits ? waitingRow(context, row) : decisionRow(context, row);
}

function waitingRow(context: Context, { entry, asked: { request } }: RequestRow): TemplateResult {
  const { requests, now } = context;
  const name = [requestTitle(request), stepWords(context, request)].filter((part) => part !== '').join(', ');
  const isWaiting = requests.isWaiting(request.id);
  return html`<div class="row" data-s="approval" data-kind="request">
    ${isBelowItsCall(context, entry, request) ? nothing : headLine(request, name, isWaiting ? now : undefined)}
    <div
      class="ask"
      role="group"
      aria-label=${`${attentionText(request)}: ${name}`}
      data-request=${request.id}
      data-sight="frame"
    >
      <i class="sight" data-request=${request.id} data-sight="top"></i>
      ${subjectOfRequest(context, request)}
      <ul class="why">
        ${reasons(context, request)} ${isWaiting ? renderWaiting(request, now) : nothing}
      </ul>
      ${isWaiting ? requestActions(context, request, entry.index) : answeredElsewhereNote(context)}
    </div>
  </div>`;
}

function renderWaiting(request: AgentRequest, now: number): TemplateResult {
  const remaining = timeLeft(request, now);
  const timer = html`<span role="timer" aria-live="off">${remaining}</span>`;
  return reason('clockface', html`${waitingTime(request, now)}${remaining === '' ? nothing : html` · ${timer}`}`);
}

/** Whether the row above is the waiting call, which already shows the subject. */
function isBelowItsCall({ store }: Context, { index }: PageEntry, { callId }: AgentRequest): boolean {
  const above = store.entry(index - 1)?.type;
  return callId !== undefined && above?.kind === 'tool_use' && above.tool.callId === callId;
}

function stepWords({ store }: Context, { callId }: AgentRequest): string {
  const step = callId === undefined ? undefined : store.stepOf(callId);
  return step === undefined ? '' : t('step {0}', step);
}

function headLine(request: AgentRequest, name: string, now: number | undefined): TemplateResult {
  const waitedText = now === undefined ? '' : clock(now - Date.parse(request.asked_at));
  return html`<div class="rb" data-toggle="none">
    <span class="num"></span><span class="tw"></span>${codicon(kindIcon(request), 'k')}
    <span class="tx"><span class="obj">${visibleTemplate(name, 'code')}</span></span>
    <span class="mt"><span class="word">${attentionText(request)}</span></span>
    <span class="dur" role="timer" aria-live="off">${waitedText}</span>${codicon('shield', 'st')}
  </div>`;
}

function kindIcon({ kind }: AgentRequest): string {
  return kind === 'question' ? 'question' : kind === 'plan' ? 'checklist' : 'shield';
}

/** The subject of the request, which gets the focus from **Review Request**, before the buttons. */
function subjectOfRequest(context: Context, request: AgentRequest): TemplateResult {
  const projectDir = context.store.view?.summary.project_dir;
  switch (request.kind) {
    case 'question':
      return questions(context, request);
    case 'plan':
      return planBody(context, request);
    case 'permission': {
      const { whole } = context.requests.draft(request.id);
      return html`<div class="what" data-focus tabindex="0" role="group" aria-label=${rowLabel(request)}>
        ${agentTextHeading(context.store.view)}
        ${renderSubject({ request, projectDir, isExpanded: whole, requestPreview: context.requests.previews.previewOf(request.id) })}
      </div>`;
    }
  }
}

/** Text for screen readers when **Review Request** moves the focus here. */
function rowLabel(request: AgentRequest): string {
  const text = request.action?.kind === 'command_run' ? request.action.command : requestSubject(request, undefined);
  return `${requestTitle(request)}: ${plain(text.slice(0, 1000))}`;
}

function reasons({ store }: Context, { kind, cwd, description, reason: why }: AgentRequest): TemplateResult {
  const agent = agentName(store.view);
  return html`${cwd === undefined || kind !== 'permission' ? nothing : reason('folder', html`<span class="mono">${shownCode(cwd)}</span>`)}
  ${
    description === undefined
      ? nothing
      : reason('comment', html`${t('The agent’s description:')} ${visibleTemplate(quoted(description))}`)
  }
  ${why === undefined ? nothing : reason('law', html`${t('{0} says:', agent)} ${visibleTemplate(quoted(why))}`)}`;
}

function reason(icon: string, text: TemplateResult): TemplateResult {
  return html`<li>${codicon(icon)}<span>${text}</span></li>`;
}

function answeredElsewhereNote({ store }: Context): TemplateResult | typeof nothing {
  if (store.view?.conversation !== null) return nothing;
  return html`<p class="bt">${t('Answer in the window where the session runs.')}</p>`;
}

function decisionRow(context: Context, { entry, asked, key }: RequestRow): TemplateResult {
  const { store, actions } = context;
  const { request, decision } = asked;
  const projectDir = store.view?.summary.project_dir;
  const {
    icon,
    state,
    words,
    message: said,
  } = outcome(asked, store.member, store.view !== undefined && isJoined(store.view));
  const about = requestSubject(request, projectDir);
  const open = store.expanded.has(key);
  const at = decision === undefined ? '' : time(decision.at);
  const label = [words, plain(said), requestTitle(request), plain(about), at].filter((part) => part !== '').join(', ');
  return html`<div class="row" data-s=${state} data-kind="request">
    <button
      class="rb"
      data-focus
      data-toggle="detail"
      tabindex=${context.focusKey === key ? 0 : -1}
      aria-expanded=${String(open)}
      title=${plain([words, said].filter((part) => part !== '').join(': '))}
      @click=${() => actions.toggle(key)}
    >
      <span class="sr">${label}</span>
      <span class="num"></span>${codicon('chevron-right', 'tw')}${codicon(icon, 'k')}
      <span class="tx" aria-hidden="true">
        <span class="verb plain"
          >${words}${said === '' ? nothing : html`: “${visibleTemplate(firstWords(said))}”`}</span
        >
        <span class="note ${request.action?.kind === 'command_run' ? 'mono' : ''}">${visibleTemplate(about)}</span>
      </span>
      <span class="mt" aria-hidden="true"></span>
      <span class="dur" aria-hidden="true" title=${decision === undefined ? nothing : dateTime(decision.at)}
        >${at}</span
      >
      <span class="st"></span>
    </button>
    ${open ? renderDecidedDetail(context, entry, asked) : nothing}
  </div>`;
}

function renderDecidedDetail(context: Context, entry: PageEntry, { request, decision }: RequestState): TemplateResult {
  const { store, actions } = context;
  const projectDir = store.view?.summary.project_dir;
  const answer = decision?.answer;
  const answers = answer?.kind === 'answer' ? answer.answers : [];
  const reply = answer?.kind === 'deny' ? (answer.reason ?? '') : '';
  const who = store.member === undefined ? t('You said:') : t('{0} said:', plain(store.member));
  return html`<div class="ask settled">
    ${
      request.kind === 'permission'
        ? renderSubject({ request, projectDir, isExpanded: true })
        : request.kind === 'plan'
          ? planBody(context, request)
          : html`<dl>
              ${(request.questions ?? []).map(
                ({ question }, at) =>
                  html`<dt>${visibleTemplate(question)}</dt>
                    <dd>${visibleTemplate(answers[at] ?? t('no answer'))}</dd>`,
              )}
            </dl>`
    }
    <ul class="why">
      ${reasons(context, request)} ${reply === '' ? nothing : reason('reply', html`${who} “${visibleTemplate(reply)}”`)}
    </ul>
    ${showAll({ entry, actions })}
  </div>`;
}
