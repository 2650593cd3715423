import * as vscode from 'vscode';
import { inertText, literalText, visibleText } from '../text/inertText.ts';
import type { LineOrigin } from './lineOrigins.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

const longestPrompt = 600;
const longestLine = 80;

/** Command of links into the panel. Its arguments are ids and numbers, never text of a session. */
export const openEntryCommand = 'vitrine.openEntry';

/** The hover of a line: untrusted text from the session, with trusted links of Vitrine. */
export function lineOriginHover(origins: readonly LineOrigin[]): vscode.MarkdownString[] {
  const [origin, ...others] = origins;
  return origin === undefined ? [] : [lineOriginText(origin, others.length), links(origin)];
}

function lineOriginText(origin: LineOrigin, others: number): vscode.MarkdownString {
  const { prompt, edited } = origin;
  const facts = [origin.agent, origin.model ?? '', stepText(origin), dateTime(origin.at)].filter((part) => part !== '');
  const parts = [
    `**${literalText(t('Why is this line here?'))}**`,
    edited ? literalText(t('Edited since. Previous text:')) : '',
    `${literalText(oneLine(origin.title))}  \n${literalText(facts.join(' · '))}`,
    ...(prompt === undefined || prompt.trim() === ''
      ? []
      : ['---', literalText(shortenText(visibleLines(prompt), longestPrompt))]),
    others === 0
      ? ''
      : literalText(
          others === 1 ? t('1 more step may have changed it.') : t('{0} more steps may have changed it.', others),
        ),
  ];
  const text = new vscode.MarkdownString(parts.filter((part) => part !== '').join('\n\n'), false);
  text.isTrusted = false;
  return text;
}

function links({ session, entryIndex, promptIndex }: LineOrigin): vscode.MarkdownString {
  const text = new vscode.MarkdownString('', false);
  text.isTrusted = { enabledCommands: [openEntryCommand, 'vitrine.whyThisLine'] };
  const link = (label: string, index: number): string =>
    `[${label}](command:${openEntryCommand}?${encodeURIComponent(JSON.stringify([session, index]))})`;
  const all = [
    link(t('Show Step'), entryIndex),
    ...(promptIndex === undefined ? [] : [link(t('Show Prompt'), promptIndex)]),
    `[${t('All Candidates')}](command:vitrine.whyThisLine)`,
  ];
  return text.appendMarkdown(all.join(' · '));
}

/** Title for a VS Code list, where `$(…)` would be an icon. */
export function originTitle(origin: LineOrigin): string {
  return inertText(oneLine(origin.title));
}

/** Facts about the line: agent and model, step and time. */
export function originFacts(origin: LineOrigin): string {
  return inertText(
    [origin.agent, origin.model ?? '', stepText(origin), dateTime(origin.at)].filter(Boolean).join(' · '),
  );
}

export function originPrompt({ prompt }: LineOrigin): string {
  return prompt === undefined ? '' : inertText(oneLine(prompt));
}

export function stepText({ step }: LineOrigin): string {
  return step === undefined ? '' : t('step {0}', step);
}

function oneLine(text: string): string {
  return shortenText(visibleText(text.trim().split('\n', 1)[0] ?? ''), longestLine);
}

function visibleLines(text: string): string {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => visibleText(line.replaceAll('\t', '  ')))
    .join('\n');
}

function shortenText(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
