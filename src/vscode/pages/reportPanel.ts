import * as vscode from 'vscode';
import { logLine } from '../../engine/log/logLine.ts';
import { reportMarkdown } from '../../formats/pages/reportMarkdown.ts';
import { Channel } from '../../protocol/channel.ts';
import {
  parseFromReportPage,
  type FromReportPage,
  type ReportKey,
  type ToReportPage,
} from '../../protocol/pages/reportMessages.ts';
import type { Failures } from '../failures/failures.ts';
import { ReportActions, type BuiltReport, type ReportKind } from './reportKind.ts';

const { t } = vscode.l10n;
/** Minimum interval of progress messages in ms, because each contains the previous report. */
const progressIntervalMs = 200;

interface Deps {
  readonly failures: Failures;
  readonly log: vscode.LogOutputChannel;
}

type State = { readonly [K in ToReportPage['type']]: Omit<Extract<ToReportPage, { type: K }>, keyof CommonFields> };
type CommonFields = Pick<ToReportPage, 'key' | 'title' | 'l10n' | 'locale'>;

/** One report page. Rebuilds the report on request, and drops cancelled results. */
export class ReportPanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #kind: ReportKind;
  readonly #key: ReportKey;
  readonly #deps: Deps;
  readonly #channel: Channel<ToReportPage, FromReportPage>;
  readonly #subscription: vscode.Disposable;
  #state: State[keyof State];
  #builtReport: BuiltReport | undefined;
  #actions = new ReportActions('');
  /** Actions of the previous report, which the page may still show. */
  #previousActions = new ReportActions('');
  #buildCount = 0;
  #activeBuild: AbortController | undefined;
  #watch: { dispose(): void } | undefined;
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, kind: ReportKind, key: ReportKey, deps: Deps) {
    this.#panel = panel;
    this.#kind = kind;
    this.#key = key;
    this.#deps = deps;
    this.#state = { type: 'working', text: '', share: null, report: null };
    this.#channel = new Channel<ToReportPage, FromReportPage>({
      post: (envelope) => void panel.webview.postMessage(envelope),
      deliver: (message) => void this.#handleMessage(message),
    });
    this.#subscription = panel.webview.onDidReceiveMessage((data: unknown) => {
      const envelope = parseFromReportPage(data);
      if (envelope === undefined) deps.log.warn(logLine('report message refused'));
      else this.#channel.receive(envelope);
    });
  }

  /**
   * Resolves with the new report; `undefined` if it failed, was cancelled or restarted, or the page is closed. `quiet`:
   * shows no progress.
   */
  async refresh(quiet = false): Promise<BuiltReport | undefined> {
    if (this.#isClosed) return undefined;
    this.#activeBuild?.abort();
    this.#watch?.dispose();
    this.#watch = undefined;
    const running = new AbortController();
    this.#activeBuild = running;
    const { signal } = running;
    const actions = new ReportActions(String(++this.#buildCount));
    let reported = 0;
    const progress = (text: string, share?: number): void => {
      const now = Date.now();
      if (quiet || signal.aborted || now - reported < progressIntervalMs) return;
      reported = now;
      this.#show({ type: 'working', text, share: share ?? null, report: this.#builtReport?.report ?? null });
    };
    progress(t('Working…'));
    try {
      const built = await Promise.race([
        this.#kind.build(this.#key.argument, { signal, actions, progress }),
        whenAborted(signal),
      ]);
      if (built === undefined || signal.aborted) return undefined;
      [this.#previousActions, this.#actions] = [this.#actions, actions];
      this.#builtReport = built;
      this.#panel.title = built.report.title;
      this.#show({ type: 'report', report: built.report });
      this.#watch = built.watch?.(() => void this.refresh(true));
      return built;
    } catch (error) {
      if (signal.aborted) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      this.#deps.log.error(logLine('report failed', { kind: this.#key.kind, error: message }));
      this.#show({ type: 'failed', message });
      return undefined;
    } finally {
      if (this.#activeBuild === running) this.#activeBuild = undefined;
    }
  }

  dispose(): void {
    this.#isClosed = true;
    this.#activeBuild?.abort();
    this.#watch?.dispose();
    this.#subscription.dispose();
  }

  async #handleMessage(message: FromReportPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#show(this.#state);
        return;
      case 'refresh':
        await this.refresh();
        return;
      case 'cancel':
        this.#cancel();
        return;
      case 'copyMarkdown':
        if (this.#builtReport !== undefined)
          await vscode.env.clipboard.writeText(reportMarkdown(this.#builtReport.report));
        vscode.window.setStatusBarMessage(t('Copied as Markdown'), 3000);
        return;
      case 'act':
        return this.#runAction(message.id);
    }
  }

  async #runAction(id: string): Promise<void> {
    try {
      if ((await (this.#actions.find(id) ?? this.#previousActions.find(id))?.()) === 'refresh') await this.refresh();
    } catch (error) {
      await this.#deps.failures.show(error);
    }
  }

  #cancel(): void {
    if (this.#activeBuild === undefined) return;
    this.#activeBuild.abort();
    this.#activeBuild = undefined;
    this.#show(
      this.#builtReport === undefined ? { type: 'cancelled' } : { type: 'report', report: this.#builtReport.report },
    );
  }

  #show(state: State[keyof State]): void {
    this.#state = state;
    const { bundle = {} } = vscode.l10n;
    this.#channel.restart();
    this.#channel.send({
      ...state,
      key: this.#key,
      title: this.#kind.title,
      l10n: bundle,
      locale: vscode.env.language,
    });
  }
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}
