import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { sessionTabs, storeFolder, webviewTabs } from '../shell.ts';

describe('Verify Session Record', () => {
  after(() => vscode.window.tabGroups.close([...sessionTabs(), ...webviewTabs('vitrine.report')]));

  it('distinguishes an unchanged record from a changed one', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-verify-'));
    const file = path.join(folder, 'messages.json');
    await writeFile(file, JSON.stringify([{ role: 'user', parts: [{ content: 'hello' }] }]));
    const id = await vscode.commands.executeCommand<string>('vitrine.importSession', file);
    assert.equal(await vscode.commands.executeCommand('vitrine.verifyRecord', id), 'intact');
    const record = vscode.Uri.file(path.join(await storeFolder(), 'sessions', id, 'record.jsonl'));
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(record));
    await vscode.workspace.fs.writeFile(record, new TextEncoder().encode(text.replace('"hello"', '"hullo"')));
    assert.equal(await vscode.commands.executeCommand('vitrine.verifyRecord', id), 'altered');
    const audit = path.join(folder, 'audit.md');
    await vscode.commands.executeCommand('vitrine.exportAudit', id, { file: audit });
    assert.match(await readFile(audit, 'utf8'), /\| `record` \| `line \d+ was changed/);
    await rm(folder, { recursive: true });
  });
});
