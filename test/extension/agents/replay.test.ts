import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { record, results, sessionTabs, until } from '../shell.ts';

describe('output of an agent in a file', function () {
  const setSpeed = (value: number | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration('vitrine').update('demo.speed', value, vscode.ConfigurationTarget.Global);

  before(() => setSpeed(0));
  after(async () => {
    await setSpeed(undefined);
    await vscode.window.tabGroups.close(sessionTabs());
  });

  it('is replayed from the command, as a recording', async () => {
    const extension = vscode.extensions.getExtension('vitrine.vitrine');
    assert.ok(extension);
    const file = path.join(extension.extensionPath, 'test/fixtures/codex/0.169.0/tools-workspace-write.stdout.jsonl');
    const id = await vscode.commands.executeCommand<string>('vitrine.replayFile', file);
    assert.match(id, /^ses_[0-9a-f]{12}$/);
    await until('a result', async () => ((await results(id)) === 1 ? true : undefined));
    const lines = await record(id);
    const text = JSON.stringify(lines);
    assert.match(text, /"agent_label":"Codex \(recording\)"/);
    assert.match(text, /"origin":"replay"/);
    assert.ok(lines.filter(({ kind }) => kind === 'entry').length > 5);
    await until('a panel', () => (sessionTabs().length === 1 ? true : undefined));
  });
});
