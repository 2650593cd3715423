import * as vscode from 'vscode';
import { isSessionLive } from '../../model/session/status.ts';
import { needsYou, titleOf } from '../sessions/sessionRow.ts';
import type { Commands, CommandContext } from './commandContext.ts';
import { sessionOfArgument, pickSession } from './pick.ts';

const { t } = vscode.l10n;

/** Opens, renames, hides and deletes sessions. Starts no program. */
export function sessionCommands(shell: CommandContext): Commands {
  const name = (id: string): string => {
    const row = shell.list.get(id);
    return row === undefined ? id : titleOf(row);
  };

  const setHidden = async (id: string, hidden: boolean): Promise<void> => {
    await (await shell.engines.get()).setHidden(id, hidden);
    await shell.loader.refresh();
  };

  return {
    async openSession(argument) {
      const id = await pickSession(shell, argument, { title: t('Open Session'), usePanel: false, withShared: true });
      if (id !== undefined) await shell.panels.open(id);
    },

    async reviewRequest(argument) {
      const waiting = shell.list.waiting();
      const [only] = waiting.length === 1 ? waiting : [];
      const id =
        sessionOfArgument(argument) ??
        only?.session_id ??
        (await pickSession(shell, undefined, {
          title: t('Review Request'),
          usePanel: false,
          filter: (row) => needsYou(row) !== undefined,
        }));
      if (id !== undefined) await shell.panels.reveal(id, 'review');
    },

    async renameSession(argument, title) {
      const id = await pickSession(shell, argument, { title: t('Rename Session') });
      if (id === undefined) return;
      const chosen =
        typeof title === 'string'
          ? title
          : await vscode.window.showInputBox({ title: t('Rename Session'), value: name(id), ignoreFocusOut: true });
      if (chosen === undefined || chosen.trim() === '') return;
      await (await shell.engines.get()).rename(id, chosen.trim());
    },

    async copySessionId(argument) {
      const id = await pickSession(shell, argument, { title: t('Copy Session ID') });
      if (id === undefined) return;
      await vscode.env.clipboard.writeText(id);
      vscode.window.setStatusBarMessage(t('Copied {0}', id), 3000);
    },

    async deleteSession(argument) {
      const id = await pickSession(shell, argument, {
        title: t('Delete Session'),
        filter: (row) => !isSessionLive(row.status),
      });
      if (id === undefined) return;
      const hidden = shell.list.get(id)?.hidden === true;
      const [hide, remove] = [hidden ? t('Unhide') : t('Hide from List'), t('Delete Files…')];
      const chosen = await vscode.window.showInformationMessage(
        hidden
          ? t('Show “{0}” in the list again, or delete its record?', name(id))
          : t('Hide “{0}” from the list, or delete its record?', name(id)),
        { modal: true, detail: t('Hidden sessions stay on disk. You can unhide them at any time.') },
        hide,
        remove,
      );
      if (chosen === hide) await setHidden(id, !hidden);
      if (chosen === remove) await removeForGood(shell, id, name(id));
    },

    async unhideSession(argument) {
      const id = await pickSession(shell, argument, { title: t('Unhide'), filter: (row) => row.hidden === true });
      if (id !== undefined) await setHidden(id, false);
    },
  };
}

async function removeForGood(shell: CommandContext, id: string, title: string): Promise<void> {
  const engine = await shell.engines.get();
  const confirm = t('Delete Permanently');
  const chosen = await vscode.window.showWarningMessage(
    t('Permanently delete the record of “{0}”?', title),
    { modal: true, detail: t('This cannot be undone. Record: {0}', engine.recordPath(id)) },
    confirm,
  );
  if (chosen !== confirm) return;
  shell.panels.close(id);
  await engine.remove(id);
  shell.list.remove(id);
}
