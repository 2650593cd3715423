import * as vscode from 'vscode';
import type { FolderBudgets } from '../../engine/api.ts';
import { parseBudgets, tighten } from '../../insight/budgets/limits.ts';

/**
 * What limits agents in a folder: the user's limits, and the lower ones that the workspace and the folder set. These can
 * only tighten, so they count in Restricted Mode too.
 */
export function folderBudgets(cwd: string): FolderBudgets {
  const uri = vscode.Uri.file(cwd);
  const found = vscode.workspace.getConfiguration('vitrine', uri).inspect<unknown>('budgets');
  const levels = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  const limits = levels.map((level) => parseBudgets(level).value).reduce(tighten, {});
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  return { limits, ...(folder !== undefined && { folder }) };
}
