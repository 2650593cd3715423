import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

describe('Restricted Mode', function () {
  keepEvidence();

  const host = useWindow(async () => {
    const settings = { 'security.workspace.trust.startupPrompt': 'never', 'vitrine.demo.speed': 0 };
    return { server: await startHost({ trust: true, settings }) };
  });

  it('explains why nothing is started, and how to change that', async () => {
    await host.workbench.openView('Vitrine');
    await host.workbench.page.locator('.part.sidebar').getByText('Manage Workspace Trust').waitFor();
    await picture(host.workbench, 'restricted');
  });

  it('starts no agent by any command', async () => {
    const ways = ['Run Agent on Selection or File…', 'Run Agent from File…'];
    await host.workbench.page.keyboard.press('Control+P');
    await host.workbench.quickInput().fill('package.json');
    await host.workbench.quickPickRow('package.json').waitFor();
    await host.workbench.page.keyboard.press('Enter');
    await host.workbench.editorTab('package.json').waitFor();
    for (const way of ways) {
      await host.workbench.runCommand(`Vitrine: ${way}`);
      await host.workbench.notification('Vitrine does not start agents in Restricted Mode').waitFor();
      await host.workbench.runCommand('Notifications: Clear All Notifications');
      await host.workbench
        .notification('Vitrine does not start agents in Restricted Mode')
        .waitFor({ state: 'detached' });
    }
  });

  it('plays the recording, which starts no program', async () => {
    await host.workbench.runCommand('Vitrine: Play Demo Session');
    await host.workbench.webview().locator('.status .word', { hasText: 'Finished' }).waitFor();
  });
});
