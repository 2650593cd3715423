import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { AgentRequest, Answer } from '../../../src/model/agent/request.ts';
import { button, areControlsReady, field } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { markdownParts } from '../../markdown/blocks.ts';
import { renderBlock } from '../../markdown/render.ts';
import { answersOf } from '../../request/answers.ts';
import { otherInput, isLongSubject, lengthWords } from '../../request/subject.ts';
import { quoted } from '../../../src/protocol/panel/pageModel.ts';
import { isJoined } from '../../store/joined.ts';
import { agentName, agentTextHeading, visibleTemplate } from '../../text/shown.ts';
import type { Context } from '../context.ts';

/** Buttons of a waiting request, with the reason if they are disabled. */
export function requestActions(context: Context, request: AgentRequest, index: number): TemplateResult {
  const { requests } = context;
  const { reason, whole } = requests.draft(request.id);
  const state = requests.stateOf(request.id);
  const off = state !== 'ready';
  const denyIsOff = off && state !== 'unread';
  const unread = request.kind === 'permission' && isLongSubject(request) && !whole;
  const give = (answer: Answer): void => requests.answer(request, answer);
  // Read the current draft, which may be newer than the drawn one if the user types fast.
  const deny = (): void => {
    const why = requests.draft(request.id).reason.trim();
    give({ kind: 'deny', ...(why !== '' && { reason: why }) });
  };
  const press: AnswerButton = (label, look, answer, not) => button({ label, look, isUnready: not, onClick: answer });
  const words = labels(request);
  const { view } = context.store;
  // Such a session has no record that could keep the reason.
  const isReasonUseful = request.reasonUnheard !== true || view === undefined || !isJoined(view);
  return html`${
      unread
        ? html`<div class="more">
            <button class="link" @click=${() => requests.write(request.id, { whole: true })}>
              ${lengthWords(request)}
            </button>
            <span>${t('To allow this, show all of it first.')}</span>
          </div>`
        : nothing
    }
    <div class="bt" data-request=${request.id} data-sight="end">
      ${renderAllowButtons(context, request, off || unread, press, give)}
      ${request.editable ? press(t('Edit…'), 'secondary', () => context.actions.openDiff(index), denyIsOff) : nothing}
      ${press(words.no, 'secondary', deny, denyIsOff)}
      ${
        isReasonUseful
          ? html`<span class="reason">
              ${field({
                id: `why-${fieldId(request.id)}`,
                label: words.reason,
                value: reason,
                placeholder: words.reason,
                multiline: request.kind === 'plan',
                onInput: (text) => requests.write(request.id, { reason: text }),
                onKey: (event) => {
                  const sends = request.kind === 'plan' ? event.ctrlKey || event.metaKey : true;
                  if (event.key !== 'Enter' || !sends || event.isComposing) return;
                  event.preventDefault();
                  deny();
                },
              })}
            </span>`
          : nothing
      }
      ${hint(request, state, agentName(view))}
    </div>`;
}

type AnswerButton = (label: string, look: 'primary' | 'secondary', answer: () => void, off: boolean) => TemplateResult;

function renderAllowButtons(
  { requests }: Context,
  request: AgentRequest,
  off: boolean,
  press: AnswerButton,
  give: (answer: Answer) => void,
): TemplateResult {
  if (request.kind === 'question') {
    const answers = () => answersOf(request, requests.draft(request.id));
    const act = (): void => {
      const completeAnswers = answers();
      if (completeAnswers !== undefined) give({ kind: 'answer', answers: completeAnswers });
    };
    return press(t('Answer'), 'primary', act, off || answers() === undefined);
  }
  const words = labels(request);
  return html`${press(words.once, 'primary', () => give({ kind: 'allow', scope: 'once' }), off)}
  ${
    request.session === undefined
      ? nothing
      : press(words.session, 'secondary', () => give({ kind: 'allow', scope: 'session' }), off)
  }`;
}

function labels({ kind, reasonUnheard }: AgentRequest) {
  const reasonForRecord = t('Reason (optional): recorded, but not sent to this agent');
  switch (kind) {
    case 'permission':
      return {
        once: t('Allow Once'),
        session: t('Allow for This Session'),
        no: t('Deny'),
        reason: reasonUnheard ? reasonForRecord : t('Reason (optional): sent to the agent'),
      };
    case 'plan':
      return {
        once: t('Approve'),
        session: t('Approve for This Session'),
        no: t('Keep Planning'),
        reason: reasonUnheard ? reasonForRecord : t('What should change? Sent to the agent (optional)'),
      };
    case 'question':
      return { once: '', session: '', no: t('Dismiss'), reason: t('Reason (optional): sent to the agent') };
  }
}

/** What "for this session" means to the agent, or the state of the answer. */
function hint({ session }: AgentRequest, state: string, agent: string): TemplateResult | typeof nothing {
  if (state === 'sent') return html`<span class="hint" role="status">${t('Sent to the agent')}</span>`;
  if (state === 'unread') return html`<span class="hint">${t('To allow this, scroll to its beginning first.')}</span>`;
  if (session === undefined) return nothing;
  return html`<span class="hint"
    >${t('{0} describes “for this session” as:', agent)} ${visibleTemplate(quoted(session))}</span
  >`;
}

/** An element id from any text. */
export function fieldId(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}

/** A plan is the agent's Markdown, drawn with the same elements as its messages, without hiding any of it. */
export function planBody({ actions, store }: Context, request: AgentRequest): TemplateResult {
  const text = request.plan ?? request.title;
  return html`<div class="what" data-focus tabindex="0" role="group" aria-label=${t('Agent plan')}>
    ${agentTextHeading(store.view)}
    <div class="prose">
      ${guard([text, areControlsReady()], () =>
        markdownParts(text).flatMap(({ blocks }) =>
          blocks.map((block) => renderBlock(block, actions, { whole: true })),
        ),
      )}
    </div>
    ${otherInput(request)}
  </div>`;
}
