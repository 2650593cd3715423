import path from 'node:path';
import * as vscode from 'vscode';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { linkReader } from '../../engine/folders/sessionFolders.ts';
import { decideFileAccess, isReachedLocally, type FileSystemView } from '../../text/fileAccess.ts';
import { changesOf, changeUri, type RecordedChange } from './changeDocuments.ts';
import { inertText, visibleText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Opens a web address after the user has confirmed it. Refuses other schemes. */
export async function openLink(url: string): Promise<void> {
  const target = vscode.Uri.parse(url, true);
  if (target.scheme !== 'http' && target.scheme !== 'https') return;
  const open = t('Open');
  const detail = `${visibleText(url)}\n\n${t('The link comes from a session, not from Vitrine.')}`;
  const chosen = await vscode.window.showInformationMessage(
    t('Open this link on {0}?', visibleText(target.authority)),
    { modal: true, detail },
    open,
  );
  if (chosen === open) await vscode.env.openExternal(target);
}

/**
 * Opens an existing file. A file outside the workspace is not accessed until the user confirms. `base`: folder
 * for relative paths. Lines are 1-based and inclusive: two select a range, one places the cursor.
 */
export async function openFile(base: string | undefined, name: string, line?: number, endLine?: number): Promise<void> {
  const path = await confirmedPath(base, name);
  if (path === undefined) return;
  const uri = vscode.Uri.file(path);
  if (!(await isFile(uri))) {
    void vscode.window.showWarningMessage(t('{0} does not exist.', inertText(uri.fsPath)));
    return;
  }
  const selection =
    line === undefined
      ? undefined
      : endLine === undefined
        ? new vscode.Range(line - 1, 0, line - 1, 0)
        : new vscode.Range(line - 1, 0, Math.max(line, endLine) - 1, Number.MAX_SAFE_INTEGER);
  await vscode.commands.executeCommand('vscode.open', uri, { selection, preview: true });
}

/** Absolute path, if it is safe and, outside the workspace, confirmed by the user. */
async function confirmedPath(base: string | undefined, name: string): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const system: FileSystemView = {
    ...linkReader,
    isWindows: process.platform === 'win32',
    folders: folders.map(({ uri }) => uri.fsPath),
  };
  const access = await decideFileAccess(base ?? system.folders[0], name, system);
  if (access.kind === 'open') return access.path;
  if (access.kind === 'ask') {
    const { path: requested, target } = access;
    if (!(await confirmOutside(target === undefined ? requested : `${requested} → ${target}`))) return undefined;
    if (await isReachedLocally(requested, system)) return requested;
  }
  void vscode.window.showWarningMessage(
    t('Vitrine does not open paths on other hosts or devices: {0}', inertText(name)),
  );
  return undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

async function confirmOutside(file: string): Promise<boolean> {
  const open = t('Open');
  const chosen = await vscode.window.showWarningMessage(
    t('This file is outside the workspace. Open it?'),
    { modal: true, detail: visibleText(file) },
    open,
  );
  return chosen === open;
}

/** Shows the recorded change of the tool call at `index`; the file may have changed since. */
export async function openChange(handle: SessionHandle, index: number): Promise<void> {
  const [entry] = await handle.read(index, index + 1);
  const changes = entry === undefined ? [] : changesOf(entry);
  const at = changes.length > 1 ? await pickChange(changes) : 0;
  const change = at === undefined ? undefined : changes[at];
  if (at === undefined || change === undefined) return;
  const uri = (side: 'old' | 'new' | 'patch'): vscode.Uri =>
    changeUri({ session: handle.id, index, change: at, side }, change.path);
  if (change.oldText === undefined && change.newText === undefined) {
    await vscode.commands.executeCommand('vscode.open', uri('patch'), { preview: true });
    return;
  }
  const title = t('{0} (as recorded)', visibleText(path.basename(change.path)));
  await vscode.commands.executeCommand('vscode.diff', uri('old'), uri('new'), title, { preview: true });
}

async function pickChange(changes: readonly RecordedChange[]): Promise<number | undefined> {
  const items = changes.map((change, index) => ({
    label: inertText(path.basename(change.path)),
    description: inertText(change.path),
    index,
  }));
  return (await vscode.window.showQuickPick(items, { title: t('Select a Change') }))?.index;
}
