import { html, type TemplateResult } from 'lit/html.js';
import { t } from '../l10n.ts';
import { pieces, plain } from './visible.ts';

/** Elements that one text may take for what is not seen in it; with more, all of it is written out plainly. */
const mostPieces = 4000;

/** Text of a session as it is, with characters that are not seen written out and marked. */
export function shown(text: string): TemplateResult | string {
  const parts = pieces(text);
  if (parts.length === 1 && parts[0]?.escape === false) return text;
  if (parts.length > mostPieces) return plain(text);
  return html`${parts.map(({ text: piece, escape }) =>
    escape ? html`<span class="esc" title=${t('A character that is not seen')}>${piece}</span>` : piece,
  )}`;
}
