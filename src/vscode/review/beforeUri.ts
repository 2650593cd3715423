import * as vscode from 'vscode';

/** Texts before a session's changes, in diff editors. */
export const beforeScheme = 'vitrine-before';

/** Keeps the path's ending, so that the editor colours the text as what it is. */
export function beforeUri(file: string, query: Record<string, string>): vscode.Uri {
  const params = new URLSearchParams(query);
  return vscode.Uri.from({ scheme: beforeScheme, path: `/${file.replace(/^\/+/, '')}`, query: params.toString() });
}
