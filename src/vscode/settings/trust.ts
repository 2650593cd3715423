import * as vscode from 'vscode';

const { t } = vscode.l10n;

/**
 * Whether a program may be started here. Commands ask this themselves, since a command can be called from anywhere; in
 * Restricted Mode they say why nothing happens, and offer the way on.
 */
export function mayStart(): boolean {
  if (vscode.workspace.isTrusted) return true;
  void explain();
  return false;
}

async function explain(): Promise<void> {
  const manage = t('Manage Workspace Trust');
  const chosen = await vscode.window.showWarningMessage(
    t('Vitrine does not start agents in Restricted Mode. You can still read recorded sessions.'),
    manage,
  );
  if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
