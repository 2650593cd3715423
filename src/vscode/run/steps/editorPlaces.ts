import path from 'node:path';
import * as vscode from 'vscode';
import type { RunDefaults } from '../askForRun.ts';
import { excerpt } from './excerpt.ts';

const { t } = vscode.l10n;

const maxFiles = 20;

/** Path relative to the workspace folder; `undefined` outside the workspace. */
export function findInFolder(uri: vscode.Uri): { readonly folder: vscode.Uri; readonly path: string } | undefined {
  const folder = uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri)?.uri : undefined;
  if (folder === undefined) return undefined;
  return { folder, path: path.relative(folder.fsPath, uri.fsPath).split(path.sep).join('/') || '.' };
}

export function warnOutsideWorkspace(): void {
  void vscode.window.showInformationMessage(
    t('Agents work only with files in this workspace. Open a file from one of its folders.'),
  );
}

/** Selection of the active editor, or the line of the cursor. */
export function selectionInEditor(): RunDefaults | undefined {
  const editor = vscode.window.activeTextEditor;
  const place = editor === undefined ? undefined : findInFolder(editor.document.uri);
  if (editor === undefined || place === undefined) {
    warnOutsideWorkspace();
    return undefined;
  }
  const { document, selection } = editor;
  // A selection that ends at column 0 does not include that line.
  const last = selection.end.character === 0 && !selection.isSingleLine ? selection.end.line - 1 : selection.end.line;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  const code = { text: document.getText(range), language: document.languageId };
  const lines = { from: selection.start.line + 1, to: last + 1 };
  return { folder: place.folder, excerpts: [excerpt({ path: place.path, ...lines }, code)] };
}

/** Files of one folder: from a menu, else the active editor's file. */
export function filesFromArguments(first: unknown, all: unknown): RunDefaults | undefined {
  const args: unknown[] = Array.isArray(all) ? all.concat([first]) : [first];
  const named = args.filter((arg) => arg instanceof vscode.Uri);
  const active = vscode.window.activeTextEditor?.document.uri;
  const uris = named.length > 0 ? named : active === undefined ? [] : [active];
  const places = uris.flatMap((uri) => findInFolder(uri) ?? []);
  const folder = places[0]?.folder;
  const paths = places.filter((place) => place.folder.toString() === folder?.toString()).map((place) => place.path);
  if (folder === undefined) {
    warnOutsideWorkspace();
    return undefined;
  }
  return { folder, excerpts: [...new Set(paths)].slice(0, maxFiles).map((file) => excerpt({ path: file })) };
}
