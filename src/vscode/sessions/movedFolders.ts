import * as vscode from 'vscode';
import type { MovedSessions } from '../../engine/folders/moved.ts';
import { logLine } from '../../engine/log/logLine.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { inertText } from '../text/inertText.ts';
import type { SessionList } from './sessionList.ts';
import type { SessionLoader } from './sessionLoader.ts';

const { t } = vscode.l10n;
const key = 'movedFolders.declined';
/** Maximum number of declined folders to remember; the oldest are asked about again. */
const maxDeclined = 100;

interface MovedFoldersDeps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly loader: SessionLoader;
  /** State of this workspace. */
  readonly state: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** Relinks sessions whose folder was renamed, moved or removed when its new location is opened. */
export class MovedFolders implements vscode.Disposable {
  readonly #deps: MovedFoldersDeps;
  readonly #disposables: readonly vscode.Disposable[];
  #hasBegun = false;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: MovedFoldersDeps) {
    this.#deps = deps;
    this.#disposables = [
      deps.list.onDidChange(() => {
        if (this.#hasBegun || !deps.list.isComplete) return;
        this.#hasBegun = true;
        this.#enqueueRelink();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (this.#hasBegun) this.#enqueueRelink();
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #enqueueRelink(): void {
    this.#last = this.#last.then(async () => {
      try {
        await this.#relink();
      } catch (error) {
        this.#deps.log.error(logLine('looking for moved folders failed', { error: String(error) }));
      }
    });
  }

  async #relink(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const engine = await this.#deps.engines.get();
    for (const moved of folders.length === 0 ? [] : await engine.archive.findMovedSessions(folders)) {
      if (moved.isCertain) await this.#follow(moved);
      else void this.#ask(moved);
    }
  }

  async #follow({ from, to, isCertain, ids }: MovedSessions): Promise<void> {
    const engine = await this.#deps.engines.get();
    // Running sessions are relinked next time.
    const done = await Promise.allSettled(ids.map((id) => engine.relink(id, to, isCertain ? 'identity' : 'user')));
    const count = done.filter(({ status }) => status === 'fulfilled').length;
    if (count === 0) return;
    await this.#deps.loader.refresh();
    const [was, is] = [inertText(from), inertText(to)];
    const text =
      count === 1
        ? t('Folder {0} was moved to {1}. Its session is in the list again.', was, is)
        : t('Folder {0} was moved to {1}. Its {2} sessions are in the list again.', was, is, count);
    void vscode.window.showInformationMessage(text);
  }

  /** Another clone may contain other work, so the user decides. */
  async #ask(moved: MovedSessions): Promise<void> {
    const { state } = this.#deps;
    const declined = state.get<readonly string[]>(key, []);
    if (declined.includes(moved.from)) return;
    const count = moved.ids.length;
    const from = inertText(moved.from);
    const text =
      count === 1
        ? t('1 session ran in another clone of this repository, {0}, which no longer exists.', from)
        : t('{0} sessions ran in another clone of this repository, {1}, which no longer exists.', count, from);
    const yes = t('Relink');
    const no = t('Ignore');
    const choice = await vscode.window.showInformationMessage(text, yes, no);
    if (choice === yes) await this.#follow(moved);
    else if (choice === no) await state.update(key, [...declined, moved.from].slice(-maxDeclined));
  }
}
