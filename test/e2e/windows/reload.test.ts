import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { repository } from '../../support/host/install/cache.mjs';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { newestStdout, runClaude, send, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow, useWindow } from '../session.ts';

const make = tool('Bash', { command: 'touch made.txt && ls', description: 'Make the file' });

const scenarios = (): Scenarios => ({
  make: [{ blocks: [make] }, { blocks: [text('Made it after the reload.')] }],
  again: [{ blocks: [make] }, { blocks: [text('Made it for the other window.')] }],
});

const copyOutputTo = ({ folder }: Server): string => path.join(folder.root, 'printed');

describe('a run outlives its window', function () {
  keepEvidence();
  const host = useWindow((context) => startClaudeHost(context, { scenarios, asks: true, copyOutputTo }));
  const others: BrowserContext[] = [];
  after(() => Promise.all(others.map((context) => context.close())));

  const made = (): string => path.join(host.server.folder.workspace, 'made.txt');
  const press = (workbench: Workbench, name: string) =>
    workbench.webview().locator('.ask vscode-button:not(.unready)', { hasText: name });
  const decided = (workbench: Workbench, words: string) =>
    workbench.webview().locator('.row[data-kind=request] .rb', { hasText: words });

  it('waits for an answer over a reload, and ends normally', async () => {
    const { workbench } = host;
    await runClaude(workbench, 'Make the file. [[make]]');
    await press(workbench, 'Allow Once').waitFor();
    await workbench.reload();
    await press(workbench, 'Allow Once').waitFor();
    await statusWord(workbench, 'Needs your approval');
    assert.equal(existsSync(made()), false);
    await press(workbench, 'Allow Once').click();
    await decided(workbench, 'Allowed once by you').waitFor();
    await workbench.webview().getByText('Made it after the reload.').first().waitFor();
    await statusWord(workbench, 'Finished');
    assert.ok(existsSync(made()));
    const stdout = newestStdout(host.server.folder.root);
    const printed = readdirSync(copyOutputTo(host.server)).filter((name) => name.endsWith('.stdout'));
    const copies = printed.map((name) => readFileSync(path.join(copyOutputTo(host.server), name)));
    const saved = readFileSync(stdout);
    assert.ok(saved.length > 1000);
    assert.ok(
      copies.some((copy) => copy.equals(saved)),
      'the raw log holds what the program printed, byte for byte',
    );
    const record = path.join(path.dirname(path.dirname(stdout)), 'record.jsonl');
    const cli = path.join(repository, 'src/cli/main.ts');
    const verified = spawnSync(process.execPath, [cli, 'verify', record], {
      env: { PATH: process.env['PATH'], HOME: host.server.folder.home },
      encoding: 'utf8',
    });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  });

  it('accepts the answer of another window, and shows where it was given', async () => {
    const { workbench } = host;
    rmSync(made());
    await send(workbench, 'Once more. [[again]]');
    await press(workbench, 'Allow Once').waitFor();
    const { context } = await newProfile();
    others.push(context);
    const other = await openWindow(host.server, context);
    await other.openView('Vitrine');
    await other.treeItem('Make the file.').first().click();
    await press(other, 'Allow Once').click();
    await decided(other, 'Allowed once by you').waitFor();
    await decided(workbench, 'Allowed in another window').waitFor();
    await workbench.webview().getByText('Made it for the other window.').first().waitFor();
    await statusWord(workbench, 'Finished');
    await statusWord(other, 'Finished');
    assert.ok(existsSync(made()));
  });
});
