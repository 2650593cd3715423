import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';
import { activateWithFakeAgent, sessionTabs, webviewTabs } from '../shell.ts';

const { Global } = vscode.ConfigurationTarget;

describe('Will This Resume Here?', () => {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  const check = (id: string): Thenable<string> => vscode.commands.executeCommand<string>('vitrine.checkResume', id);
  let api: VitrineApi;
  before(async () => {
    api = await activateWithFakeAgent();
  });
  after(async () => {
    await settings().update('claude.path', undefined, Global);
    await vscode.window.tabGroups.close([...sessionTabs(), ...webviewTabs('vitrine.report')]);
  });

  it('answers before a resume, and lists where a resume does not work', async () => {
    const prompt = JSON.stringify([{ init: true }, { say: 'hello' }, { result: { text: 'hello' } }]);
    const { session } = await api.run(prompt);
    const found = await check(session);
    assert.match(found, /Resume here.*Not certain/);
    assert.match(found, /conversation file was not found for this user on this machine/);
    for (const place of ['Git worktrees', 'Containers', 'Another user account', 'CI', 'Remote']) {
      assert.ok(found.includes(place), place);
    }
    await settings().update('claude.path', '/no/such/program', Global);
    assert.match(await check(session), /Resume here.*No\b.*\n.*program was not found/);
    assert.equal((await api.sessions.get(session))?.runs, 1);
  });
});
