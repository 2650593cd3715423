import path from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../../../model/text/json.ts';
import { localDay } from '../../../engine/usage/localDay.ts';
import { inertText } from '../../text/inertText.ts';
import { markdownOf } from '../../pages/markdownOf.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { countsObserved } from '../../settings/settings.ts';
import { pickSession } from '../pick.ts';

const { t } = vscode.l10n;

const periodNames = ['today', 'month', 'lastMonth', 'all'] as const;
type PeriodName = (typeof periodNames)[number];

interface Item extends vscode.QuickPickItem {
  readonly name: PeriodName;
}

/** Shows and exports usage. */
export function usageCommands(shell: CommandContext): Commands {
  return {
    async showCost(argument) {
      const id = await pickSession(shell, argument, { title: t('Cost Report') });
      return id === undefined ? undefined : markdownOf(await shell.reports.show('cost', id));
    },

    /** Callers may pass `{period, file}`. */
    async exportUsage(argument) {
      const fields = isObject(argument) ? argument : {};
      const name = periodNames.find((periodName) => periodName === fields['period']) ?? (await askForPeriod());
      if (name === undefined) return;
      const file = typeof fields['file'] === 'string' ? vscode.Uri.file(fields['file']) : await askForFile(name);
      if (file === undefined) return;
      const title = t('Vitrine: exporting usage…');
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () =>
        (await shell.engines.get()).archive.usageToFile(periodOf(name, new Date()), file.fsPath, {
          observed: countsObserved(),
        }),
      );
      void showSaved(file);
    },
  };
}

function nameText(name: PeriodName): string {
  switch (name) {
    case 'today':
      return t('Today');
    case 'month':
      return t('This month');
    case 'lastMonth':
      return t('Last month');
    case 'all':
      return t('Everything');
  }
}

async function askForPeriod(): Promise<PeriodName | undefined> {
  const items = periodNames.map((name): Item => ({ label: nameText(name), name }));
  const placeHolder = countsObserved()
    ? t('Runs of all sessions, counted when they ended, and sessions from other programs')
    : t('Runs of all sessions, counted when they ended');
  return (await vscode.window.showQuickPick(items, { title: t('Export Usage as CSV'), placeHolder }))?.name;
}

function askForFile(name: PeriodName): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.window.showSaveDialog({
    title: t('Export Usage as CSV'),
    saveLabel: t('Export'),
    defaultUri: vscode.Uri.file(path.join(folder, `${fileName(name, new Date())}.csv`)),
    filters: { CSV: ['csv'] },
  });
}

/** Such as `usage 2026-11`. */
function fileName(name: PeriodName, now: Date): string {
  switch (name) {
    case 'today':
      return `usage ${localDay(now.getTime())}`;
    case 'month':
      return `usage ${localDay(now.getTime()).slice(0, 7)}`;
    case 'lastMonth':
      return `usage ${localDay(new Date(now.getFullYear(), now.getMonth() - 1, 1).getTime()).slice(0, 7)}`;
    case 'all':
      return 'usage';
  }
}

/** Start and end of a period, in local time. */
function periodOf(name: PeriodName, now: Date): { readonly from: number | null; readonly to: number | null } {
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const day = (at: Date): number => at.getTime();
  switch (name) {
    case 'today':
      return { from: day(new Date(year, month, now.getDate())), to: null };
    case 'month':
      return { from: day(new Date(year, month, 1)), to: null };
    case 'lastMonth':
      return { from: day(new Date(year, month - 1, 1)), to: day(new Date(year, month, 1)) };
    case 'all':
      return { from: null, to: null };
  }
}

async function showSaved(file: vscode.Uri): Promise<void> {
  const open = t('Open');
  const name = inertText(path.basename(file.fsPath));
  const chosen = await vscode.window.showInformationMessage(t('Saved {0}.', name), open);
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', file);
}
