import * as vscode from 'vscode';
import type { Share } from '../../model/session/share.ts';
import { teamShare } from '../settings/settings.ts';
import { inertText } from '../text/inertText.ts';
import { shareDetail } from './teamText.ts';

const { t } = vscode.l10n;

/** Asks what the team sees of sessions in a folder of this window, and writes the setting. */
export async function pickFolderShare(): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void vscode.window.showInformationMessage(t('Open a folder to choose what the team sees of its sessions.'));
    return;
  }
  const folder = folders.length === 1 ? folders[0] : await vscode.window.showWorkspaceFolderPick();
  if (folder === undefined) return;
  const current = teamShare(folder.uri);
  const share = await pickShare(t('Share Sessions in {0}', inertText(folder.name)), current);
  if (share === undefined || share === current) return;
  const target = vscode.ConfigurationTarget.WorkspaceFolder;
  await vscode.workspace.getConfiguration('vitrine', folder.uri).update('team.share', share, target);
}

/** `current` is marked, if it is known. */
export async function pickShare(title: string, current?: Share): Promise<Share | undefined> {
  const items = (['nothing', 'metadata', 'records'] as const).map((share) => ({
    label: shareName(share),
    detail: shareDetail(share),
    ...(share === current && { description: t('Current') }),
    share,
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.share;
}

function shareName(share: Share): string {
  if (share === 'nothing') return t('Nothing');
  return share === 'metadata' ? t('Metadata') : t('Records');
}
