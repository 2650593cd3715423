// @ts-check
import * as vscode from 'vscode';

/**
 * Shows the Sessions view and the walkthrough in a window of the sample workspace: once per `npm start`, so that a reload
 * leaves the layout alone.
 * @param {import('vscode').ExtensionContext} context
 */
export async function activate({ workspaceState }) {
  const { VITRINE_SAMPLE_WORKSPACE: sample, VITRINE_SAMPLE_START: start } = process.env;
  const opened = vscode.workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? [];
  if (sample === undefined || !opened.includes(sample) || workspaceState.get('start') === start) return;
  await workspaceState.update('start', start);
  await vscode.commands.executeCommand('vitrine.sessions.focus');
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'vitrine.vitrine#start', false);
}
