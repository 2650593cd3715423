import { html, render, type TemplateResult } from 'lit/html.js';
import type { Report } from '../../src/model/pages/report.ts';
import { Channel, isEnvelope } from '../../src/protocol/channel.ts';
import type { FromReportPage, ReportKey, ToReportPage } from '../../src/protocol/pages/reportMessages.ts';
import { setLanguage, t } from '../l10n.ts';
import { isObject } from '../text/objects.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { post, saveReport, savedReport } from '../host/vscodeApi.ts';
import { reportView, type ReportHandlers } from './view.ts';
import { nextSort, type Sort } from './sorting.ts';

/** Draws the last state from the host. Its own state is only the reader's sorting and opened sections. */
export class ReportApp {
  readonly #root: HTMLElement;
  readonly #channel: Channel<FromReportPage, unknown>;
  readonly #sorts = new Map<string, Sort>();
  readonly #openSections = new Set<string>();
  #last: ToReportPage | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    const { sorts, opened } = savedReport();
    for (const [table, sort] of sorts) this.#sorts.set(table, sort);
    for (const section of opened) this.#openSections.add(section);
    this.#channel = new Channel<FromReportPage, unknown>({
      post,
      startsGeneration: isMessage,
      deliver: (message) => isMessage(message) && this.#handleMessage(message),
    });
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isEnvelope(data)) this.#channel.receive(data);
    });
    this.#channel.send({ type: 'ready' });
  }

  #handleMessage(message: ToReportPage): void {
    this.#last = message;
    setLanguage(message.l10n, message.locale);
    this.#save(message.key);
    this.#draw();
  }

  #save(key: ReportKey): void {
    saveReport({ key, sorts: [...this.#sorts], opened: [...this.#openSections] });
  }

  #draw(): void {
    const message = this.#last;
    if (message === undefined) return;
    render(html`<main>${this.#renderMessage(message)}</main>`, this.#root);
  }

  #renderMessage(message: ToReportPage): TemplateResult {
    switch (message.type) {
      case 'report':
        return html`${this.#renderReport(message.report, false)}`;
      case 'working':
        return html`${this.#renderProgress(message.text, message.share)}
        ${message.report === null ? html`<h1>${visibleTemplate(message.title)}</h1>` : this.#renderReport(message.report, true)}`;
      case 'failed':
        return this.#renderNotice(message.title, 'alert', t('Could not create this page: {0}', plain(message.message)));
      case 'cancelled':
        return this.#renderNotice(message.title, 'status', t('Cancelled.'));
    }
  }

  #renderProgress(text: string, share: number | null): TemplateResult {
    return html`<div class="working" role="status">
      <span>${plain(text)}</span>
      ${share === null ? html`<progress aria-label=${t('Progress')}></progress>` : html`<progress aria-label=${t('Progress')} max="1" .value=${share}></progress>`}
      <button class="act" @click=${() => this.#channel.send({ type: 'cancel' })}>${t('Cancel')}</button>
    </div>`;
  }

  #renderNotice(title: string, role: 'alert' | 'status', text: string): TemplateResult {
    return html`<h1>${visibleTemplate(title)}</h1>
      <p role=${role}>${text}</p>
      <div class="acts">
        <button class="act" @click=${() => this.#channel.send({ type: 'refresh' })}>${t('Try Again')}</button>
      </div>`;
  }

  #renderReport(report: Report, isBusy: boolean): TemplateResult {
    const handlers: ReportHandlers = {
      act: (id) => this.#channel.send({ type: 'act', id }),
      refresh: () => this.#channel.send({ type: 'refresh' }),
      copyMarkdown: () => this.#channel.send({ type: 'copyMarkdown' }),
      sort: (table, column, numeric) => this.#sort(table, column, numeric),
      toggle: (section, open) => this.#toggle(section, open),
    };
    return reportView(report, { isBusy, sorts: this.#sorts, openedTitles: this.#openSections, handlers: handlers });
  }

  #sort(table: string, column: number, numeric: boolean): void {
    const next = nextSort(this.#sorts.get(table), column, numeric);
    if (next === undefined) this.#sorts.delete(table);
    else this.#sorts.set(table, next);
    if (this.#last !== undefined) this.#save(this.#last.key);
    this.#draw();
  }

  #toggle(section: string, open: boolean): void {
    if (open) this.#openSections.add(section);
    else this.#openSections.delete(section);
    if (this.#last !== undefined) this.#save(this.#last.key);
  }
}

/** The host has the same build, so checking the type of a message is enough. */
function isMessage(value: unknown): value is ToReportPage {
  return isObject(value) && ['report', 'working', 'failed', 'cancelled'].includes(String(value['type']));
}
