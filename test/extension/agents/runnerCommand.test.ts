import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { skip } from '../../support/skip.ts';
import { storeFolder, until } from '../shell.ts';

describe('the command of a runner', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner of a terminal '));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is copied completely, and makes a terminal a runner for this window’s queue', async function () {
    if (process.platform === 'win32') skip(this, 'there is no sh');
    const line = await vscode.commands.executeCommand<string>('vitrine.copyRunnerCommand', {
      executor: 'replay',
      folder,
    });
    assert.equal(await vscode.env.clipboard.readText(), line);
    assert.ok(line.includes(await storeFolder()));
    const child = spawn('sh', ['-c', `exec ${line}`], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const closed = new Promise((resolve) => child.once('close', resolve));
    try {
      await until(
        'the runner',
        () => /lnch_[0-9a-f]{12}.* registered|registered.*lnch_[0-9a-f]{12}/.test(said) || undefined,
      );
    } finally {
      child.kill('SIGINT');
      await closed;
    }
  });
});
