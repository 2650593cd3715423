import { packageExtension } from '../support/vsix.ts';
import { keepEvidence, newProfile, openWindow, startHost } from './session.ts';

describe('the packaged extension', function () {
  this.timeout(120_000);
  keepEvidence();

  it('installs in a stock VS Code and shows itself', async () => {
    const vsix = 'test-results/vitrine.vsix';
    await packageExtension(vsix);
    const server = await startHost({ vsix });
    const { context } = await newProfile();
    const workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
    await workbench.offersCommand('Vitrine: Run Agent…');
    await context.close();
    await server.stop();
  });
});
