import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { QueryProblem } from '../../../src/model/transcript/query.ts';
import { button, field } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { formatNumber } from '../../text/format.ts';
import { findHelp, findHelpId, problemWords } from './findHelp.ts';

export interface FindState {
  readonly query: string;
  readonly indexes: readonly number[];
  /** Position in `indexes`; -1 before the first jump. */
  readonly at: number;
  /** More matches may follow. */
  readonly isBusy: boolean;
  readonly problems: readonly QueryProblem[];
  readonly showsHelp: boolean;
  readonly setQuery: (query: string) => void;
  readonly next: (step: 1 | -1) => void;
  readonly toggleHelp: () => void;
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
    <div class="find-l">
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
      ${button({
        label: t('Search syntax'),
        icon: 'question',
        look: 'icon',
        expanded: state.showsHelp,
        onClick: state.toggleHelp,
      })}
      ${button({ label: t('Close'), icon: 'close', look: 'icon', onClick: state.close })}
    </div>
    ${
      state.problems.length === 0
        ? nothing
        : html`<div class="find-p" role="status">
            ${state.problems.map((problem) => html`<p>${problemWords(problem)}</p>`)}
          </div>`
    }
    ${state.showsHelp ? html`<div id=${findHelpId} class="find-h">${findHelp()}</div>` : nothing}
  </div>`;
}

function summary({ query, indexes, at, isBusy }: FindState): string | typeof nothing {
  if (query.trim() === '') return nothing;
  if (indexes.length === 0) return isBusy ? t('Searching…') : t('No results');
  const count = `${formatNumber(indexes.length)}${isBusy ? '+' : ''}`;
  if (at < 0) return count === '1' ? t('1 entry') : t('{0} entries', count);
  return t('{0} of {1}', formatNumber(at + 1), count);
}
