import path from 'node:path';
import * as vscode from 'vscode';

/** Bytes of a file that is held against what a session had of it. */
const longestFile = 4 * 1024 * 1024;

/** A file as it is now. */
export interface FileNow {
  /** `null` where there is none. */
  readonly text: string | null;
  /** Epoch milliseconds of its last change. */
  readonly changedAt: number | null;
}

/** Files of a session's folder; others are none of its business. */
export class ProjectFiles {
  readonly #root: () => string | undefined;

  /** `root`: absolute path of the session's folder, where there is one. */
  constructor(root: () => string | undefined) {
    this.#root = root;
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#stat(name)) !== undefined;
  }

  /** `undefined` for what lies outside, is no file, or is too long to be read. */
  async now(name: string): Promise<FileNow | undefined> {
    const uri = this.#uri(name);
    if (uri === undefined) return undefined;
    const stat = await this.#stat(name);
    if (stat === undefined) return { text: null, changedAt: null };
    if (stat.size > longestFile) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return { text, changedAt: stat.mtime };
  }

  #uri(name: string): vscode.Uri | undefined {
    const root = this.#root();
    if (root === undefined) return undefined;
    const full = path.resolve(root, name);
    const inside = path.relative(root, full);
    return inside === '' || inside.startsWith('..') || path.isAbsolute(inside) ? undefined : vscode.Uri.file(full);
  }

  async #stat(name: string): Promise<vscode.FileStat | undefined> {
    const uri = this.#uri(name);
    if (uri === undefined) return undefined;
    try {
      const stat = await vscode.workspace.fs.stat(uri);
      return (stat.type & vscode.FileType.File) === 0 ? undefined : stat;
    } catch {
      return undefined;
    }
  }
}
