import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import { logLine } from '../../engine/log/logLine.ts';

/** Long enough for editors that save in several steps. */
const settleMs = 200;
const pattern = '.vitrine/agents/**';
/** Includes the folders, because watchers may miss files in a folder that was just created. */
const watched = `{.vitrine,.vitrine/agents,${pattern}}`;

/** Agent files of the workspace and the user, reread when one of them changes. */
export class AgentCatalogue implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<readonly Blueprint[]>();
  readonly #disposables: readonly { dispose(): unknown }[];
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChange = this.#changed.event;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
    const home = new vscode.RelativePattern(vscode.Uri.file(homedir()), watched);
    const watchers = [`**/${watched}`, home].map((glob) => vscode.workspace.createFileSystemWatcher(glob));
    const soon = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.refresh(), settleMs);
    };
    this.#disposables = [
      this.#changed,
      ...watchers,
      ...watchers.flatMap((watcher) => [
        watcher.onDidChange(soon),
        watcher.onDidCreate(soon),
        watcher.onDidDelete(soon),
      ]),
      vscode.workspace.onDidChangeWorkspaceFolders(soon),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.path.includes('/.vitrine/agents/')) soon();
      }),
    ];
    void this.#notifyIfAny();
  }

  /** Agent files of `folder`, or of the whole workspace, and of the user. */
  async load(folder?: string): Promise<readonly Blueprint[]> {
    const { blueprintsFolder, loadBlueprints } = await import('../../engine/blueprints/load.ts');
    const folders = folder === undefined ? this.#workspaceFolders() : [folder];
    return loadBlueprints([
      ...folders.map((workspaceFolder) => ({
        folder: path.join(workspaceFolder, blueprintsFolder),
        level: 'workspace' as const,
      })),
      { folder: path.join(homedir(), blueprintsFolder), level: 'user' },
    ]);
  }

  /** Rereads all files and notifies listeners, for cases without a watcher. */
  async refresh(): Promise<void> {
    try {
      const found = await this.load();
      this.#log.debug(logLine('agents read', { agents: found.length }));
      this.#changed.fire(found);
    } catch (error) {
      this.#log.error(logLine('agents unreadable', { error: String(error) }));
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #workspaceFolders(): readonly string[] {
    return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  }

  /** Without agent files, their reader is not loaded. */
  async #notifyIfAny(): Promise<void> {
    const [found] = await vscode.workspace.findFiles(pattern, undefined, 1);
    const ofUser = await namesIn(path.join(homedir(), '.vitrine/agents'));
    if (found !== undefined || ofUser.length > 0) await this.refresh();
  }
}

/** Empty if the folder does not exist. */
function namesIn(folder: string): Thenable<readonly unknown[]> {
  return vscode.workspace.fs.readDirectory(vscode.Uri.file(folder)).then(
    (entries) => entries,
    () => [],
  );
}
