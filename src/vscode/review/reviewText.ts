import * as vscode from 'vscode';
import type { NamedHunk, SessionReview } from '../../engine/review/reviewSession.ts';
import { unreported } from '../../insight/review/lineTrail.ts';
import { inertText, literalText, visibleText } from '../text/inertText.ts';
import type { OpenReview, ReviewPlace } from './openReview.ts';

const { t } = vscode.l10n;

const longestPrompt = 400;

/** Who made a change, in a few words: the last step, and how many others. */
export function originText(session: SessionReview, { by }: NamedHunk): string {
  const steps = by.filter((author) => author !== unreported);
  const last = steps.at(-1);
  if (last === undefined) return t('Not reported by any tool call');
  const { number = '', tool } = session.step(last);
  const words = [t('Step {0}', number), visibleText(tool)].filter((part) => part !== '');
  if (steps.length > 1) words.push(steps.length === 2 ? t('1 more step') : t('{0} more steps', steps.length - 1));
  if (steps.length < by.length) words.push(t('and an unreported change'));
  return words.join(' · ');
}

/** The lines of a change in the file as it is, from 1, or how its permissions changed. */
export function lineRangeText({ now: [from, to], base, executable }: NamedHunk): string {
  if (executable !== undefined) return executable ? t('Made executable') : t('Made non-executable');
  if (from === to) {
    const removedLines = base[1] - base[0];
    return removedLines === 1
      ? t('1 line removed at line {0}', from + 1)
      : t('{0} lines removed at line {1}', removedLines, from + 1);
  }
  return to - from === 1 ? t('Line {0}', from + 1) : t('Lines {0}–{1}', from + 1, to);
}

/** Who made a change; for one of permissions also what it is, because its line does not show it. */
export function changeText(session: SessionReview, hunk: NamedHunk): string {
  const origin = originText(session, hunk);
  return hunk.executable === undefined ? origin : `${lineRangeText(hunk)} · ${origin}`;
}

/** Lines that mark a change in an editor: a removal is shown where the lines were. */
export function rangeOf({ now: [from, to] }: NamedHunk, lineCount: number): vscode.Range {
  const first = Math.min(from, Math.max(0, lineCount - 1));
  const last = Math.min(Math.max(from, to - 1), Math.max(0, lineCount - 1));
  return new vscode.Range(first, 0, last, 0);
}

/** The session's words as untrusted text, and Vitrine's own links beside them. */
export function originHover(review: OpenReview, place: ReviewPlace): vscode.MarkdownString[] {
  const { hunk } = place;
  const about = new vscode.MarkdownString('', false);
  about.isTrusted = false;
  const paragraphs = [`**${literalText(changeText(review.session, hunk))}**`];
  const step = hunk.by.findLast((author) => author !== unreported);
  const { prompt, promptIndex } = step === undefined ? {} : review.session.step(step);
  if (prompt !== undefined && prompt.trim() !== '') paragraphs.push(literalText(shortenText(prompt)));
  about.appendMarkdown(paragraphs.join('\n\n'));
  const links = new vscode.MarkdownString('', false);
  const commands = ['vitrine.keepChange', 'vitrine.revertChange', 'vitrine.openEntry'];
  links.isTrusted = { enabledCommands: commands };
  const link = (label: string, command: string, ...args: readonly unknown[]): string =>
    `[${label}](command:${command}?${encodeURIComponent(JSON.stringify(args))})`;
  const all = [
    link(review.isReviewed(hunk) ? t('Not Reviewed') : t('Keep'), 'vitrine.keepChange', hunk.key),
    link(t('Revert'), 'vitrine.revertChange', hunk.key),
    ...(step === undefined ? [] : [link(t('Show Step'), 'vitrine.openEntry', review.id, step)]),
    ...(promptIndex === undefined ? [] : [link(t('Show Prompt'), 'vitrine.openEntry', review.id, promptIndex)]),
  ];
  links.appendMarkdown(all.join(' · '));
  return [about, links];
}

/** The first line of the prompt that led to a change, for lists and lenses; empty if there is none. */
export function promptLine(session: SessionReview, { by }: NamedHunk): string {
  const step = by.findLast((author) => author !== unreported);
  const prompt = step === undefined ? undefined : session.step(step).prompt;
  const line = prompt?.trim().split('\n', 1)[0] ?? '';
  return inertText(line.length > 60 ? `${line.slice(0, 59)}…` : line);
}

function shortenText(text: string): string {
  const shown = text
    .trim()
    .split(/\r?\n/)
    .map((line) => visibleText(line.replaceAll('\t', '  ')))
    .join('\n');
  return shown.length > longestPrompt ? `${shown.slice(0, longestPrompt - 1)}…` : shown;
}
