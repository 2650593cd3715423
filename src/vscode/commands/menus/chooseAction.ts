import * as vscode from 'vscode';

/** An action in a menu. */
export interface MenuAction {
  readonly label: string;
  readonly description?: string;
  /** Codicon name. */
  readonly icon: string;
  readonly run: () => unknown;
}

/** Shows the menu and returns the result of the chosen action; `undefined` if the user cancelled. */
export async function chooseAction(title: string, actions: readonly MenuAction[]): Promise<unknown> {
  const items = actions.map(({ label, description = '', icon, run }) => ({
    label,
    description,
    iconPath: new vscode.ThemeIcon(icon),
    run,
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.run();
}

/** An action that runs a command of this extension. */
export function commandAction(label: string, icon: string, name: string, ...args: readonly unknown[]): MenuAction {
  return { label, icon, run: () => vscode.commands.executeCommand(`vitrine.${name}`, ...args) };
}
