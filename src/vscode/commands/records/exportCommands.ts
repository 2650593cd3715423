import path from 'node:path';
import * as vscode from 'vscode';
import type { ExportReport } from '../../../engine/archive/exportSession.ts';
import { exportFormats, type ExportFormat } from '../../../formats/export/formats.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { inertText } from '../../text/inertText.ts';
import { titleOf } from '../../sessions/sessionRow.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';

const { t } = vscode.l10n;

interface ExportChoice {
  readonly format: ExportFormat;
  readonly redact: boolean;
  readonly children: boolean;
}

interface Item extends vscode.QuickPickItem {
  readonly format: ExportFormat;
  readonly children: boolean;
}

/** Exports sessions. */
export function exportCommands(shell: CommandContext): Commands {
  return {
    /** Callers may pass `{format, file}`; secrets are then masked. */
    async exportSession(argument, how) {
      const id = await pickSession(shell, argument, { title: t('Export Session') });
      if (id === undefined) return;
      const parsed = isObject(how) ? parseChoice(how) : undefined;
      const hasChildren = shell.list.visible().some((row) => row.parent_session_id === id);
      const choice = parsed ?? (await askForFormat(hasChildren));
      if (choice === undefined) return;
      const row = shell.list.get(id);
      const target = parsed?.target ?? (await askForFile(row === undefined ? id : titleOf(row), choice.format));
      if (target === undefined) return;
      const title = t('Vitrine: exporting…');
      const report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () =>
        (await shell.engines.get()).archive.exportToFile(
          id,
          { format: choice.format.id, redact: choice.redact, children: choice.children },
          target.fsPath,
        ),
      );
      if (report !== null) void showSaved(shell, report, target);
    },
  };
}

function parseChoice({ format: name, file }: JsonObject): (ExportChoice & { readonly target: vscode.Uri }) | undefined {
  const format = exportFormats.find(({ id }) => id === name);
  if (format === undefined || typeof file !== 'string') return undefined;
  return { format, redact: true, children: false, target: vscode.Uri.file(file) };
}

async function askForFile(title: string, format: ExportFormat): Promise<vscode.Uri | undefined> {
  return await vscode.window.showSaveDialog({
    title: t('Export Session'),
    saveLabel: t('Export'),
    defaultUri: defaultFile(title, format),
    filters: { [format.label]: [format.extension] },
  });
}

/** Secrets are masked unless the user turns that off and confirms. */
function askForFormat(hasChildren: boolean): Promise<ExportChoice | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  let redact = true;
  const show = (): void => {
    pick.title = redact ? t('Export Session: secrets are masked') : t('Export Session: secrets are not masked');
    pick.buttons = [
      redact
        ? { iconPath: new vscode.ThemeIcon('shield'), tooltip: t('Export without masking secrets…') }
        : { iconPath: new vscode.ThemeIcon('unlock'), tooltip: t('Mask secrets') },
    ];
  };
  pick.placeholder = t('Format');
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  pick.items = exportFormats.flatMap((format): Item[] => {
    const item = { label: format.label, description: `.${format.extension}`, format, children: false };
    if (format.id !== 'html' || !hasChildren) return [item];
    return [item, { ...item, label: t('{0}, with child sessions', format.label), children: true }];
  });
  show();
  return new Promise<ExportChoice | undefined>((resolve) => {
    let isAsking = false;
    pick.onDidTriggerButton(async () => {
      isAsking = true;
      redact = redact ? !(await wantsSecrets()) : true;
      isAsking = false;
      show();
      pick.show();
    });
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item !== undefined) resolve({ format: item.format, redact, children: item.children });
    });
    pick.onDidHide(() => {
      if (!isAsking) resolve(undefined);
    });
    pick.show();
  }).finally(() => pick.dispose());
}

async function wantsSecrets(): Promise<boolean> {
  const confirm = t('Export with Secrets');
  const chosen = await vscode.window.showWarningMessage(
    t('Export without masking secrets?'),
    { modal: true, detail: t('The file will contain keys and passwords that the agent read or printed.') },
    confirm,
  );
  return chosen === confirm;
}

function defaultFile(title: string, format: ExportFormat): vscode.Uri {
  const name =
    title
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, 60) || 'session';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.Uri.file(path.join(folder, `${name}.${format.extension}`));
}

async function showSaved({ masked }: CommandContext, { redaction }: ExportReport, target: vscode.Uri): Promise<void> {
  const name = inertText(path.basename(target.fsPath));
  const count = redaction?.total ?? 0;
  const text =
    redaction === null
      ? t('Saved {0}. Nothing was masked.', name)
      : count === 0
        ? t('Saved {0}. No secrets were found.', name)
        : count === 1
          ? t('Saved {0}. 1 secret was masked.', name)
          : t('Saved {0}. {1} secrets were masked.', name, count);
  const [open, details] = [t('Open'), t('Show Masked Secrets')];
  const chosen = await vscode.window.showInformationMessage(text, open, ...(count > 0 ? [details] : []));
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', target);
  if (chosen === details && redaction !== null) await masked.show(target.fsPath, redaction);
}
