import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import { type DetailLevel, detailLevels } from '../../../src/protocol/panel/detailLevel.ts';
import type { Actions } from '../../actions.ts';
import { button, codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';

function levelText(level: DetailLevel): string {
  switch (level) {
    case 'everything':
      return t('Everything');
    case 'summary':
      return t('Summary');
    case 'answers':
      return t('Answers only');
  }
}

/** A native select with an icon: small, and accessible. */
export function detailChoice(level: DetailLevel, actions: Pick<Actions, 'setDetail'>): TemplateResult {
  const choose = ({ target }: Event): void => {
    const value = target instanceof HTMLSelectElement ? target.value : '';
    const chosen = detailLevels.find((detailLevel) => detailLevel === value);
    if (chosen !== undefined) actions.setDetail(chosen);
  };
  return html`<span
    class="pick ${level === 'everything' ? '' : 'on'}"
    title=${t('Detail level: {0}', levelText(level))}
  >
    ${codicon('eye')}
    <select id="detail" aria-label=${t('Detail level')} .value=${live(level)} @change=${choose}>
      ${detailLevels.map((detailLevel) => html`<option value=${detailLevel} ?selected=${detailLevel === level}>${levelText(detailLevel)}</option>`)}
    </select>
  </span>`;
}

/** Renders nothing if no message of the session is automatic. */
export function automaticMessagesSelect(
  { automatic, peopleOnly }: { readonly automatic: number; readonly peopleOnly: boolean },
  { setPeopleOnly }: Pick<Actions, 'setPeopleOnly'>,
): TemplateResult | typeof nothing {
  if (automatic === 0 && !peopleOnly) return nothing;
  const label = t('Hide automatic messages');
  return button({ label, icon: 'robot', look: 'icon', pressed: peopleOnly, onClick: () => setPeopleOnly(!peopleOnly) });
}

/** Renders nothing if no message is marked as synthetic, or if all automatic messages are hidden. */
export function followUpChoice(
  store: { readonly synthetic: number; readonly showsSynthetic: boolean; readonly peopleOnly: boolean },
  { setShowsSynthetic }: Pick<Actions, 'setShowsSynthetic'>,
): TemplateResult | typeof nothing {
  const { synthetic, showsSynthetic: pressed, peopleOnly } = store;
  if (synthetic === 0 || peopleOnly) return nothing;
  const label = t('Show follow-ups and child results');
  return button({ label, icon: 'sync', look: 'icon', pressed, onClick: () => setShowsSynthetic(!pressed) });
}

/** With its shortcut, which works anywhere in the session's editor. */
export function goToPromptLabel(): string {
  const isMac = navigator.userAgent.includes('Mac');
  return t('Go to prompt ({0})', isMac ? '⇧⌘O' : 'Ctrl+Shift+O');
}
