import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { groupAlive } from '../../support/processes/processGroup.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { keepEvidence, newProfile, openWindow, picture, sharedHost, startHost } from '../session.ts';

describe('Vitrine in the real workbench', function () {
  keepEvidence();
  let context: BrowserContext;
  let outside: string[];
  let workbench: Workbench;

  before(async () => {
    ({ context, outside } = await newProfile());
    workbench = await openWindow(await sharedHost(), context);
  });
  after(() => context.close());

  it('is in the activity bar, with commands in the palette', async () => {
    await workbench.openView('Vitrine');
    await workbench.offersCommand('Vitrine: Run Agent…');
    await picture(workbench, 'smoke');
  });

  it('is still there after a reload', async () => {
    await workbench.reload();
    await workbench.openView('Vitrine');
    await workbench.offersCommand('Vitrine: Run Agent…');
  });

  it('makes no network requests', () => {
    assert.deepEqual(outside, []);
  });

  it('leaves no process when its server ends', async () => {
    const server = await startHost();
    const own = await newProfile();
    await openWindow(server, own.context);
    assert.equal(groupAlive(server.pid), true);
    await own.context.close();
    await server.stop();
    assert.equal(groupAlive(server.pid), false);
  });
});
