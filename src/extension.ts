import * as vscode from 'vscode';

/** Builds the object graph and registers it; what it returns is the public API. */
export function activate(context: vscode.ExtensionContext): Readonly<Record<string, never>> {
  context.subscriptions.push(
    vscode.commands.registerCommand('vitrine.showAbout', () =>
      vscode.window.showInformationMessage(vscode.l10n.t('Vitrine shows what coding agents did.')),
    ),
  );
  return {};
}
