import * as vscode from 'vscode';
import type { ReportKey } from '../../protocol/pages/reportMessages.ts';
import type { Failures } from '../failures/failures.ts';
import { pageRoots, panelHtml } from '../panel/panelHtml.ts';
import type { BuiltReport, ReportKind } from './reportKind.ts';
import type { ReportPanel } from './reportPanel.ts';

const viewType = 'vitrine.report';

interface Deps<Kind extends string> {
  readonly extension: vscode.Uri;
  readonly kinds: Readonly<Record<Kind, ReportKind>>;
  readonly failures: Failures;
  readonly log: vscode.LogOutputChannel;
}

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  /** `undefined` if the page was closed before it was created. */
  readonly page: Promise<ReportPanel | undefined>;
}

/** Reports as editors, one per kind and argument, restored after a window reload. */
export class ReportPages<Kind extends string> implements vscode.Disposable {
  readonly #deps: Deps<Kind>;
  readonly #open = new Map<string, OpenPage>();
  readonly #serializer: vscode.Disposable;

  constructor(deps: Deps<Kind>) {
    this.#deps = deps;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(viewType, {
      deserializeWebviewPanel: (panel, state: unknown) => this.#restore(panel, state),
    });
  }

  /** Rebuilds the report and reveals it. Resolves when the page shows it. */
  async show(kind: Kind, argument = ''): Promise<BuiltReport | undefined> {
    const key = { kind, argument };
    const open = this.#open.get(nameOf(key));
    if (open !== undefined) {
      open.panel.reveal();
      return (await open.page)?.refresh();
    }
    const { title } = this.#deps.kinds[kind];
    const options = { enableFindWidget: true };
    const panel = vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, options);
    return (await this.#fill(panel, this.#deps.kinds[kind], key))?.refresh();
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }

  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { savedReportKey } = await import('../../protocol/pages/reportMessages.ts');
    const key = savedReportKey(state);
    const kind =
      key === undefined ? undefined : Object.entries<ReportKind>(this.#deps.kinds).find(([name]) => name === key.kind);
    if (key === undefined || kind === undefined || this.#open.has(nameOf(key))) panel.dispose();
    else await (await this.#fill(panel, kind[1], key))?.refresh();
  }

  #fill(panel: vscode.WebviewPanel, kind: ReportKind, key: ReportKey): Promise<ReportPanel | undefined> {
    const { extension, failures, log } = this.#deps;
    const { webview } = panel;
    const media = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, 'media', name);
    panel.iconPath = { light: media('panel-light.svg'), dark: media('panel-dark.svg') };
    webview.options = {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
      localResourceRoots: pageRoots(extension),
    };
    const page = import('./reportPanel.ts').then(({ ReportPanel }) => {
      if (this.#open.get(nameOf(key)) !== open) return undefined;
      const report = new ReportPanel(panel, kind, key, { failures, log });
      panel.onDidDispose(() => report.dispose());
      webview.html = panelHtml(webview, extension, 'report');
      return report;
    });
    const open: OpenPage = { panel, page };
    this.#open.set(nameOf(key), open);
    panel.onDidDispose(() => {
      if (this.#open.get(nameOf(key)) === open) this.#open.delete(nameOf(key));
    });
    return page;
  }
}

const nameOf = ({ kind, argument }: ReportKey): string => `${kind} ${argument}`;
