import * as vscode from 'vscode';

export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Vitrine', { log: true });
}
