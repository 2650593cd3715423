import { html, type TemplateResult } from 'lit/html.js';
import type { QueryKind, QueryProblem, QueryState } from '../../../src/model/transcript/query.ts';
import { t } from '../../l10n.ts';
import { visibleTemplate } from '../../text/shown.ts';

export const findHelpId = 'find-help';

/** The type makes sure that no key is missing; the values are unused. */
const allKinds: Readonly<Record<QueryKind, true>> = {
  user: true,
  assistant: true,
  thinking: true,
  system: true,
  error: true,
  tool: true,
  read: true,
  edit: true,
  command: true,
  search: true,
  web: true,
  other: true,
};
const allStates: Readonly<Record<QueryState, true>> = {
  done: true,
  failed: true,
  denied: true,
  cancelled: true,
  running: true,
};
const kinds = Object.keys(allKinds).join(', ');
const states = Object.keys(allStates).join(', ');

/** Short help on the query language. */
export function findHelp(): TemplateResult {
  const line = (example: string, what: string): TemplateResult =>
    html`<dt><code>${example}</code></dt>
      <dd>${what}</dd>`;
  return html`<dl>
    ${line('retry delay', t('both words, anywhere in an entry'))} ${line('"retry delay"', t('the exact phrase'))}
    ${line('tool:bash', t('calls to this tool'))} ${line('file:retry.ts', t('tool calls that mention this file'))}
    ${line('kind:command', t('one of {0}', kinds))} ${line('state:denied', t('one of {0}', states))}
    ${line('error', t('failed calls and errors; use "error" to search for the word'))}
  </dl>`;
}

export function problemWords({ code, part }: QueryProblem): TemplateResult {
  switch (code) {
    case 'unknown_operator':
      return html`${visibleTemplate(part)}: ${t('unknown operator; searched as text')}`;
    case 'unknown_kind':
      return html`${visibleTemplate(part)}: ${t('unknown kind; use one of {0}', kinds)}`;
    case 'unknown_state':
      return html`${visibleTemplate(part)}: ${t('unknown state; use one of {0}', states)}`;
    case 'no_value':
      return html`${visibleTemplate(part)} ${t('needs a value')}`;
  }
}
