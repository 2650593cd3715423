import { html, render } from 'lit/html.js';
import { Channel, isEnvelope } from '../../src/protocol/channel.ts';
import type { FromUsagePage, ToUsagePage, UsagePage } from '../../src/protocol/pages/usageMessages.ts';
import { setLanguage, t } from '../l10n.ts';
import { isObject } from '../text/objects.ts';
import { plain } from '../text/visible.ts';
import { post } from '../host/vscodeApi.ts';
import { usagePage } from './page.ts';

/** The usage view: draws the last message of the host, and requests the next. */
export class UsageApp {
  readonly #root: HTMLElement;
  readonly #channel: Channel<FromUsagePage, unknown>;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#channel = new Channel<FromUsagePage, unknown>({
      post,
      // Each message has the complete view.
      startsGeneration: isMessage,
      deliver: (message) => isMessage(message) && this.#handleMessage(message),
    });
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isEnvelope(data)) this.#channel.receive(data);
    });
    render(html`<p class="none" role="status">${t('Calculating totals…')}</p>`, root);
    this.#channel.send({ type: 'ready' });
  }

  #handleMessage(message: ToUsagePage): void {
    if (message.type === 'failed') {
      render(
        html`<p class="none" role="alert">${t('Could not compute totals: {0}', plain(message.message))}</p>`,
        this.#root,
      );
      return;
    }
    setLanguage(message.l10n, message.locale);
    this.#draw(message.page);
  }

  #draw(page: UsagePage): void {
    const show = (month: string, scope: UsagePage['scope']): void => {
      this.#channel.send({ type: 'show', month, scope });
    };
    render(usagePage(page, { show, exportCsv: () => this.#channel.send({ type: 'export' }) }), this.#root);
  }
}

/** The host has our version, so only the type of a message is checked. */
function isMessage(value: unknown): value is ToUsagePage {
  return isObject(value) && (value['type'] === 'usage' || value['type'] === 'failed');
}
