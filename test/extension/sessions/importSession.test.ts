import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { until } from '../../support/until.ts';
import { record, sessionTabs } from '../shell.ts';

describe('Import Session', () => {
  after(() => vscode.window.tabGroups.close(sessionTabs()));

  it('imports messages from a file as a read-only session, and opens it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-import-'));
    const file = path.join(folder, 'messages.json');
    await writeFile(
      file,
      JSON.stringify([{ role: 'user', parts: [{ content_type: 'text/plain', content: 'hello' }] }]),
    );
    const id = await vscode.commands.executeCommand<string>('vitrine.importSession', file);
    await rm(folder, { recursive: true });
    assert.match(id, /^ses_[0-9a-f]{12}$/);
    const lines = await record(id);
    assert.equal(lines.filter(({ kind }) => kind === 'entry').length, 1);
    assert.match(JSON.stringify(lines.find(({ kind }) => kind === 'session')), /"imported":\{"format":"acp"/);
    await until('its tab', () => sessionTabs().length === 1);
    const resumed = await vscode.commands.executeCommand('vitrine.resumeSession', id, 'go on');
    assert.equal(resumed, undefined);
    assert.equal((await record(id)).filter(({ kind }) => kind === 'run').length, 1);
  });
});
