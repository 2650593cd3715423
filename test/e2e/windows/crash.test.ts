import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { processesOf } from '../../support/agents/place.ts';
import { extensionHosts } from '../../support/host/extensionHosts.ts';
import { daemonsIn } from '../../support/processes/daemons.ts';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import type { ModelServer } from '../../support/models/anthropic.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { runClaude, say, send, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow } from '../session.ts';

describe('A window or an extension host that dies during a run', function () {
  keepEvidence();
  let server: Server;
  let model: ModelServer;
  let context: BrowserContext;
  let workbench: Workbench;
  const started = () => path.join(server.folder.workspace, 'started.txt');
  const agents = () => processesOf(server.folder.home).filter((line) => /claude|sleep 600/.test(line));

  before(async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    ({ server, model } = await startClaudeHost(this));
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    // Undefined where the suite was skipped.
    await (context as BrowserContext | undefined)?.close();
    await (model as ModelServer | undefined)?.stop();
  });

  /** The session is there with all that had come, says that it was interrupted, and can be resumed. */
  async function opensAsInterrupted(): Promise<void> {
    await workbench.openView('Vitrine');
    await workbench.closeEditors();
    await workbench.treeItem('Sleep.').first().click();
    await statusWord(workbench, 'Interrupted');
    const transcript = workbench.webview().getByRole('tabpanel', { name: 'Transcript' });
    await transcript.getByText('sleep 600').first().waitFor();
  }

  /** The session is there, with the agent running as before. */
  async function opensRunning(): Promise<void> {
    await workbench.openView('Vitrine');
    await workbench.closeEditors();
    await workbench.treeItem('Sleep.').first().click();
    await statusWord(workbench, 'Running');
    assert.notDeepEqual(agents(), []);
  }

  it('leaves the agent running when the host is killed; the next window can stop it', async () => {
    await runClaude(workbench, 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(started()));
    await workbench.webview().getByText('sleep 600').first().waitFor();
    for (const pid of extensionHosts(server.folder.home)) process.kill(pid, 'SIGKILL');
    await workbench.page.reload({ waitUntil: 'domcontentloaded' });
    await workbench.ready();
    await opensRunning();
    await workbench.runCommand('Vitrine: Stop');
    await statusWord(workbench, 'Stopped');
    await until('the end of the agent', () => agents().length === 0, 60_000);
  });

  it('leaves the agent running when the window is killed; the daemon after a killed one shows what was interrupted', async () => {
    rmSync(started(), { force: true });
    await say(workbench, 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(started()));
    // Neither the page nor its extension host hears of it beforehand.
    await context.close();
    for (const pid of extensionHosts(server.folder.home)) process.kill(pid, 'SIGKILL');
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
    await opensRunning();
    for (const pid of daemonsIn(server.folder.root)) process.kill(pid, 'SIGKILL');
    await until('the end of the agent', () => agents().length === 0, 60_000);
    await opensAsInterrupted();
    await send(workbench, 'And now? [[hello]]');
    await workbench.webview().getByText('Hello from the scripted model.').first().waitFor();
    await statusWord(workbench, 'Finished');
  });
});
