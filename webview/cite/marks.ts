import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Token } from 'marked';
import type { PageLink } from '../../src/protocol/panel/evidence.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import { bodyOf } from '../store/documents.ts';
import { t } from '../l10n.ts';
import type { Part } from '../markdown/blocks.ts';
import type { Content } from '../markdown/render.ts';
import { verdictMarks, verdictWord } from '../parts/evidence/claimVerdict.ts';
import { visibleTemplate } from '../text/shown.ts';
import { type Piece, type LinkPlaces, placeLinks } from './places.ts';

interface CachedMarks {
  readonly links: readonly PageLink[];
  readonly content: string;
  readonly placed: LinkPlaces;
}

/** Messages with cached marks. */
const maxCachedMessages = 200;

/** The marks of messages, computed once per displayed form. */
export class CitationMarks {
  readonly #marksByEntry = new Map<number, CachedMarks>();

  /** `undefined` for a message without marks, or one that is still growing. */
  placesOf(entry: PageEntry, parts: readonly Part[], open: boolean): LinkPlaces | undefined {
    const { links, index } = entry;
    if (open || links === undefined || links.length === 0) return undefined;
    const content = bodyOf(entry);
    const known = this.#marksByEntry.get(index);
    if (known?.links === links && known.content === content) return known.placed;
    const placed = placeLinks(parts, content, links);
    this.#marksByEntry.delete(index);
    this.#marksByEntry.set(index, { links, content, placed });
    if (this.#marksByEntry.size > maxCachedMessages)
      for (const first of this.#marksByEntry.keys()) return this.#dropEntry(first, placed);
    return placed;
  }

  #dropEntry(index: number, placed: LinkPlaces): LinkPlaces {
    this.#marksByEntry.delete(index);
    return placed;
  }
}

/** The page's id of a link, on the number's element. */
export const citeId = (index: number, at: number): string => `${index}:${at}`;

/** The marked text of a token. */
export function markToken(index: number, { pieces }: LinkPlaces, token: Token): Content | undefined {
  const own = pieces.get(token);
  if (own === undefined) return undefined;
  const code = token.type === 'codespan';
  // Code that is marked completely stays one piece.
  if (code && own.length > 1) return html`<code>${own.map((piece) => renderPiece(index, piece, false))}</code>`;
  return html`${own.map((piece) => renderPiece(index, piece, code))}`;
}

function renderPiece(index: number, { text, links, ends }: Piece, code: boolean): Content {
  const link = findInnermost(links);
  const body = code ? html`<code>${visibleTemplate(text)}</code>` : visibleTemplate(text);
  if (link === undefined) return body;
  const look = link.status === 'not_found' ? 'cited nf' : 'cited';
  // No space is added between the text and its number.
  return html`<span class=${look} data-cite=${citeId(index, link.at)}>${body}</span
    >${ends.map((end) => renderReference(index, end))}`;
}

/** Of nested links, the most specific one. */
function findInnermost(links: readonly PageLink[]): PageLink | undefined {
  const length = ({ range: [start, end] }: PageLink): number => end - start;
  return links.reduce<PageLink | undefined>(
    (best, link) => (best === undefined || length(link) < length(best) ? link : best),
    undefined,
  );
}

/** The number of a source. It is a link for screen readers, but its URL leads nowhere: it opens the card. */
export function renderReference(index: number, { at, number, status, verdict }: PageLink): TemplateResult {
  const mark = status === 'not_found' ? '?' : verdict === undefined ? '' : verdictMarks[verdict];
  return html`<a
    class=${status === 'not_found' ? 'cref nf' : 'cref'}
    data-v=${status === 'found' ? (verdict ?? nothing) : nothing}
    title=${status === 'found' && verdict !== undefined ? verdictWord(verdict) : nothing}
    role="doc-noteref"
    href="#source"
    data-cite=${citeId(index, at)}
    aria-label=${markLabel(number, status, verdict)}
    aria-haspopup="dialog"
    >${number}${mark === '' ? nothing : mark}</a
  >`;
}

function markLabel(number: number, status: PageLink['status'], verdict: PageLink['verdict']): string {
  switch (status) {
    case 'given':
      return t('Source {0}, cited by the agent', number);
    case 'found':
      return verdict === undefined
        ? t('Source {0}, found in this session', number)
        : t('Source {0}, found in this session: {1}', number, verdictWord(verdict));
    case 'not_found':
      return t('Source {0}, no evidence found', number);
  }
}

/** Sources of the whole message, and those whose position is not shown. */
export function unplacedMarks(index: number, { rest }: LinkPlaces): TemplateResult | typeof nothing {
  if (rest.length === 0) return nothing;
  return html`<p class="cites">
    ${t('Sources of this message:')} ${rest.map((link) => renderReference(index, link))}
  </p>`;
}
