import path from 'node:path';
import * as vscode from 'vscode';
import { executorTypes } from '../../../model/session/executorTypes.ts';
import { isObject } from '../../../model/text/json.ts';
import type { ExecutorType } from '../../../model/session/session.ts';
import { inertText, visibleText } from '../../text/inertText.ts';
import { runnerLine } from '../../runner/runnerLine.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;

/** Runners of this window's queue that are no window. */
export function runnerCommands({
  engines,
  extension,
  store,
}: Pick<CommandContext, 'engines' | 'extension' | 'store'>): Commands {
  const program = vscode.Uri.joinPath(extension, 'dist', 'cli.js').fsPath;
  return {
    /** The line that starts one in a terminal; nothing is started here. Takes `{executor?, folder?}`, asks for what is missing. */
    async copyRunnerCommand(argument) {
      const given = isObject(argument) ? argument : {};
      const executor = executorTypes.find((type) => type === given['executor']) ?? (await pickExecutor(engines));
      const { folder: at } = given;
      const named = typeof at === 'string' && path.isAbsolute(at) ? at : undefined;
      const folder = executor === undefined ? undefined : (named ?? (await pickFolder()));
      if (executor === undefined || folder === undefined) return undefined;
      const windows = process.platform === 'win32';
      const line = runnerLine({ program, executor, store: store.fsPath, folder, windows });
      await vscode.env.clipboard.writeText(line);
      void tell(line);
      return line;
    },
  };
}

/** What to speak with is a setting of a window, which a terminal does not have. */
const needsServer: ReadonlySet<ExecutorType> = new Set(['acp', 'acp-http']);

async function tell(line: string): Promise<void> {
  const type = t('Type It in a Terminal');
  const text = t(
    'Command copied. Run it in a terminal with Node.js 22 or newer to start a runner for this window’s queue.',
  );
  // What is not seen in the name of a folder may be a key to the shell that reads it.
  const offered = visibleText(line) === line ? [type] : [];
  if ((await vscode.window.showInformationMessage(text, ...offered)) !== type) return;
  const terminal = vscode.window.createTerminal(t('Vitrine Runner'));
  terminal.show();
  // A person starts it.
  terminal.sendText(line, false);
}

async function pickExecutor(engines: CommandContext['engines']): Promise<ExecutorType | undefined> {
  // No program is looked for: the terminal may be on its own PATH, and in Restricted Mode nothing starts.
  const known = (await engines.get()).archive.importable().filter(({ type }) => !needsServer.has(type));
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
