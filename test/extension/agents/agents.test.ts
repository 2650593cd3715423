import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { record, results, sessionTabs, until } from '../shell.ts';

describe('agent files', function () {
  const setSpeed = (value: number | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration('vitrine').update('demo.speed', value, vscode.ConfigurationTarget.Global);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  const vitrine = vscode.Uri.joinPath(folder.uri, '.vitrine');
  const file = vscode.Uri.joinPath(vitrine, 'agents', 'player.yaml');
  const write = (text: string): Thenable<void> => vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  /** As a person does it, in an editor. */
  const save = async (text: string): Promise<void> => {
    const document = await vscode.workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(file, new vscode.Range(0, 0, document.lineCount, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await document.save());
  };
  const shown = (): string[] =>
    vscode.languages.getDiagnostics(file).map(({ message, range }) => `${range.start.line}: ${message}`);

  before(() => setSpeed(0));
  after(async () => {
    await setSpeed(undefined);
    await vscode.workspace.fs.delete(vitrine, { recursive: true });
    await vscode.window.tabGroups.close(sessionTabs());
  });

  it('have diagnostics until they are corrected', async () => {
    await write('');
    await save('description: Plays\nexecutor_type: player\n');
    await until('the mark', () => shown().some((label) => label.startsWith('1: "executor_type" must be one of: ')));
    await save('description: Plays\nexecutor_type: replay\n');
    await until('its end', () => shown().length === 0 || undefined);
  });

  it('are completed and validated by the schema', async () => {
    const json = vscode.Uri.joinPath(vitrine, 'agents', 'checked.json');
    await vscode.workspace.fs.writeFile(json, new TextEncoder().encode('{\n  "status": "off"\n}\n'));
    await vscode.window.showTextDocument(json);
    const ofSchema = (): vscode.Diagnostic | undefined =>
      vscode.languages
        .getDiagnostics(json)
        .find(({ source, message }) => source !== 'Vitrine' && message.includes('active'));
    await until('what the editor says', ofSchema);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await vscode.workspace.fs.delete(json);
  });

  it('are run by name', async () => {
    const id = await vscode.commands.executeCommand<string>('vitrine.runBlueprint', { name: 'player', prompt: 'Play' });
    assert.match(id, /^ses_[0-9a-f]{12}$/);
    await until('a result', async () => ((await results(id)) === 1 ? true : undefined));
    assert.match(JSON.stringify(await record(id)), /"agent_name":"player"/);
  });

  it('are not run if inactive', async () => {
    await write('executor_type: replay\nstatus: inactive\n');
    const id = await vscode.commands.executeCommand('vitrine.runBlueprint', { name: 'player', prompt: 'Play' });
    assert.equal(id, undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
  });
});
