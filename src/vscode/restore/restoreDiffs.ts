import path from 'node:path';
import * as vscode from 'vscode';
import type { RestoreChange, RestorePreview } from '../../model/files/restore.ts';
import { visibleText } from '../text/inertText.ts';
import { restoredUri } from './restoreDocuments.ts';

const { t } = vscode.l10n;

/** Files in one editor. */
const maxFiles = 300;

function diffUris(session: string, { folder }: RestorePreview, change: RestoreChange) {
  const { path: file, before, after } = change;
  return {
    now: before === undefined ? undefined : vscode.Uri.file(path.join(folder, file)),
    restored: after === undefined ? undefined : restoredUri(session, folder, file, after),
  };
}

/** A file as it is, against what a restore makes of it. Leaves the focus where it is. */
export async function openRestoreDiff(session: string, preview: RestorePreview, change: RestoreChange): Promise<void> {
  const { now, restored } = diffUris(session, preview, change);
  const options = { preview: true, preserveFocus: true };
  const name = visibleText(path.basename(change.path));
  if (now !== undefined && restored !== undefined) {
    await vscode.commands.executeCommand('vscode.diff', now, restored, t('{0} (now ↔ restored)', name), options);
    return;
  }
  const only = now ?? restored;
  if (only !== undefined) await vscode.commands.executeCommand('vscode.open', only, options);
}

/** All files in one editor. */
export async function openRestoreDiffs(session: string, preview: RestorePreview, title: string): Promise<void> {
  const resources = preview.changes.slice(0, maxFiles).map((change) => {
    const { now, restored } = diffUris(session, preview, change);
    return [vscode.Uri.file(path.join(preview.folder, change.path)), now, restored];
  });
  await vscode.commands.executeCommand('vscode.changes', title, resources);
  // The editor takes the focus from the list.
  await vscode.commands.executeCommand('workbench.action.focusQuickOpen');
  if (preview.changes.length > maxFiles)
    void vscode.window.showInformationMessage(t('Only the first {0} changes are shown.', maxFiles));
}
