import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PageCommand, SessionView } from '../../../src/protocol/panel/messages.ts';
import { button } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { commandWord } from '../../text/commandWords.ts';
import type { Context } from '../context.ts';

export interface MenuState {
  readonly isMenuOpen: boolean;
  readonly setMenuOpen: (open: boolean) => void;
}

interface Item {
  readonly command: PageCommand;
  readonly key?: string;
  readonly isSeparate?: boolean;
}

const items: readonly Item[] = [
  { command: 'rename', key: 'F2' },
  { command: 'fork' },
  { command: 'keep' },
  { command: 'changeOptions' },
  { command: 'copySessionId' },
  { command: 'copyLink' },
  { command: 'copyMarkdown' },
  { command: 'copyResumeCommand' },
  { command: 'revealRecord' },
  { command: 'showRawOutput' },
  { command: 'verify' },
  { command: 'showCapabilities' },
  { command: 'export' },
  { command: 'delete', isSeparate: true },
];

/** Actions for a session without a record. */
const observed: readonly PageCommand[] = ['fork', 'keep', 'copySessionId', 'copyLink', 'copyResumeCommand'];

function itemsOf({ summary, can }: SessionView): readonly Item[] {
  const isEnded = summary.observed?.live.state === 'ended';
  return items.filter(({ command }) => {
    if (command === 'fork') return can.fork === true;
    if (command === 'keep') return isEnded;
    return summary.observed === undefined || observed.includes(command);
  });
}

export function menuButton(context: Context, { isMenuOpen, setMenuOpen }: MenuState): TemplateResult {
  return html`<span class="menu-at">
    ${button({
      id: 'more',
      label: t('More actions'),
      icon: 'ellipsis',
      look: 'icon',
      opensMenu: true,
      expanded: isMenuOpen,
      onClick: () => setMenuOpen(!isMenuOpen),
    })}
    ${isMenuOpen ? menu(context, setMenuOpen) : nothing}
  </span>`;
}

function menu({ actions, store }: Context, setMenuOpen: (open: boolean) => void): TemplateResult {
  const choose = ({ command }: Item): void => {
    setMenuOpen(false);
    actions.command(command);
  };
  return html`<div
    class="menu"
    role="menu"
    aria-label=${t('More actions')}
    @keydown=${(event: KeyboardEvent) => move(event, setMenuOpen)}
  >
    ${(store.view === undefined ? [] : itemsOf(store.view)).map(
      (item) =>
        html`${item.isSeparate === true ? html`<hr role="separator" />` : nothing}
          <button role="menuitem" tabindex="-1" @click=${() => choose(item)}>
            ${commandWord(item.command)}${item.key === undefined ? nothing : html`<span>${item.key}</span>`}
          </button>`,
    )}
  </div>`;
}

function move(event: KeyboardEvent, setMenuOpen: (open: boolean) => void): void {
  const { currentTarget, key } = event;
  if (!(currentTarget instanceof HTMLElement)) return;
  const all = [...currentTarget.querySelectorAll('button')];
  const at = all.findIndex((element) => element === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[key];
  if (to !== undefined) {
    all.at(to % all.length)?.focus();
    event.preventDefault();
    event.stopPropagation();
  } else if (key === 'Tab') {
    setMenuOpen(false);
  }
}
