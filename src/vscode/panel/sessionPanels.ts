import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { isKeepable } from '../observed/keepable.ts';
import { observedToKeep } from '../settings/settings.ts';
import type { Failures } from '../failures/failures.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { PageActions } from './pageActions.ts';
import { pageChunks, pageRoots, panelHtml } from './panelHtml.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import type { RevealTarget, SessionPanel } from './sessionPanel.ts';
import { titleOf } from '../sessions/sessionRow.ts';

const viewType = 'vitrine.session';
/** Maximum time to wait for a session's copy before opening it, in ms. */
const keepMs = 1000;

interface PanelDeps {
  readonly extension: vscode.Uri;
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly actions: PageActions;
  readonly failures: Failures;
  readonly log: vscode.LogOutputChannel;
}

/** At most one panel per session, restored after a window reload. */
export class SessionPanels implements vscode.Disposable {
  readonly #deps: PanelDeps;
  readonly #panels = new Map<string, vscode.WebviewPanel>();
  readonly #sessions = new Map<string, SessionPanel>();
  /** Panels that read stores of other programs. */
  readonly #observedPanels = new Set<string>();
  /** Where new pages scroll to when they are ready. */
  readonly #targets = new Map<string, RevealTarget>();
  readonly #onDidBecomeVisible = new vscode.EventEmitter<string>();
  /** Fires when a panel becomes visible. */
  readonly onDidBecomeVisible = this.#onDidBecomeVisible.event;
  readonly #disposables: vscode.Disposable[];

  constructor(deps: PanelDeps) {
    this.#deps = deps;
    this.#disposables = [
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (panel, state: unknown) => this.#restore(panel, state),
      }),
      deps.list.onDidChange(() => {
        this.#updateTitles();
        this.#renew();
      }),
    ];
  }

  /** Session of the active panel. */
  get active(): string | undefined {
    for (const [id, panel] of this.#panels) if (panel.active) return id;
    return undefined;
  }

  async open(id: string, column: vscode.ViewColumn = vscode.ViewColumn.Active): Promise<void> {
    const panel = this.#panels.get(id);
    if (panel !== undefined) {
      panel.reveal();
      return;
    }
    const title = this.#titleOf(id);
    await this.#fill(vscode.window.createWebviewPanel(viewType, title, column), id);
  }

  /** Asks for a prompt of the active panel to go to. */
  async pickPrompt(): Promise<void> {
    await this.#sessions.get(this.active ?? '')?.pickPrompt();
  }

  /** A message of the active panel with a footnote for every source. */
  async withSources(index: number): Promise<string | undefined> {
    return await this.#sessions.get(this.active ?? '')?.withSources(index);
  }

  isVisible(id: string): boolean {
    return this.#panels.get(id)?.visible === true;
  }

  /** Opens the session at an entry or at its pending request. */
  async reveal(id: string, to: RevealTarget): Promise<void> {
    this.#targets.set(id, to);
    await this.open(id);
    this.#revealTarget(id);
  }

  #revealTarget(id: string): void {
    const [session, to] = [this.#sessions.get(id), this.#targets.get(id)];
    if (session === undefined || to === undefined) return;
    this.#targets.delete(id);
    session.reveal(to);
  }

  close(id: string): void {
    this.#panels.get(id)?.dispose();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    this.#onDidBecomeVisible.dispose();
  }

  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = isObject(state) ? state['sessionId'] : undefined;
    if (typeof id !== 'string' || this.#panels.has(id)) panel.dispose();
    else await this.#fill(panel, id);
  }

  async #fill(panel: vscode.WebviewPanel, id: string): Promise<void> {
    const { extension, engines, list, actions, failures, log } = this.#deps;
    const media = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, 'media', name);
    panel.iconPath = { light: media('panel-light.svg'), dark: media('panel-dark.svg') };
    this.#panels.set(id, panel);
    const closed = (): boolean => this.#panels.get(id) !== panel;
    panel.onDidDispose(() => {
      if (closed()) return;
      this.#panels.delete(id);
      this.#sessions.delete(id);
      this.#observedPanels.delete(id);
      this.#targets.delete(id);
    });
    panel.onDidChangeViewState(() => {
      if (panel.visible) this.#onDidBecomeVisible.fire(id);
    });
    if (panel.visible) this.#onDidBecomeVisible.fire(id);
    try {
      const [{ SessionPanel }, engine, chunks] = await Promise.all([
        import('./sessionPanel.ts'),
        engines.get(),
        pageChunks(extension, 'main'),
      ]);
      await this.#keep(engine, id);
      const handle = await engine.open(id);
      if (closed()) {
        handle.dispose();
        return;
      }
      const session = new SessionPanel(panel, handle, actions, log, {
        sessions: () => list.all(),
        daysToDeletion: () => {
          const row = list.get(id);
          return row === undefined ? undefined : list.daysToDeletion(row);
        },
        checkResume: async () => {
          const { checkResume } = await import('../resume/checkResume.ts');
          return checkResume(engine, handle.summary());
        },
      });
      panel.onDidDispose(() => session.dispose());
      this.#sessions.set(id, session);
      if (handle.summary().observed !== undefined) this.#observedPanels.add(id);
      else {
        void engine.archive.checkCompleteness(id).then(
          (found) => session.showMissing(found),
          (error: unknown) => log.warn(logLine('record not checked', { session: id, error: String(error) })),
        );
      }
      this.#revealTarget(id);
      panel.title = titleOf(handle.summary());
      panel.webview.options = {
        enableScripts: true,
        enableForms: false,
        enableCommandUris: false,
        localResourceRoots: pageRoots(extension),
      };
      panel.webview.html = panelHtml(panel.webview, extension, 'main', chunks);
      log.debug(logLine('panel', { session: id, entries: handle.entryCount() }));
    } catch (error) {
      if (!closed()) panel.dispose();
      await failures.show(error, { session: id });
    }
  }

  /** Copies an opened session from another program into a record, if the setting says so. */
  async #keep(engine: WindowEngine, id: string): Promise<void> {
    const row = this.#deps.list.get(id);
    if (row === undefined || !isKeepable(row) || observedToKeep() === 'never') return;
    const { log } = this.#deps;
    const copied = engine.copySession(id).catch((error: unknown) => {
      log.warn(logLine('session not kept', { session: id, error: String(error) }));
    });
    // If copying takes long, the session is shown from its store meanwhile.
    await Promise.race([copied, delay(keepMs)]);
  }

  /** Switches panels between store and record when another program's session is copied or runs again. */
  #renew(): void {
    for (const [id, session] of this.#sessions) {
      const row = this.#deps.list.get(id);
      const panel = this.#panels.get(id);
      if (panel === undefined || row === undefined || this.#observedPanels.has(id) === (row.observed !== undefined))
        continue;
      this.#sessions.delete(id);
      this.#observedPanels.delete(id);
      session.dispose();
      void this.#fill(panel, id);
    }
  }

  #titleOf(id: string): string {
    const row = this.#deps.list.get(id);
    return row === undefined ? 'Vitrine' : titleOf(row);
  }

  #updateTitles(): void {
    for (const [id, panel] of this.#panels) {
      const row = this.#deps.list.get(id);
      if (row !== undefined && panel.title !== titleOf(row)) panel.title = titleOf(row);
    }
  }
}
