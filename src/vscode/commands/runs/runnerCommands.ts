import path from 'node:path';
import * as vscode from 'vscode';
import { executorTypes } from '../../../model/session/executorTypes.ts';
import { isObject } from '../../../model/text/json.ts';
import type { ExecutorType } from '../../../model/session/session.ts';
import { inertText, visibleText } from '../../text/inertText.ts';
import { runnerLine } from '../../runner/runnerLine.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;

/** Commands for runners in terminals. */
export function runnerCommands({
  engines,
  extension,
  store,
}: Pick<CommandContext, 'engines' | 'extension' | 'store'>): Commands {
  const program = vscode.Uri.joinPath(extension, 'dist', 'cli.js').fsPath;
  return {
    /** Copies the command line of a runner without starting it. Takes `{executor?, folder?}` and asks for the rest. */
    async copyRunnerCommand(argument) {
      const fields = isObject(argument) ? argument : {};
      const executor = executorTypes.find((type) => type === fields['executor']) ?? (await pickExecutor(engines));
      const { folder: at } = fields;
      const named = typeof at === 'string' && path.isAbsolute(at) ? at : undefined;
      const folder = executor === undefined ? undefined : (named ?? (await pickFolder()));
      if (executor === undefined || folder === undefined) return undefined;
      const windows = process.platform === 'win32';
      const line = runnerLine({ program, executor, store: store.fsPath, folder, isWindows: windows });
      await vscode.env.clipboard.writeText(line);
      void showCopied(line);
      return line;
    },
  };
}

/** These need server settings, which a terminal does not have. */
const serverExecutors: ReadonlySet<ExecutorType> = new Set(['acp', 'acp-http']);

async function showCopied(line: string): Promise<void> {
  const type = t('Insert into Terminal');
  const text = t(
    'Command copied. Run it in a terminal with Node.js 22 or newer to start a runner for this window’s queue.',
  );
  // Invisible characters in a folder's name could act as keys in the shell.
  const offered = visibleText(line) === line ? [type] : [];
  if ((await vscode.window.showInformationMessage(text, ...offered)) !== type) return;
  const terminal = vscode.window.createTerminal(t('Vitrine Runner'));
  terminal.show();
  // The user presses Enter.
  terminal.sendText(line, false);
}

async function pickExecutor(engines: CommandContext['engines']): Promise<ExecutorType | undefined> {
  // Does not check for programs: the terminal may have another PATH, and Restricted Mode starts nothing.
  const known = (await engines.get()).archive.importable().filter(({ type }) => !serverExecutors.has(type));
  const items = known.map(({ type, label }) => ({ label, description: type, type }));
  const title = t('Copy Runner Command');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: t('Agent type') }))?.type;
}

async function pickFolder(): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const items = folders.map(({ name, uri }) => ({
    label: inertText(name),
    description: inertText(uri.fsPath),
    folder: uri.fsPath,
  }));
  const other = { label: t('Other Folder…'), iconPath: new vscode.ThemeIcon('folder-opened'), folder: undefined };
  const title = t('Copy Runner Command');
  const chosen = await vscode.window.showQuickPick([...items, other], { title, placeHolder: t('Working folder') });
  if (chosen === undefined || chosen.folder !== undefined) return chosen?.folder;
  const [picked] = (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false })) ?? [];
  return picked?.fsPath;
}
