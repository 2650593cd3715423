import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { record, results, sessionTabs, until } from '../shell.ts';

describe('Export Session', function () {
  const speed = (value: number | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration('vitrine').update('demo.speed', value, vscode.ConfigurationTarget.Global);

  before(() => speed(0));
  after(async () => {
    await speed(undefined);
    await vscode.window.tabGroups.close(sessionTabs());
  });

  it('writes the session into a file, and keeps in the record that it did', async () => {
    const id = await vscode.commands.executeCommand<string>('vitrine.playDemo');
    await until('a result', async () => ((await results(id)) > 0 ? true : undefined));
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-export-'));
    const file = path.join(folder, 'demo.html');
    await vscode.commands.executeCommand('vitrine.exportSession', id, { format: 'html', file });
    const page = await readFile(file, 'utf8');
    await rm(folder, { recursive: true });
    assert.match(page, /^<!doctype html>/);
    assert.match(page, /data-part="entries">\[\{"index":0/);
    const saved = (await record(id)).filter(({ kind }) => kind === 'decision').map(({ decision }) => decision);
    assert.ok(saved.some((line) => JSON.stringify(line).includes('"type":"export"')));
  });
});
