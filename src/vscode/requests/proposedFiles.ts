import * as vscode from 'vscode';

/** Scheme of texts that the user can edit before an agent writes them. Saving keeps them in memory, not in a file. */
export const proposedScheme = 'vitrine-proposed';

interface ProposedFile {
  readonly bytes: Uint8Array;
  readonly mtime: number;
}

/** Files in memory, by their URI. */
export class ProposedFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, ProposedFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  put(uri: vscode.Uri, text: string): void {
    this.writeFile(uri, new TextEncoder().encode(text));
  }

  drop(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#requireFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#requireFile(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.#files.set(uri.toString(), { bytes, mtime: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(uri: vscode.Uri): void {
    this.drop(uri);
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  #requireFile(uri: vscode.Uri): ProposedFile {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
