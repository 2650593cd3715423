import * as vscode from 'vscode';
import type { SessionList } from './sessionList.ts';
import type { SessionLoader } from './sessionLoader.ts';

/** Milliseconds between two looks at what other processes run. */
const pause = 2000;
/** What this window runs tells of itself; what has said nothing for this long may be another's. */
const silence = 3000;
/** A session's folder is made before its record is. */
const settle = 300;

/** Keeps the list up with sessions that other windows and terminals start, run and remove. */
export class OtherProcesses implements vscode.Disposable {
  readonly #list: SessionList;
  readonly #loader: SessionLoader;
  readonly #disposables: readonly vscode.Disposable[];
  #soon: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(store: vscode.Uri, list: SessionList, loader: SessionLoader) {
    this.#list = list;
    this.#loader = loader;
    const sessions = vscode.Uri.joinPath(store, 'sessions');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(sessions, '*'));
    const news = (uri: vscode.Uri): void => this.#heard(uri);
    this.#disposables = [
      watcher,
      watcher.onDidCreate(news),
      watcher.onDidDelete(news),
      list.onDidChange(() => this.#wind()),
    ];
  }

  /** Something is known to have happened: looks at the store in a moment. */
  lookSoon(): void {
    if (!this.#list.complete) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#loader.refresh();
    }, settle);
  }

  dispose(): void {
    clearTimeout(this.#soon);
    clearInterval(this.#clock);
    for (const each of this.#disposables) each.dispose();
  }

  #heard(folder: vscode.Uri): void {
    const id = folder.path.slice(folder.path.lastIndexOf('/') + 1);
    if (!this.#list.isTold(id, silence)) this.lookSoon();
  }

  /** The clock ticks only while something runs. */
  #wind(): void {
    const wanted = this.#list.complete && this.#list.live().length > 0;
    if (wanted) this.#clock ??= setInterval(() => this.#look(), pause);
    else {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
  }

  #look(): void {
    if (this.#list.live().some(({ session_id: id }) => !this.#list.isTold(id, silence))) this.lookSoon();
  }
}
