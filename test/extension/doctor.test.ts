import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { doctorText } from './shell.ts';

describe('Doctor', () => {
  it('says what was found and tried, by name and never by value', async () => {
    const key = 'claude.environment';
    const settings = vscode.workspace.getConfiguration('vitrine');
    await settings.update(key, { ANTHROPIC_API_KEY: 'sk-secret-value' }, vscode.ConfigurationTarget.Global);
    const text = await doctorText();
    await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
    assert.match(text, /## Claude Code/);
    assert.match(text, /ANTHROPIC_API_KEY/);
    assert.doesNotMatch(text, /sk-secret-value/);
    assert.match(text, /Kept in: `.+`/);
    assert.match(text, /## Demo|Recording|recordings/);
  });

  it('has each agent once, those by a protocol under the name of that', async () => {
    const titles = (await doctorText()).split('\n').filter((line) => line.startsWith('## '));
    assert.deepEqual([...new Set(titles)], titles);
    assert.deepEqual(
      titles.filter((title) => title.endsWith(' (ACP)')),
      ['## Claude Agent (ACP)', '## Codex (ACP)', '## Gemini CLI (ACP)', '## Copilot (ACP)'],
    );
  });

  it('is read-only', async () => {
    await doctorText();
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    assert.equal(vscode.workspace.fs.isWritableFileSystem(editor.document.uri.scheme) === true, false);
  });
});
