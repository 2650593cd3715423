import { html, render, type TemplateResult } from 'lit/html.js';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';
import type { List } from '../list/list.ts';
import { type Notice, notices, type Shell } from '../shell.ts';
import { budgetBar } from './header/budgetBar.ts';
import { composer, type ComposerState } from './composer.ts';
import type { Context } from './context.ts';
import { header, type HeaderState } from './header/header.ts';
import { missingText } from './rows/messageFigure.ts';
import { requestBar } from './requestBar.ts';
import { overviewRuler } from './strip.ts';

export interface ChromeState {
  readonly head: HeaderState;
  readonly composer: ComposerState;
  readonly find: TemplateResult | undefined;
  readonly problem: Notice | undefined;
}

/** Draws everything around the rows. */
export function drawChrome(shell: Shell, context: Context, view: SessionView, list: List, state: ChromeState): void {
  // The frame existed before the language was known.
  shell.main.setAttribute('aria-label', t('Vitrine session'));
  shell.scroller.setAttribute('aria-label', t('Transcript'));
  // Once, rather than with each message.
  shell.scroller.setAttribute(
    'aria-description',
    context.figures.messages.isUnreported ? missingText('not_per_message') : '',
  );
  render(header(context, view, state.head), shell.header);
  const reported = notices(
    [view.notice, state.problem].filter((notice) => notice !== null && notice !== undefined),
    (command) => context.actions.command(command),
  );
  render(html`${reported}${budgetBar(context, view)}`, shell.notice);
  render(state.find ?? '', shell.find);
  render(requestBar(context), shell.bar);
  render(composer(context, view, state.composer), shell.composer);
  render(overviewRuler(context, list), shell.strip);
}
