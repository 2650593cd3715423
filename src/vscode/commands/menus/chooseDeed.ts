import * as vscode from 'vscode';

/** One row of a menu. */
export interface Deed {
  readonly label: string;
  readonly description?: string;
  /** Name of a codicon. */
  readonly icon: string;
  readonly run: () => unknown;
}

/** Lets the person choose, and gives what the chosen one gives; `undefined` where they gave up. */
export async function chooseDeed(title: string, deeds: readonly Deed[]): Promise<unknown> {
  const items = deeds.map(({ label, description = '', icon, run }) => ({
    label,
    description,
    iconPath: new vscode.ThemeIcon(icon),
    run,
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.run();
}

/** A deed that is a command of this extension. */
export function commandDeed(label: string, icon: string, name: string, ...args: readonly unknown[]): Deed {
  return { label, icon, run: () => vscode.commands.executeCommand(`vitrine.${name}`, ...args) };
}
