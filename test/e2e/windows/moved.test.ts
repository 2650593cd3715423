import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { identityOf } from '../../../src/engine/folders/identity.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { silentLog } from '../../support/silentLog.ts';
import { type Seed, seedSessions } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const base = { daysAgo: 0, usd: 0.1, turns: 1, seconds: 10 };

describe('sessions of a renamed or moved folder', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    server = await startHost();
    const { root, workspace } = server.folder;
    mkdirSync(path.join(root, 'there'));
    const here = await identityOf(workspace);
    const other = { remote: 'example.org/a/b', path: '' };
    const seeds: Seed[] = [
      { ...base, title: 'Under the old name', folder: '/was/here', identity: here },
      { ...base, title: 'In a folder that is there', folder: path.join(root, 'there'), identity: here },
      { ...base, title: 'In another clone', folder: '/was/elsewhere', identity: other },
      { ...base, title: 'Of the first days', folder: '/was/long/ago' },
    ];
    await seedSessions(server.folder, seeds);
    const broken = path.join(root, 'user-data/User/globalStorage/vitrine.vitrine/sessions/ses_0000000000ff');
    mkdirSync(path.join(broken, 'record.jsonl'), { recursive: true });
    // A repository of its own, so that the other clone is one of the same.
    rmSync(path.join(workspace, '.git'), { recursive: true, force: true });
    mkdirSync(path.join(workspace, '.git'));
    writeFileSync(path.join(workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(path.join(workspace, '.git', 'config'), '[remote "origin"]\n\turl = git@example.org:a/b.git\n');
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(() => context.close());

  /** The sessions of the other clone are listed, too. */
  async function relinkClone(): Promise<void> {
    await workbench.showNotifications();
    const asked = workbench.notification('1 session ran in another clone of this repository');
    await asked.waitFor();
    assert.equal(await workbench.treeItem('In another clone').count(), 0);
    await asked.getByRole('button', { name: 'Relink' }).click();
    await workbench.treeItem('In another clone').waitFor();
  }

  it('are listed again, with a notification', async () => {
    await workbench.showNotifications();
    await workbench.notification('/was/here was moved').waitFor();
    await workbench.treeItem('Under the old name').waitFor();
    const store = new RecordStore(path.join(server.folder.root, 'user-data/User/globalStorage/vitrine.vitrine'), {
      clock: Date.now,
      log: silentLog,
    });
    const reader = await store.openReader('ses_000000000000');
    assert.equal(reader.summary.project_dir, server.folder.workspace);
    await reader.close();
  });

  it('of another clone are shown only on request', relinkClone);

  it('that stay hidden are counted by reason, and Doctor names each', async () => {
    if ((await workbench.treeItem('In another clone').count()) === 0) await relinkClone();
    await workbench.treeItem('2 hidden: 1 in another folder, 1 in a missing folder').waitFor();
    await workbench.treeItem('1 cannot be read: show why').click();
    await workbench.editorTab('Vitrine Doctor').waitFor();
    await workbench.webview().getByText('ses_0000000000ff').first().waitFor();
    await picture(workbench, 'doctor-unreadable');
  });

  it('appear in Doctor, and can be relinked to a folder', async () => {
    await workbench.runCommand('Vitrine: Doctor');
    await workbench.webview().getByText('/was/long/ago').first().waitFor();
    await picture(workbench, 'session-lost');
    await workbench.webview().getByRole('button', { name: 'Relink Sessions…' }).first().click();
    await workbench.quickPickRow('/was/long/ago').click();
    await workbench.page.getByPlaceholder('Current location of /was/long/ago').waitFor();
    await picture(workbench, 'relink');
    await workbench.quickPickRow(path.basename(server.folder.workspace)).click();
    await workbench.notification('1 session now belongs to').waitFor();
    await workbench.treeItem('Of the first days').waitFor();
    await picture(workbench, 'relinked');
  });
});
