import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in a real VS Code', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension('vitrine.vitrine');
    assert.ok(extension, 'VS Code knows the extension');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command of its manifest', async () => {
    const extension = vscode.extensions.getExtension('vitrine.vitrine');
    const manifest = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = manifest.contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });
});
