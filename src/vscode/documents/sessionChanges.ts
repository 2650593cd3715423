import path from 'node:path';
import * as vscode from 'vscode';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { normalPath } from '../../insight/citations/sources/pathNames.ts';
import type { SessionFile } from '../../insight/files/files.ts';
import { FileHistory } from '../../insight/files/history.ts';
import { changesOf, changeUri, fileUri } from './changeDocuments.ts';
import { inertText, visibleText } from '../text/inertText.ts';
import { titleOf } from '../sessions/sessionRow.ts';

const { t } = vscode.l10n;

/** Maximum number of files in one multi-diff editor, for the sake of VS Code's speed. */
const maxResources = 500;

/** File, text before, text after; `undefined` if the file did not exist. */
type Resource = readonly [file: vscode.Uri, before: vscode.Uri | undefined, after: vscode.Uri | undefined];

/** Shows the recorded edits of one file as one diff, or edit by edit if the record lacks the full text. */
export async function openFileChanges(
  handle: SessionHandle,
  files: readonly SessionFile[],
  name: string,
): Promise<void> {
  const file = files.find((sessionFile) => sessionFile.path === name && sessionFile.change !== 'read');
  if (file === undefined) return;
  const resources = await resourcesOf(handle, file);
  const [only] = resources;
  const title = t('{0} (as recorded)', visibleText(path.posix.basename(file.path)));
  if (resources.length === 1 && only?.[1] !== undefined && only[2] !== undefined) {
    await vscode.commands.executeCommand('vscode.diff', only[1], only[2], title, { preview: true });
  } else if (resources.length > 0) {
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  } else {
    void vscode.window.showInformationMessage(
      t('The record does not include the changes in {0}.', inertText(file.path)),
    );
  }
}

/** Shows the recorded edits of all files in one editor. */
export async function openAllChanges(handle: SessionHandle, files: readonly SessionFile[]): Promise<void> {
  const changed = files.filter(({ change }) => change !== 'read');
  const resources: Resource[] = [];
  for (const file of changed) {
    if (resources.length >= maxResources) break;
    resources.push(...(await resourcesOf(handle, file)));
  }
  if (resources.length === 0) {
    void vscode.window.showInformationMessage(t('The record does not include any file changes.'));
    return;
  }
  const shown = resources.slice(0, maxResources);
  await vscode.commands.executeCommand('vscode.changes', t('Changes in {0}', titleOf(handle.summary())), shown);
  if (resources.length > shown.length || changed.length > maxResources) {
    void vscode.window.showInformationMessage(t('Only the first {0} changes are shown.', shown.length));
  }
}

async function resourcesOf(handle: SessionHandle, file: SessionFile): Promise<Resource[]> {
  const folder = handle.summary().project_dir ?? '';
  const history = new FileHistory(file.path, folder);
  const separateResources: Resource[] = [];
  const at = vscode.Uri.file(path.resolve(folder === '' ? '/' : folder, file.path));
  for (const index of file.steps) {
    const [entry] = await handle.read(index, index + 1);
    if (entry === undefined) continue;
    history.add(entry);
    for (const [change, { path: of, oldText, newText, patch }] of changesOf(entry).entries()) {
      if (normalPath(of, folder) !== file.path) continue;
      if (oldText === undefined && newText === undefined && patch === undefined) continue;
      const place = { session: handle.id, index, change };
      separateResources.push([at, changeUri({ ...place, side: 'old' }, of), changeUri({ ...place, side: 'new' }, of)]);
    }
  }
  const { before, after } = history;
  const [from, to] = [file.steps[0], file.steps.at(-1)];
  if (before === undefined || after === undefined || from === undefined || to === undefined) return separateResources;
  // Created and deleted again.
  if (before === null && after === null) return separateResources;
  const place = { session: handle.id, from, to, file: file.path };
  return [
    [
      at,
      before === null ? undefined : fileUri({ ...place, side: 'before' }),
      after === null ? undefined : fileUri({ ...place, side: 'after' }),
    ],
  ];
}
