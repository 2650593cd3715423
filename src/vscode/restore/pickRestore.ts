import * as vscode from 'vscode';
import type { RestoreChange, RestorePreview, RestoreSkip } from '../../model/files/restore.ts';
import { inertText } from '../text/inertText.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

/** Files in the list. */
const maxFiles = 1000;

/** All diffs, or the diff of one file; the list stays open. */
export type RestoreChoice = 'diffs' | RestoreChange;

interface Item extends vscode.QuickPickItem {
  readonly choice?: 'restore' | RestoreChoice;
}

/**
 * Lists what a restore changes. `look` opens diffs while the list stays. Resolves with `undo` if the user rather undoes
 * the last restore, and with `undefined` if the user cancelled.
 */
export async function pickRestore(
  preview: RestorePreview,
  { title, isUndo }: { readonly title: string; readonly isUndo: boolean },
  look: (choice: RestoreChoice) => void,
): Promise<'restore' | 'undo' | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = title;
  pick.placeholder = t('Select a file to see its changes');
  // Diffs open behind the list.
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.items = itemsOf(preview);
  if (!isUndo) pick.buttons = [{ iconPath: new vscode.ThemeIcon('history'), tooltip: t('Undo the Last Restore…') }];
  return new Promise<'restore' | 'undo' | undefined>((resolve) => {
    pick.onDidTriggerButton(() => {
      resolve('undo');
      pick.hide();
    });
    pick.onDidAccept(() => {
      const choice = pick.selectedItems[0]?.choice;
      if (choice === undefined) return;
      if (choice !== 'restore') {
        look(choice);
        return;
      }
      resolve('restore');
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  }).finally(() => pick.dispose());
}

function itemsOf({ changes, skipped, at }: RestorePreview): Item[] {
  const time = dateTime(at);
  const heading = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    {
      label: `$(discard) ${changes.length === 1 ? t('Restore 1 File') : t('Restore {0} Files', changes.length)}`,
      description: time,
      detail: t('Vitrine saves the current files first. You can undo the restore.'),
      choice: 'restore',
    },
    { label: `$(diff-multiple) ${t('Show All Changes')}`, choice: 'diffs' },
    heading(t('Files that will change')),
    ...changes.slice(0, maxFiles).map(itemOf),
    ...(skipped.length === 0 ? [] : [heading(t('Files that will not change'))]),
    ...skipped.slice(0, maxFiles).map(skippedItem),
  ];
}

function itemOf(change: RestoreChange): Item {
  const { path, kind, mode } = change;
  const icon = { changed: 'diff-modified', created: 'diff-added', deleted: 'diff-removed' }[kind];
  const words = { changed: t('changes'), created: t('is created'), deleted: t('is deleted') };
  return {
    label: `$(${icon}) ${inertText(path)}`,
    description: mode === true ? t('permissions change') : words[kind],
    choice: change,
  };
}

function skippedItem({ path, why }: RestoreSkip): Item {
  const reasons = {
    ignored: t('was ignored by git at that time, so it may have existed'),
    tooLarge: t('is too large to copy'),
    notReadable: t('cannot be read'),
    inTheWay: t('an ignored file with this name exists'),
  };
  return { label: `$(circle-slash) ${inertText(path)}`, description: reasons[why] };
}
