import * as vscode from 'vscode';

/** Texts before a session's changes, in diff editors. */
export const beforeScheme = 'vitrine-before';

/** With the path of the file, so that VS Code sees no renamed one, and colors the text as what it is. */
export function beforeUri(file: string, query: Record<string, string>): vscode.Uri {
  const params = new URLSearchParams(query);
  return vscode.Uri.from({ scheme: beforeScheme, path: vscode.Uri.file(file).path, query: params.toString() });
}
