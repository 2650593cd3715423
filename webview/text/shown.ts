import { html, type TemplateResult } from 'lit/html.js';
import { characterName, findDisguises, findDisguise, type TextKind } from '../../src/protocol/panel/pageModel.ts';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';
import { pieces, plain } from './visible.ts';

/** Elements for invisible characters in one text; beyond that, they are written as plain text. */
const maxPieces = 500;

/** Text of a session with invisible characters written out and marked. */
export function visibleTemplate(text: string, kind: TextKind = 'prose'): TemplateResult | string {
  const parts = pieces(text, kind);
  if (parts.length === 1 && parts[0]?.isEscape === false) return text;
  if (parts.length > maxPieces) return plain(text, kind);
  return html`${parts.map(({ text: piece, isEscape }) => (isEscape ? escaped(piece) : piece))}`;
}

function escaped(name: string, title = t('Invisible character')): TemplateResult {
  return html`<span class="esc" title=${title}>${name}</span>`;
}

/** A command, path or name: also shows the code of characters that look like others. */
export function shownCode(text: string): TemplateResult | string {
  const disguise = findDisguise(text);
  if (disguise === undefined) return text;
  const parts: (TemplateResult | string)[] = [];
  let from = 0;
  for (const { start, end, isHidden } of disguise.spots.slice(0, maxPieces)) {
    const character = text.slice(start, end);
    parts.push(
      text.slice(from, isHidden ? start : end),
      isHidden ? escaped(characterName(character)) : escaped(characterName(character), t('Look-alike character')),
    );
    from = end;
  }
  return html`${parts}${visibleTemplate(text.slice(from), 'code')}`;
}

/** Sentences about everything deceptive in these texts; none if they are what they look like. */
export function warnings(texts: readonly string[]): string[] {
  const { hiddenCharacters, scripts, lookAlikes } = findDisguises(texts);
  const alike = lookAlikes.map((one) => `${one} (${characterName(one)})`);
  return [
    ...(hiddenCharacters.length > 0 ? [t('Contains invisible characters: {0}.', listed(hiddenCharacters))] : []),
    ...(scripts.length > 0 ? [t('Mixes letters of different alphabets in one word: {0}.', scripts.join(', '))] : []),
    ...(alike.length > 0 ? [t('Contains characters that look like others: {0}.', listed(alike))] : []),
  ];
}

const listed = (all: readonly string[]): string => `${all.slice(0, 8).join(', ')}${all.length > 8 ? ', …' : ''}`;

/** The agent's name in the session, as the author of the text. */
export function agentName(view: Pick<SessionView, 'summary'> | undefined): string {
  return plain(view?.summary.agent_label ?? t('The agent'), 'code');
}

/** Heading of a text by an agent, to show that it is not Vitrine's. */
export function agentTextHeading(view: Pick<SessionView, 'summary'> | undefined): TemplateResult {
  return html`<p class="from">${t('{0} asks:', agentName(view))}</p>`;
}
