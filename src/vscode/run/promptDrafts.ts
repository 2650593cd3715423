import * as vscode from 'vscode';
import type { RunRequest } from './runRequest.ts';

const { t } = vscode.l10n;

interface Draft {
  readonly requests: readonly RunRequest[];
  /** Agents and options in one line. */
  readonly line: string;
}

/** Prompts in editors, each with the runs that it will start. */
export class PromptDrafts implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #drafts = new Map<string, Draft>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor() {
    this.#disposables = [
      vscode.languages.registerCodeLensProvider({ scheme: 'untitled', language: 'markdown' }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#drafts.delete(uri.toString());
        this.#notify();
      }),
    ];
  }

  /** Opens an editor with the prompt of `requests`. */
  async open(draft: Draft): Promise<void> {
    const content = draft.requests[0]?.prompt ?? '';
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    this.#drafts.set(document.uri.toString(), draft);
    this.#notify();
    await vscode.window.showTextDocument(document);
  }

  /** Closes the active draft editor and returns its runs; `undefined` if there is nothing to run. */
  async takeRequests(): Promise<readonly RunRequest[] | undefined> {
    const document = vscode.window.activeTextEditor?.document;
    const draft = document === undefined ? undefined : this.#drafts.get(document.uri.toString());
    if (document === undefined || draft === undefined) {
      void vscode.window.showInformationMessage(
        t('This editor contains no prompt. To open one, choose “Write Prompt in an Editor…” in Run Agent.'),
      );
      return undefined;
    }
    const prompt = document.getText();
    if (prompt.trim() === '') {
      void vscode.window.showInformationMessage(t('The prompt is empty.'));
      return undefined;
    }
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    return draft.requests.map((request) => ({ ...request, prompt }));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const draft = this.#drafts.get(document.uri.toString());
    if (draft === undefined) return [];
    const command = { title: `$(play) ${t('Run This Prompt ({0})', draft.line)}`, command: 'vitrine.runPrompt' };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #notify(): void {
    void vscode.commands.executeCommand('setContext', 'vitrine.prompts', [...this.#drafts.keys()]);
  }
}
