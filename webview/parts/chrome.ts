import { render } from 'lit/html.js';
import type { SessionView } from '../../src/protocol/messages.ts';
import type { List } from '../list.ts';
import { type Notice, notices, type Shell } from '../shell.ts';
import { composer, type ComposerState } from './composer.ts';
import type { Context } from './context.ts';
import { findBar, type FindState } from './findBar.ts';
import { header, type HeaderState } from './header.ts';
import { requestBar } from './requestBar.ts';
import { strip } from './strip.ts';

export interface ChromeState {
  readonly head: HeaderState;
  readonly composer: ComposerState;
  readonly find: FindState | undefined;
  readonly problem: Notice | undefined;
}

/** Draws everything around the rows. */
export function drawChrome(shell: Shell, context: Context, view: SessionView, list: List, state: ChromeState): void {
  render(header(context, view, state.head), shell.header);
  render(notices([view.notice, state.problem].filter((each) => each !== null && each !== undefined)), shell.notice);
  render(state.find === undefined ? '' : findBar(state.find), shell.find);
  render(requestBar(context), shell.bar);
  render(composer(context, view, state.composer), shell.composer);
  render(strip(context, list), shell.strip);
}
