import path from 'node:path';
import * as vscode from 'vscode';
import { sessionFolders } from '../../../engine/folders/sessionFolders.ts';
import { isObject } from '../../../model/text/json.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import { inertText } from '../../text/inertText.ts';
import { isHere } from '../../sessions/sessionList.ts';
import { markdownOf } from '../../pages/markdownOf.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;

/** Relinks sessions whose folder was renamed or moved. */
export function relinkCommands(shell: CommandContext): Commands {
  return {
    sessionLost: () => shell.reports.show('doctor').then(markdownOf),

    /** Callers may pass `{from, to}`. */
    async relinkSessions(argument) {
      await shell.loader.load();
      const fields = isObject(argument) ? argument : {};
      const from = typeof fields['from'] === 'string' ? fields['from'] : await askForOldFolder(shell);
      if (from === undefined) return 0;
      const to = typeof fields['to'] === 'string' ? fields['to'] : await askForNewFolder(from);
      if (to === undefined || to === from) return 0;
      const engine = await shell.engines.get();
      let count = 0;
      for (const row of shell.list.all()) {
        const folder = relativePath(row.project_dir, from);
        if (folder === undefined || isSessionLive(row.status)) continue;
        await engine.relink(row.session_id, path.join(to, folder));
        count += 1;
      }
      await shell.loader.refresh();
      const text =
        count === 1 ? t('1 session now belongs to {0}.', to) : t('{0} sessions now belong to {1}.', count, to);
      void vscode.window.showInformationMessage(inertText(text));
      return count;
    },
  };
}

/** Path of `folder` relative to `from`, '' if they are equal; `undefined` if it is outside. */
function relativePath(folder: string | undefined, from: string): string | undefined {
  if (folder === undefined) return undefined;
  const rest = path.relative(from, folder);
  return rest === '..' || rest.startsWith(`..${path.sep}`) || path.isAbsolute(rest) ? undefined : rest;
}

async function askForOldFolder({ list }: CommandContext): Promise<string | undefined> {
  const items = (await sessionFolders(list.all())).flatMap(({ folder, sessions, isMissing }) => {
    if (folder === null || (isHere({ project_dir: folder }) && !isMissing)) return [];
    const count = sessions.length === 1 ? t('1 session') : t('{0} sessions', sessions.length);
    const description = isMissing ? t('{0}, missing folder', count) : count;
    return [{ label: inertText(folder), description, folder }];
  });
  if (items.length === 0) {
    void vscode.window.showInformationMessage(t('Every session belongs to a folder in this window.'));
    return undefined;
  }
  const options = { title: t('Relink Sessions'), placeHolder: t('Previous folder of the sessions') };
  return (await vscode.window.showQuickPick(items, options))?.folder;
}

async function askForNewFolder(from: string): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({
    label: inertText(name),
    description: inertText(uri.fsPath),
    folder: uri.fsPath,
  }));
  const other = { label: t('Other Folder…'), description: '', folder: undefined };
  const placeHolder = t('Current location of {0}', inertText(from));
  const chosen = await vscode.window.showQuickPick([...folders, other], { title: t('Relink Sessions'), placeHolder });
  if (chosen === undefined || chosen.folder !== undefined) return chosen?.folder;
  const picked = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true });
  return picked?.[0]?.fsPath;
}
