import { html, nothing, type TemplateResult } from 'lit/html.js';
import { button, codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import { attentionSummary } from '../request/approvalText.ts';
import { quoted } from '../../src/protocol/panel/pageModel.ts';
import { agentName, visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import type { Context } from './context.ts';

/** Over the end of the transcript while no request that waits is on screen. */
export function requestBar({ requests, actions, store }: Context): TemplateResult | typeof nothing {
  const first = requests.findOutOfSight();
  if (first === undefined) return nothing;
  const message = t('{0} says: {1}', agentName(store.view), quoted(first.title));
  return html`<div class="pend" role="region" aria-label=${t('Pending request')}>
    ${codicon('shield')}<span class="word">${attentionSummary(requests.waiting)}</span>
    <span class="mono" title=${plain(message, 'code')}>${visibleTemplate(message, 'code')}</span>
    ${button({ id: 'review', label: t('Review'), onClick: () => actions.review() })}
  </div>`;
}
