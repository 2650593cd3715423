import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PageCommand, SessionView } from '../../src/protocol/messages.ts';
import { button, codicon, field } from '../controls.ts';
import { t } from '../l10n.ts';
import { plain } from '../text/visible.ts';
import type { Context } from './context.ts';
import { modeWord } from './header.ts';

export interface ComposerState {
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  readonly send: () => void;
}

/** Where the conversation goes on; where it cannot, the reason stands in its place. */
export function composer(context: Context, view: SessionView, state: ComposerState): TemplateResult {
  return html`<form class="comp" aria-label=${t('Message')} @submit=${(event: Event) => event.preventDefault()}>
    ${view.can.send ? box(view, state) : blocked(context, view)}
  </form>`;
}

function box(view: SessionView, { draft, setDraft, send }: ComposerState): TemplateResult {
  const { summary } = view;
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const about = [
    summary.agent_label,
    summary.model ?? '',
    summary.permission_mode === null ? '' : modeWord(summary.permission_mode),
  ];
  return html`<div class="box">
    ${field({
      id: 'composer',
      label: t('Message to the agent'),
      value: draft,
      placeholder: placeholder(view),
      multiline: true,
      onInput: setDraft,
      onKey: keys,
    })}
    <div class="cbar">
      ${about.filter((part) => part !== '').map((part, at) => html`<span class=${at === 2 ? 'txt hide-n' : 'txt'}>${plain(part)}</span>`)}
      <span class="cr">
        <span class="left">${t('Ctrl+Enter sends')}</span>
        ${button({ id: 'send', label: t('Send'), icon: 'send', look: 'icon', disabled: draft.trim() === '', onClick: send })}
      </span>
    </div>
  </div>`;
}

function placeholder({ summary, can }: SessionView): string {
  if (summary.recording) return t('Recording: the next recorded turn will be played');
  return can.stop ? t('Queue a message for the end of this turn') : t('Go on with this session');
}

function blocked({ actions }: Context, { why, fix }: SessionView): TemplateResult {
  return html`<div class="box">
    <div class="blocked" id="why">
      ${codicon('info')}
      <span>
        ${why === null ? t('Sending is off now.') : plain(why)}
        ${fix === undefined ? nothing : html`<button class="link" @click=${() => actions.command(fix)}>${fixLabel(fix)}</button>`}
      </span>
    </div>
  </div>`;
}

function fixLabel(fix: PageCommand): string {
  switch (fix) {
    case 'manageTrust':
      return t('Manage Workspace Trust');
    case 'runAgent':
      return t('Run Agent…');
    case 'showRawOutput':
      return t('Show Raw Output');
    case 'showCapabilities':
      return t('What This Session Carried');
    case 'revealRecord':
      return t('Reveal Record');
    case 'rename':
      return t('Rename…');
    case 'copySessionId':
      return t('Copy Session ID');
    case 'delete':
      return t('Delete…');
  }
}
