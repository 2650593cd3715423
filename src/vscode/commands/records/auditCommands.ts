import path from 'node:path';
import * as vscode from 'vscode';
import type { Period } from '../../../engine/audit/auditSessions.ts';
import { auditFormats, type AuditFormat } from '../../../formats/audit/formats.ts';
import { isObject } from '../../../model/text/json.ts';
import { localDay } from '../../../engine/usage/localDay.ts';
import { inertText } from '../../text/inertText.ts';
import { titleOf } from '../../sessions/sessionRow.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument } from '../pick.ts';

const { t } = vscode.l10n;

const extensions: Readonly<Record<AuditFormat, string>> = { csv: 'csv', markdown: 'md', jsonl: 'jsonl' };

interface Item extends vscode.QuickPickItem {
  readonly of: string | Period;
}

/** Exports audit logs: runs, files, commands and decisions. */
export function auditCommands(shell: CommandContext): Commands {
  return {
    /** Callers may pass a session and `{file}`; the file's extension selects the format. */
    async exportAudit(argument, how) {
      const id = sessionOfArgument(argument);
      const of = id ?? (await askForSessions(shell));
      if (of === undefined) return;
      const file = isObject(how) && typeof how['file'] === 'string' ? vscode.Uri.file(how['file']) : await askForFile();
      if (file === undefined) return;
      const format = auditFormats.find((auditFormat) => file.path.endsWith(`.${extensions[auditFormat]}`)) ?? 'csv';
      const title = t('Vitrine: exporting audit…');
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () =>
        (await shell.engines.get()).archive.auditToFile(of, format, file.fsPath),
      );
      void showSaved(file);
    },
  };
}

async function askForSessions(shell: CommandContext): Promise<string | Period | undefined> {
  const now = new Date();
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const from = (date: Date): Period => ({ from: date.getTime(), to: now.getTime() });
  const active = shell.panels.active;
  const row = active === undefined ? undefined : shell.list.get(active);
  const items: Item[] = [
    ...(row === undefined
      ? []
      : [{ label: t('This session'), description: inertText(titleOf(row)), of: row.session_id }]),
    { label: t('Today'), of: from(new Date(year, month, now.getDate())) },
    { label: t('This month'), of: from(new Date(year, month, 1)) },
    { label: t('Last month'), of: { from: +new Date(year, month - 1, 1), to: +new Date(year, month, 1) } },
    { label: t('Everything'), of: { from: -Infinity, to: now.getTime() } },
  ];
  const placeHolder = t('Select sessions to include in the audit');
  return (await vscode.window.showQuickPick(items, { title: t('Export Audit'), placeHolder }))?.of;
}

function askForFile(): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.window.showSaveDialog({
    title: t('Export Audit'),
    saveLabel: t('Export'),
    defaultUri: vscode.Uri.file(path.join(folder, `audit ${localDay(Date.now())}.csv`)),
    filters: { CSV: ['csv'], Markdown: ['md'], JSONL: ['jsonl'] },
  });
}

async function showSaved(file: vscode.Uri): Promise<void> {
  const open = t('Open');
  const name = inertText(path.basename(file.fsPath));
  const chosen = await vscode.window.showInformationMessage(t('Saved {0}. Secrets were masked.', name), open);
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', file);
}
