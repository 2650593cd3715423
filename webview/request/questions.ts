import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { AgentRequest, Question } from '../../src/model/agent/request.ts';
import { choice, field } from '../controls.ts';
import { t } from '../l10n.ts';
import type { Context } from '../parts/context.ts';
import { fieldId } from '../parts/rows/requestActions.ts';
import { agentTextHeading, visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { pickAnswer, type } from './answers.ts';

/** Questions of an agent, each with its suggestions and a line for another answer. */
export function questions(context: Context, request: AgentRequest): TemplateResult {
  const all = request.questions ?? [];
  return html`<div class="what" data-focus tabindex="-1" role="group" aria-label=${t('Agent questions')}>
    ${agentTextHeading(context.store.view)} ${all.map((question, at) => fieldset(context, request, question, at))}
    ${all.length === 0 ? html`<p>${visibleTemplate(request.title)}</p>` : nothing}
  </div>`;
}

function fieldset({ requests }: Context, { id }: AgentRequest, item: Question, at: number): TemplateResult {
  const { question, header, multiSelect: isMultiSelect, options, freeText } = item;
  const draft = requests.draft(id);
  const name = `${fieldId(id)}-${at}`;
  return html`<fieldset>
    <legend>
      ${header === undefined ? nothing : html`<span class="chip">${visibleTemplate(header)}</span>`}<span>${visibleTemplate(question)}</span>${isMultiSelect ? html` <span class="dim">${t('Select one or more answers')}</span>` : nothing}
    </legend>
    ${options.map(({ label, description }, n) =>
      choice({
        id: `${name}-${n}`,
        name,
        isMultiSelect,
        label: visibleTemplate(label),
        ...(description !== undefined && { description: visibleTemplate(description) }),
        chosen: draft.picks[at]?.includes(label) === true,
        onChoose: () => requests.write(id, pickAnswer(requests.draft(id), at, label, isMultiSelect)),
      }),
    )}
    ${
      freeText || options.length === 0
        ? html`<span class="reason">
            ${field({
              id: `other-${name}`,
              label: options.length === 0 ? plain(question) : t('Another answer: {0}', plain(question)),
              value: draft.other[at] ?? '',
              placeholder: options.length === 0 ? t('Your answer') : t('Another answer'),
              multiline: false,
              onInput: (text) => requests.write(id, type(requests.draft(id), at, text, isMultiSelect)),
              onKey: () => undefined,
            })}
          </span>`
        : nothing
    }
  </fieldset>`;
}
