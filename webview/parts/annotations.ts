import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Citation } from '../../src/model/metadata.ts';
import type { PageEntry } from '../../src/protocol/messages.ts';
import { plural, t } from '../l10n.ts';
import { linkTarget } from '../markdown/targets.ts';
import { shown } from '../text/shown.ts';
import { firstWords, plain } from '../text/visible.ts';

const mostShown = 100;

/** The sources that the agent gave for a text, numbered as it gave them. */
export function sources(entry: PageEntry): TemplateResult | typeof nothing {
  const cited = (entry.metadata?.annotations ?? []).filter((each) => each.kind === 'citation');
  if (cited.length === 0) return nothing;
  const left = (entry.cut?.['metadata.annotations'] ?? cited.length) - Math.min(cited.length, mostShown);
  return html`<ol class="sources" aria-label=${t('Sources')}>
    ${cited.slice(0, mostShown).map((citation) => html`<li>${source(citation, entry)}</li>`)}
    ${left > 0 ? html`<li class="left">${plural(left, t('{0} more source', 1), t('{0} more sources'))}</li>` : nothing}
  </ol>`;
}

function source(citation: Citation, entry: PageEntry): TemplateResult {
  const { url, title, description } = citation;
  const name = [title, url].find((each) => each !== undefined && each !== null && each !== '') ?? t('Source');
  const target = linkTarget(url ?? '');
  const words = citedWords(citation, entry);
  return html`${
    target?.kind === 'page'
      ? html`<a role="link" tabindex="0" data-url=${target.url} title=${plain(target.url)}>${shown(name)}</a>`
      : html`<span>${shown(name)}</span>`
  }${words === '' ? nothing : html`<q class="words">${shown(words)}</q>`}${
    description === undefined || description === null || description === ''
      ? nothing
      : html`<span class="about">${shown(firstWords(description))}</span>`
  }`;
}

/** Ranges count code points of the whole text; of one that was cut nothing is said. */
function citedWords({ start_index: from, end_index: to }: Citation, { content, cut }: PageEntry): string {
  if (typeof from !== 'number' || typeof to !== 'number' || cut?.['content'] !== undefined) return '';
  return firstWords(Array.from(content).slice(from, to).join(''));
}
