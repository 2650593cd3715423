import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import type { PageCommand } from '../src/protocol/panel/messages.ts';
import { codicon } from './controls.ts';
import { t } from './l10n.ts';
import { commandWord } from './text/commandWords.ts';
import { panelId } from './views/tabs.ts';

/** Parts of the page that are drawn separately. */
export interface Shell {
  readonly main: HTMLElement;
  readonly header: HTMLElement;
  readonly notice: HTMLElement;
  readonly find: HTMLElement;
  readonly scroller: HTMLElement;
  readonly rows: HTMLElement;
  readonly strip: HTMLElement;
  /** A view that covers the transcript. */
  readonly view: HTMLElement;
  readonly bar: HTMLElement;
  readonly composer: HTMLElement;
  readonly polite: HTMLElement;
  readonly alert: HTMLElement;
}

/** Builds the page's permanent frame. */
export function buildShell(root: HTMLElement): Shell {
  render(frame(), root);
  const part = (name: keyof Shell): HTMLElement => {
    const found = root.querySelector(`[data-part=${name}]`);
    if (!(found instanceof HTMLElement)) throw new Error(`The page's frame has no part "${name}".`);
    return found;
  };
  return {
    main: part('main'),
    header: part('header'),
    notice: part('notice'),
    find: part('find'),
    scroller: part('scroller'),
    rows: part('rows'),
    strip: part('strip'),
    view: part('view'),
    bar: part('bar'),
    composer: part('composer'),
    polite: part('polite'),
    alert: part('alert'),
  };
}

function frame(): TemplateResult {
  return html`<main class="panel" data-part="main" aria-label=${t('Vitrine session')} aria-busy="true">
    <div class="pi">
      <div data-part="header"></div>
      <div data-part="notice"></div>
      <div class="views">
        <div data-part="find"></div>
        <div
          class="scroll"
          data-part="scroller"
          tabindex="-1"
          role="tabpanel"
          id=${panelId('transcript')}
          aria-label=${t('Transcript')}
        >
          <div data-part="rows"></div>
        </div>
        <div class="strip" data-part="strip" aria-hidden="true"></div>
        <div class="view" data-part="view" role="tabpanel" id=${panelId('trajectory')} hidden></div>
        <div data-part="bar"></div>
      </div>
      <div data-part="composer"></div>
    </div>
    <div class="sr" data-part="polite" role="status" aria-live="polite"></div>
    <div class="sr" data-part="alert" role="alert"></div>
  </main>`;
}

/** Shown until the session is loaded. */
export function loading(): TemplateResult {
  return html`<div class="progress" role="progressbar" aria-label=${t('Reading session…')}><i></i></div>
    <h1 class="loadl">${t('Reading session…')}</h1>`;
}

/** Shown if the session has no rows. */
export function renderEmpty(live: boolean): TemplateResult {
  return html`<div class="empty">
    <div class="in">
      <h2>${live ? t('Waiting for the agent') : t('Nothing was recorded')}</h2>
      <p>
        ${
          live
            ? t('Output appears here as the agent runs.')
            : t('This session has no entries. Send a message to resume it.')
        }
      </p>
    </div>
  </div>`;
}

export interface Notice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
  /** The button in it. */
  readonly fix?: PageCommand;
}

/** `act` runs the command of a notice's button. */
export function notices(all: readonly Notice[], act?: (command: PageCommand) => void): TemplateResult {
  return html`${all.map(
    ({ severity, text, fix }) =>
      html`<div class="notice" data-severity=${severity} role=${severity === 'error' ? 'alert' : nothing}>
        ${codicon(severity)}<span>${text}</span>${
          fix === undefined || act === undefined
            ? nothing
            : html`<button class="link" @click=${() => act(fix)}>${commandWord(fix)}</button>`
        }
      </div>`,
  )}`;
}
