import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { RunFolder } from '../../support/host/runFolder.ts';
import { plantStore } from '../../support/stores/plantStore.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

const watched = 'Another program started this session. Vitrine reads it from';
const row = 'Are quoted fields handled';

/** A session of Claude Code that has ended, in the workspace. Gives its main file. */
function plantSession({ home, workspace }: RunFolder): string {
  const [file] = plantStore('claude-code-2.1.330/tty-tools', home, workspace).filter((name) =>
    name.includes('projects'),
  );
  assert(file !== undefined);
  return file;
}

describe('opening a session from another program', function () {
  keepEvidence();
  let file = '';

  const host = useWindow(
    async () => {
      const server = await startHost();
      file = plantSession(server.folder);
      return { server };
    },
    { view: 'Vitrine' },
  );

  it('copies it into a record, listed once, which stays when the agent deletes its file', async () => {
    const { workbench } = host;
    await workbench.treeItem(row).click();
    const page = workbench.webview();
    await page.locator('#primary').waitFor();
    await page.locator('[data-key]').first().waitFor();
    await page.getByText(watched).waitFor({ state: 'detached' });
    assert.equal(await workbench.treeItem(row).count(), 1);
    rmSync(file);
    await workbench.closeEditors();
    await workbench.reload();
    await workbench.openView('Vitrine');
    await workbench.treeItem(row).click();
    await workbench.webview().locator('[data-key]').first().waitFor();
    await picture(workbench, 'observed-kept');
  });
});

describe('the actions of a session from another program', function () {
  keepEvidence();
  let session = '';
  let registry = '';
  let outside: ChildProcess | undefined;

  const host = useWindow(
    async () => {
      const server = await startHost();
      const { root, home, workspace } = server.folder;
      writeMachineSettings(root, { 'vitrine.sources.keep': 'never' });
      session = path.basename(plantSession(server.folder), '.jsonl');
      registry = path.join(home, '.claude', 'sessions');
      // Stands for the agent: a process that says in the agent's own way that it has the session open.
      const agent = `const { readFileSync, writeFileSync, mkdirSync } = require('node:fs');
const stat = readFileSync('/proc/self/stat', 'latin1');
const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
mkdirSync(${JSON.stringify(registry)}, { recursive: true });
const entry = { pid: process.pid, sessionId: ${JSON.stringify(session)}, procStart, status: 'idle', statusUpdatedAt: Date.now() };
writeFileSync(${JSON.stringify(registry)} + '/' + process.pid + '.json', JSON.stringify(entry));
console.log('the agent is idle');
setInterval(() => {}, 1000);
`;
      writeFileSync(path.join(workspace, 'agent.cjs'), agent);
      writeFileSync(path.join(workspace, 'agent.sh'), `exec ${JSON.stringify(process.execPath)} agent.cjs\n`);
      return { server };
    },
    { view: 'Vitrine' },
  );
  after(() => outside?.kill());

  const idle = () => host.workbench.treeItem(row).locator('.codicon-circle-filled');
  const terminals = () => host.workbench.page.locator('.part.panel .xterm');
  const choose = (action: string): Promise<void> => host.workbench.chooseInMenu(host.workbench.treeItem(row), action);

  it('name the program outside of the window where it runs', async () => {
    const { workbench, server } = host;
    await workbench.treeItem(row).waitFor();
    outside = spawn(process.execPath, ['agent.cjs'], { cwd: server.folder.workspace, env: {}, stdio: 'ignore' });
    await idle().waitFor();
    await choose('Show Terminal');
    await workbench.showNotifications();
    await workbench.notification(`(process ${outside.pid ?? 0})`).waitFor();
    await picture(workbench, 'observed-elsewhere');
    outside.kill();
    outside = undefined;
    await idle().waitFor({ state: 'detached' });
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('show the terminal of the window where it runs', async () => {
    const { workbench } = host;
    await workbench.runCommand('Terminal: Create New Terminal');
    await terminals().first().waitFor();
    await workbench.page.keyboard.type('sh agent.sh');
    await workbench.page.keyboard.press('Enter');
    await idle().waitFor();
    await workbench.runCommand('View: Hide Panel');
    await terminals().first().waitFor({ state: 'hidden' });
    await choose('Show Terminal');
    await terminals().first().waitFor();
    await picture(workbench, 'observed-terminal');
    await workbench.runCommand('Terminal: Kill the Active Terminal Instance');
    await idle().waitFor({ state: 'detached' });
  });

  it('copy it into a record when it has ended', async () => {
    const { workbench } = host;
    await workbench.treeItem(row).click();
    await workbench.webview().getByText(watched).waitFor();
    await choose('Keep Session');
    await workbench.webview().getByText(watched).waitFor({ state: 'detached' });
    await workbench.webview().locator('#primary').waitFor();
    assert.equal(await workbench.treeItem(row).count(), 1);
    await picture(workbench, 'observed-keep');
  });
});
