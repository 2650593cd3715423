import * as vscode from 'vscode';

/** Read-only documents of one scheme. Each is rebuilt when it is shown or restored. */
export class ReadOnlyPages implements vscode.Disposable {
  readonly #write: (uri: vscode.Uri) => Promise<string>;
  readonly #shownTexts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(scheme: string, write: (uri: vscode.Uri) => Promise<string>) {
    this.#write = write;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: async (uri) => this.#shownTexts.get(uri.toString()) ?? this.#write(uri),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#shownTexts.delete(uri.toString())),
    ];
  }

  /** Resolves when the page has its current content. */
  async show(uri: vscode.Uri): Promise<void> {
    await vscode.window.showTextDocument(await this.#openFresh(uri), { preview: true });
  }

  dispose(): void {
    this.#changed.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #openFresh(uri: vscode.Uri): Promise<vscode.TextDocument> {
    const text = await this.#write(uri);
    this.#shownTexts.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() !== text) {
      const drawn = new Promise<void>((resolve) => {
        const subscription = vscode.workspace.onDidChangeTextDocument((change) => {
          if (change.document !== document) return;
          subscription.dispose();
          resolve();
        });
      });
      this.#changed.fire(uri);
      await drawn;
    }
    return document;
  }
}
