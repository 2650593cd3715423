import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { SessionView } from '../../../src/protocol/panel/messages.ts';
import { button, codicon } from '../../controls.ts';
import { commandWord } from '../../text/commandWords.ts';
import { budgetSentence } from '../../text/budget.ts';
import { plain } from '../../text/visible.ts';
import type { Context } from '../context.ts';

/** Below the header when a limit is near, has paused the session, or has no effect. */
export function budgetBar({ actions }: Context, { summary }: SessionView): TemplateResult | typeof nothing {
  const { budget } = summary;
  const sentence = budget === undefined ? undefined : budgetSentence(budget);
  if (budget === undefined || sentence === undefined) return nothing;
  const raisable = budget.reached ?? budget.near;
  return html`<div
    class="notice budget"
    role="status"
    data-severity="warning"
    data-budget=${raisable?.scope ?? nothing}
  >
    ${codicon(budget.reached === undefined ? 'warning' : 'debug-pause')}<span>${plain(sentence)}</span>
    ${
      raisable === undefined
        ? nothing
        : button({
            id: 'raise',
            label: commandWord('raiseBudget'),
            onClick: () => actions.command('raiseBudget'),
          })
    }
  </div>`;
}
