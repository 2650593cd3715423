import { packageExtension } from '../support/vsix.ts';
import { keepEvidence, newProfile, openWindow, startHost } from './session.ts';

describe('the packaged extension', function () {
  this.timeout(120_000);
  keepEvidence();

  it('installs in a stock VS Code and answers to its command', async () => {
    const vsix = 'test-results/vitrine.vsix';
    await packageExtension(vsix);
    const server = await startHost({ vsix });
    const { context } = await newProfile();
    const workbench = await openWindow(server, context);
    await workbench.runCommand('Vitrine: About');
    await workbench.notification('Vitrine shows what coding agents did.').waitFor();
    await context.close();
    await server.stop();
  });
});
