import { html, type TemplateResult } from 'lit/html.js';
import { characterName, disguisesIn, findDisguise, type TextKind } from '../../src/protocol/panel/pageModel.ts';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';
import { pieces, plain } from './visible.ts';

/** Elements that one text may take for what is not seen in it; with more, all of it is written out plainly. */
const mostPieces = 500;

/** Text of a session as it is, with characters that are not seen written out and marked. */
export function visibleTemplate(text: string, kind: TextKind = 'prose'): TemplateResult | string {
  const parts = pieces(text, kind);
  if (parts.length === 1 && parts[0]?.escape === false) return text;
  if (parts.length > mostPieces) return plain(text, kind);
  return html`${parts.map(({ text: piece, escape }) => (escape ? escaped(piece) : piece))}`;
}

function escaped(name: string, title = t('Invisible character')): TemplateResult {
  return html`<span class="esc" title=${title}>${name}</span>`;
}

/** A command, path or name: also with what looks like another character followed by its number. */
export function shownCode(text: string): TemplateResult | string {
  const disguise = findDisguise(text);
  if (disguise === undefined) return text;
  const parts: (TemplateResult | string)[] = [];
  let from = 0;
  for (const { start, end, hidden } of disguise.spots.slice(0, mostPieces)) {
    const character = text.slice(start, end);
    parts.push(
      text.slice(from, hidden ? start : end),
      hidden ? escaped(characterName(character)) : escaped(characterName(character), t('Look-alike character')),
    );
    from = end;
  }
  return html`${parts}${visibleTemplate(text.slice(from), 'code')}`;
}

/** What is deceptive about one of these texts, in sentences; none where they read as what they are. */
export function warnings(texts: readonly string[]): string[] {
  const { hidden, scripts, lookAlikes } = disguisesIn(texts);
  const alike = lookAlikes.map((one) => `${one} (${characterName(one)})`);
  return [
    ...(hidden.length > 0 ? [t('Contains invisible characters: {0}.', listed(hidden))] : []),
    ...(scripts.length > 0 ? [t('Mixes letters of different alphabets in one word: {0}.', scripts.join(', '))] : []),
    ...(alike.length > 0 ? [t('Contains characters that look like others: {0}.', listed(alike))] : []),
  ];
}

const listed = (all: readonly string[]): string => `${all.slice(0, 8).join(', ')}${all.length > 8 ? ', …' : ''}`;

/** Whose words are shown, as the session names its agent. */
export function agentName(view: Pick<SessionView, 'summary'> | undefined): string {
  return plain(view?.summary.agent_label ?? t('The agent'), 'code');
}

/** Stands over what an agent wrote: what follows is not Vitrine's. */
export function agentAsks(view: Pick<SessionView, 'summary'> | undefined): TemplateResult {
  return html`<p class="from">${t('{0} asks:', agentName(view))}</p>`;
}
