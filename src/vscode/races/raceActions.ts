import path from 'node:path';
import * as vscode from 'vscode';
import type { Race } from '../../model/race/race.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { inertText, visibleText } from '../text/inertText.ts';
import { raceUri } from './raceDocuments.ts';

const { t } = vscode.l10n;

/** Maximum number of files in one multi-diff editor, for the sake of VS Code's speed. */
const maxResources = 500;
const maxLost = 20;

/** Merges a result into the user's files. Returns the changed files; `undefined`: nothing was done. @throws EngineFailure */
export async function applyResult(
  { races }: WindowEngine,
  id: string,
  lane: string,
): Promise<readonly string[] | undefined> {
  const { race } = await races.get(id);
  if (!isSaved(race)) return undefined;
  const { files } = await races.apply(race, lane, 'patch');
  const undo = t('Undo');
  const message =
    files.length === 0 ? t('Your files already have this result.') : t('Changed files: {0}', files.length);
  void vscode.window.showInformationMessage(message, ...(files.length === 0 ? [] : [undo])).then(async (chosen) => {
    if (chosen === undo) await vscode.commands.executeCommand('vitrine.undoRace', id);
  });
  return files;
}

/** Undoes the newest patch. Returns the restored files; `undefined`: nothing was done. @throws EngineFailure */
export async function undoApply({ races }: WindowEngine, id: string): Promise<readonly string[] | undefined> {
  const { race } = await races.get(id);
  if (!isSaved(race)) return undefined;
  const files = await races.undo(race);
  vscode.window.setStatusBarMessage(t('Restored files: {0}', files.length), 5000);
  return files;
}

/** Returns the name of the branch. @throws EngineFailure */
export async function branchOfResult({ races }: WindowEngine, id: string, lane: string): Promise<string | undefined> {
  const { race } = await races.get(id);
  const { branch } = await races.apply(race, lane, 'branch');
  const copy = t('Copy Name');
  const message = t('Created the branch {0}.', inertText(branch ?? ''));
  void vscode.window.showInformationMessage(message, copy).then(async (chosen) => {
    if (chosen === copy) await vscode.env.clipboard.writeText(branch ?? '');
  });
  return branch;
}

/** Removes worktrees and branches. Asks if that loses work. Returns whether they were removed. @throws EngineFailure */
export async function cleanUp({ races }: WindowEngine, id: string): Promise<boolean> {
  const { race } = await races.get(id);
  const { removed, losses } = await races.clean(race, false);
  if (removed) return true;
  const remove = t('Delete This Work');
  const chosen = await vscode.window.showWarningMessage(
    t('This work exists only in the worktrees of the race. Delete it?'),
    { modal: true, detail: lossText(losses) },
    remove,
  );
  return chosen === remove && (await races.clean(race, true)).removed;
}

/** Shows what a result changed since the start, all files in one editor. @throws EngineFailure */
export async function showChanges({ races }: WindowEngine, id: string, lane: string): Promise<void> {
  const { race } = await races.get(id);
  const { worktree } = race.lanes.find(({ name }) => name === lane) ?? {};
  const files = (await races.compare(race)).results.find(({ name }) => name === lane)?.files ?? [];
  if (worktree === undefined || files.length === 0) {
    void vscode.window.showInformationMessage(t('This result did not change any files.'));
    return;
  }
  const at = Date.now();
  const resources = files
    .slice(0, maxResources)
    .map(({ path: file, change }) => [
      vscode.Uri.file(path.join(worktree, file)),
      change === 'added' ? undefined : raceUri({ race: id, lane, side: 'start', at, file }),
      change === 'deleted' ? undefined : raceUri({ race: id, lane, side: 'result', at, file }),
    ]);
  await vscode.commands.executeCommand('vscode.changes', t('Changes in {0}', lane), resources);
  if (files.length > resources.length)
    void vscode.window.showInformationMessage(t('Only the first {0} changes are shown.', resources.length));
}

/** A patch is written to the disk, where it would conflict with an editor that is not saved. */
function isSaved({ repository }: Race): boolean {
  const unsaved = vscode.workspace.textDocuments.filter(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && isInside(uri.fsPath, repository),
  );
  if (unsaved.length === 0) return true;
  const names = unsaved.map(({ uri }) => path.basename(uri.fsPath)).join(', ');
  void vscode.window.showWarningMessage(t('Save or revert these files first: {0}', inertText(names)));
  return false;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function lossText(losses: ResultOf<'cleanRace'>['losses']): string {
  return losses
    .map(({ lane, files }) => {
      if (files === null) return t('{0}: unknown changes', lane);
      const unlisted = files.length - maxLost;
      const names = files.slice(0, maxLost).map((file) => visibleText(file));
      return [`${lane}:`, ...names, ...(unlisted > 0 ? [t('and {0} more', unlisted)] : [])].join('\n');
    })
    .join('\n\n');
}
