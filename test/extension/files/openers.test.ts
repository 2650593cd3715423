import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { openFile, openLink } from '../../../src/vscode/documents/openers.ts';
import { until } from '../shell.ts';

const root = (): string => vscode.workspace.workspaceFolders![0]!.uri.fsPath;
const shown = (): vscode.TextEditor | undefined => vscode.window.activeTextEditor;

describe('what a page can open', () => {
  beforeEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('is a file of the workspace, at its line', async () => {
    await openFile(root(), 'src/bill.js', 7);
    const editor = await until('the file', () =>
      shown()?.document.fileName.endsWith('bill.js') ? shown() : undefined,
    );
    assert.equal(editor.document.fileName, path.join(root(), 'src/bill.js'));
    assert.equal(editor.selection.active.line, 6);
  });

  it('does not include folders or missing files', async () => {
    await openFile(root(), 'src');
    await openFile(root(), 'src/none.js');
    assert.equal(shown(), undefined);
  });

  it('is nothing outside of the workspace without confirmation', async () => {
    // A modal dialog is refused while tests run, which counts as a no.
    await openFile(root(), '/etc/passwd').catch(() => undefined);
    await openFile(root(), '../../../../../../../../etc/passwd').catch(() => undefined);
    assert.equal(shown(), undefined);
  });

  it('does not include URLs other than web pages', async () => {
    for (const url of [
      'command:workbench.action.quit',
      'vscode://file/etc/passwd',
      'file:///etc/passwd',
      'javascript:1',
    ]) {
      await openLink(url);
    }
  });
});
