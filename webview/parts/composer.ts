import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import { button, codicon, field } from '../controls.ts';
import { t } from '../l10n.ts';
import { isJoined } from '../store/joined.ts';
import { commandWord } from '../text/commandWords.ts';
import { isBypassMode, modeWord } from '../text/mode.ts';
import { visibleTemplate } from '../text/shown.ts';
import { firstWords, plain } from '../text/visible.ts';
import type { Context } from './context.ts';

export interface ComposerState {
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  /** `interrupt` ends the active turn first. */
  readonly send: (how?: 'queue' | 'interrupt') => void;
}

/** The input for the next message, or the reason why there is none. */
export function composer(context: Context, view: SessionView, state: ComposerState): TemplateResult {
  return html`<form class="comp" aria-label=${t('Message')} @submit=${(event: Event) => event.preventDefault()}>
    ${queue(context, view)} ${view.can.send ? composerBox(view, state) : blockedNotice(context, view)}
  </form>`;
}

/** Messages that wait for the end of the turn, in sending order. */
function queue({ actions }: Context, { conversation }: SessionView): TemplateResult | typeof nothing {
  const queued = conversation?.queued ?? [];
  if (queued.length === 0) return nothing;
  return html`<div class="queue">
    <span class="dim" id="queue-name">${t('Queued for the end of this turn')}</span>
    <ul aria-labelledby="queue-name">
      ${queued.map(
        ({ id, text }) =>
          html`<li>
            ${codicon('comment')}<span class="said" title=${plain(text)}>${visibleTemplate(firstWords(text))}</span>
            ${button({ label: t('Unsend'), title: t('Unsend and edit'), onClick: () => actions.takeBack(id) })}
          </li>`,
      )}
    </ul>
  </div>`;
}

function composerBox(view: SessionView, { draft, setDraft, send }: ComposerState): TemplateResult {
  const { summary } = view;
  const atWork = view.can.stop;
  const queues = atWork && !isJoined(view);
  const blank = draft.trim() === '';
  const mode = summary.permission_mode;
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const about = [summary.agent_label, summary.model ?? '', mode === null || isBypassMode(mode) ? '' : modeWord(mode)];
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
        ${
          atWork
            ? button({
                id: 'interrupt',
                label: t('Interrupt and Send'),
                title: t('Interrupts the current turn, then sends'),
                disabled: blank,
                onClick: () => send('interrupt'),
              })
            : nothing
        }
        <span class="left">${queues ? t('Ctrl+Enter queues') : t('Ctrl+Enter sends')}</span>
        ${button({
          id: 'send',
          label: queues ? t('Queue for the end of this turn') : t('Send'),
          icon: 'send',
          look: 'icon',
          disabled: blank,
          onClick: () => send(),
        })}
      </span>
    </div>
  </div>`;
}

function placeholder(view: SessionView): string {
  const { summary, can } = view;
  if (summary.recording) return t('Recording: send to play the next turn');
  if (isJoined(view)) return t('Message to the agent');
  return can.stop ? t('Queue a message for the end of this turn') : t('Resume this session');
}

function blockedNotice({ actions }: Context, { why, fix }: SessionView): TemplateResult {
  return html`<div class="box">
    <div class="blocked" id="why">
      ${codicon('info')}
      <span>
        ${why === null ? t('You cannot send messages now.') : plain(why)}
        ${fix === undefined ? nothing : html`<button class="link" @click=${() => actions.command(fix)}>${commandWord(fix)}</button>`}
      </span>
    </div>
  </div>`;
}
