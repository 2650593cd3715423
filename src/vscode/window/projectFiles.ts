import path from 'node:path';
import * as vscode from 'vscode';
import type { FileNow } from '../../pages/session/fileNow.ts';

/** Maximum bytes of a file to compare. */
const longestFile = 4 * 1024 * 1024;

/** Reads files of a session's folder, and no others. */
export class ProjectFiles {
  readonly #root: () => string | undefined;

  /** `root`: absolute path of the session's folder, if it has one. */
  constructor(root: () => string | undefined) {
    this.#root = root;
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#statFile(name)) !== undefined;
  }

  /** `undefined` if the file is outside the folder, not a file, or too large. */
  async readNow(name: string): Promise<FileNow | undefined> {
    const uri = this.#uriOf(name);
    if (uri === undefined) return undefined;
    const stat = await this.#statFile(name);
    if (stat === undefined) return { text: null, changedAt: null };
    if (stat.size > longestFile) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return { text, changedAt: stat.mtime };
  }

  #uriOf(name: string): vscode.Uri | undefined {
    const root = this.#root();
    if (root === undefined) return undefined;
    const full = path.resolve(root, name);
    const inside = path.relative(root, full);
    return inside === '' || inside.startsWith('..') || path.isAbsolute(inside) ? undefined : vscode.Uri.file(full);
  }

  async #statFile(name: string): Promise<vscode.FileStat | undefined> {
    const uri = this.#uriOf(name);
    if (uri === undefined) return undefined;
    try {
      const stat = await vscode.workspace.fs.stat(uri);
      return (stat.type & vscode.FileType.File) === 0 ? undefined : stat;
    } catch {
      return undefined;
    }
  }
}
