import * as vscode from 'vscode';
import type { QueueView, QueueViewDeps } from './queueView.ts';

/** Delay in ms after activation, so that the window starts first. */
const firstLookMs = 3000;

interface QueueHostDeps extends QueueViewDeps {
  readonly store: vscode.Uri;
}

/** The view Queue and Runners, loaded when the store has a queue or a team. */
export class QueueHost implements vscode.Disposable {
  readonly #deps: QueueHostDeps;
  readonly #watcher: vscode.FileSystemWatcher;
  readonly #timer: NodeJS.Timeout;
  #view: Promise<QueueView> | undefined;

  constructor(deps: QueueHostDeps) {
    this.#deps = deps;
    const folders = new vscode.RelativePattern(deps.store, '{coordinator,team}');
    this.#watcher = vscode.workspace.createFileSystemWatcher(folders);
    this.#watcher.onDidCreate(() => void this.view());
    this.#timer = setTimeout(() => void this.#createViewIfUsed(), firstLookMs);
  }

  view(): Promise<QueueView> {
    this.#view ??= import('./queueView.ts').then(({ QueueView }) => new QueueView(this.#deps));
    return this.#view;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watcher.dispose();
    void this.#view?.then((view) => view.dispose());
  }

  async #createViewIfUsed(): Promise<void> {
    const found = await vscode.workspace.fs.readDirectory(this.#deps.store).then(
      (files) => files.map(([name]) => name),
      (): string[] => [],
    );
    const isInTeam = found.includes('team');
    // Show the view without asking the daemon, which this must not start.
    if (isInTeam) void vscode.commands.executeCommand('setContext', 'vitrine.queue', true);
    if (isInTeam || found.includes('coordinator')) await this.view();
  }
}
