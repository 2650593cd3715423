import { hostname } from 'node:os';
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';
import { thisMachine } from '../../../src/engine/process/identity/holder.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import { aRun, aSession, entryLine } from '../../support/sessions/records.ts';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { keepEvidence, newProfile, openWindow, startHost } from '../session.ts';

const warn = (message: string): never => {
  throw new Error(message);
};

describe('sessions that the daemon of a window does not run', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;

  /** As another process leaves its record while it writes it. */
  async function runningThere(session_id: string, title: string, machine: string): Promise<void> {
    const storeDir = path.join(server.folder.root, 'user-data/User/globalStorage/vitrine.vitrine');
    const store = new RecordStore(storeDir, { clock: Date.now, log: { warn } });
    const session = aSession({ session_id, title, project_dir: server.folder.workspace, hostname: machine });
    const writer = await store.create(session);
    await writer.append({ kind: 'run', run: aRun({ session_id }) });
    await writer.append(entryLine(0, `Said on ${machine}.`));
    await writer.close();
    const holder = { ...(await thisMachine()), pid: process.pid, startTime: null, hostname: machine };
    const lease = machine === hostname() ? holder : { ...holder, machine: 'another' };
    const file = path.join(path.dirname(store.path(session_id)), 'writer.9.json');
    await writeFile(file, JSON.stringify({ ...lease, at: new Date().toISOString() }));
  }

  before(async () => {
    server = await startHost();
    await runningThere('ses_00000000000a', 'On another machine', 'box');
    await runningThere('ses_00000000000b', 'In another version', hostname());
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(() => context.close());

  for (const [title, machine, why] of [
    ['On another machine', 'box', 'Vitrine on box is running this session. You can read it here.'],
    ['In another version', hostname(), 'Another version of Vitrine is running this session. You can read it here.'],
  ] as const) {
    it(`are shown, with why nothing can be sent: ${title}`, async () => {
      await workbench.treeItem(title).click();
      const page = workbench.webview();
      await page.getByText(`Said on ${machine}.`).first().waitFor();
      await page.getByText(why).first().waitFor();
    });
  }
});
