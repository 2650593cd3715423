import { html, nothing, type TemplateResult } from 'lit/html.js';
import { button, field } from '../controls.ts';
import { t } from '../l10n.ts';
import { number } from '../text/format.ts';

export interface FindState {
  readonly query: string;
  readonly indexes: readonly number[];
  readonly truncated: boolean;
  /** Place in `indexes`; -1 while nothing was jumped to. */
  readonly at: number;
  readonly busy: boolean;
  readonly setQuery: (query: string) => void;
  readonly next: (step: 1 | -1) => void;
  readonly close: () => void;
}

export function findBar(state: FindState): TemplateResult {
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') state.next(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') state.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="find" role="search" aria-label=${t('Find in session')}>
    ${field({
      id: 'find',
      label: t('Find in session'),
      value: state.query,
      placeholder: t('Find'),
      multiline: false,
      onInput: state.setQuery,
      onKey: keys,
    })}
    <span class="hits-n" role="status">${summary(state)}</span>
    ${button({ label: t('Previous match'), icon: 'arrow-up', look: 'icon', onClick: () => state.next(-1) })}
    ${button({ label: t('Next match'), icon: 'arrow-down', look: 'icon', onClick: () => state.next(1) })}
    ${button({ label: t('Close'), icon: 'close', look: 'icon', onClick: state.close })}
  </div>`;
}

function summary({ query, indexes, truncated, at, busy }: FindState): string | typeof nothing {
  if (query === '') return nothing;
  if (busy) return t('Searching…');
  if (indexes.length === 0) return t('No results');
  const count = `${number(indexes.length)}${truncated ? '+' : ''}`;
  return at < 0 ? t('{0} entries', count) : t('{0} of {1}', number(at + 1), count);
}
