import * as vscode from 'vscode';

const { t } = vscode.l10n;

/**
 * Whether programs may be started here. Commands check this themselves, because they can be called from anywhere. In
 * Restricted Mode, explains why nothing happens and offers to manage trust.
 */
export function canStartAgents(): boolean {
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
