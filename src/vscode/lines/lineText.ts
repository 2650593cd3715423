import * as vscode from 'vscode';
import { inertText, literalText, visibleText } from '../text/inertText.ts';
import type { LineStory } from './lineStories.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

const longestPrompt = 600;
const longestLine = 80;

/** Command of links into the panel. Its arguments are ids and numbers, never text of a session. */
export const openEntryCommand = 'vitrine.openEntry';

/** The hover of a line: untrusted text from the session, with trusted links of Vitrine. */
export function storyHover(stories: readonly LineStory[]): vscode.MarkdownString[] {
  const [story, ...others] = stories;
  return story === undefined ? [] : [storyText(story, others.length), links(story)];
}

function storyText(story: LineStory, others: number): vscode.MarkdownString {
  const { prompt, edited } = story;
  const facts = [story.agent, story.model ?? '', stepText(story), dateTime(story.at)].filter((part) => part !== '');
  const parts = [
    `**${literalText(t('Why is this line here?'))}**`,
    edited ? literalText(t('Edited since. Previous text:')) : '',
    `${literalText(oneLine(story.title))}  \n${literalText(facts.join(' · '))}`,
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

function links({ session, entryIndex, promptIndex }: LineStory): vscode.MarkdownString {
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
export function storyTitle(story: LineStory): string {
  return inertText(oneLine(story.title));
}

/** Facts about the line: agent and model, step and time. */
export function storyFacts(story: LineStory): string {
  return inertText([story.agent, story.model ?? '', stepText(story), dateTime(story.at)].filter(Boolean).join(' · '));
}

export function storyPrompt({ prompt }: LineStory): string {
  return prompt === undefined ? '' : inertText(oneLine(prompt));
}

export function stepText({ step }: LineStory): string {
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
