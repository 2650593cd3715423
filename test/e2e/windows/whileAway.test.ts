import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { silentLog } from '../../support/silentLog.ts';
import { until } from '../../support/until.ts';
import { runClaude, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, openWindow, picture, useWindow } from '../session.ts';

describe('changes while no window was open', function () {
  keepEvidence();
  const scenarios = (workspace: string): Scenarios => ({
    wait: [
      { blocks: [tool('Bash', { command: 'until [ -e go ]; do sleep 0.1; done', description: 'Wait' })] },
      { blocks: [tool('Write', { file_path: `${workspace}/NOTES.md`, content: 'Alone.\nDone.\n' })] },
      { blocks: [text('Written while you were away.')] },
    ],
  });
  const host = useWindow((context) => startClaudeHost(context, { scenarios }), { width: 1280, height: 900 });

  it("are announced in the next window's status bar, and listed on a page", async () => {
    const { server, context, workbench } = host;
    await runClaude(workbench, 'Write the notes. [[wait]]');
    await workbench.webview().getByText('until [ -e go ]').first().waitFor();
    await workbench.page.close();
    writeFileSync(path.join(server.folder.workspace, 'go'), '');
    const store = new RecordStore(path.join(server.folder.root, 'user-data/User/globalStorage/vitrine.vitrine'), {
      clock: Date.now,
      log: silentLog,
    });
    await until('the end', async () => (await store.list())[0]?.status === 'finished');
    const next = await openWindow(server, context);
    const item = next.statusBarItem('1 update while you were away');
    await item.click();
    const page = next.webview();
    await page.getByRole('heading', { name: 'While You Were Away' }).waitFor();
    await page.getByText('1 finished').waitFor();
    await page.getByRole('rowheader', { name: 'Write the notes.' }).waitFor();
    await page.getByRole('rowheader', { name: 'NOTES.md' }).waitFor();
    await item.waitFor({ state: 'detached' });
    await picture(next, 'while-away');
    await page.getByRole('button', { name: 'Open Session' }).first().click();
    await statusWord(next, 'Finished');
    await next.webview().getByText('Written while you were away.').first().waitFor();
  });
});
