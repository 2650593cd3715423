import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeMachineSettings } from '../../support/host/settings.ts';
import { turn, uuidOf, writeSession } from '../../support/stores/claudeStore.ts';
import { plantStore } from '../../support/stores/plantStore.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

/** A session that was written to just now, by a version that leaves no other mark of its process. */
function plantRunning(home: string, folder: string): void {
  const id = uuidOf(7);
  const now = new Date().toISOString();
  const [prompt = {}] = turn(id, 0, { id: 'msg_running' });
  writeSession(home, id, [{ ...prompt, version: '2.0.0', cwd: folder, timestamp: now }]);
}

describe('sessions that were started in terminals', function () {
  keepEvidence();
  let grows = '';
  let rest = '';

  const host = useWindow(
    async () => {
      const server = await startHost();
      const { home, root, workspace } = server.folder;
      writeMachineSettings(root, { 'vitrine.sources.keep': 'never' });
      [grows = ''] = plantStore('claude-code-2.1.330/tty-tools', home, workspace).filter((name) =>
        name.includes('projects'),
      );
      const lines = readFileSync(grows, 'utf8').split(/(?<=\n)/);
      const half = lines.findIndex((line, at) => at > lines.length / 2 && line.includes('"type":"user"'));
      rest = lines.slice(half).join('');
      writeFileSync(grows, lines.slice(0, half).join(''));
      plantStore('claude-code-2.1.330/print-tools', home, workspace);
      plantStore('copilot-1.0.102/tty-permission', home, workspace);
      plantStore('codex-0.169.0/tty-tools', home, path.join(workspace, '..', 'another-project'));
      return { server };
    },
    { view: 'Vitrine' },
  );

  const texts = (): Promise<string[]> =>
    host.workbench.page.locator('.part.sidebar [role=treeitem]').evaluateAll((rows) => {
      const part = (row: Element, name: string): string => row.querySelector(name)?.textContent.trim() ?? '';
      return rows.map((row) => `${part(row, '.label-name')} | ${part(row, '.label-description')}`);
    });

  it('are in the list, with agent, place and cost', async () => {
    await host.workbench.treeItem('Claude Code · Terminal').waitFor();
    await host.workbench.treeItem('Copilot CLI ·').waitFor();
    await host.workbench.treeItem('1 session from scripts').waitFor();
    const shown = await texts();
    assert.ok(
      shown.some((text) => /Claude Code · Terminal .*\$0\.\d+/.test(text)),
      shown.join('\n'),
    );
    assert.ok(!shown.some((text) => text.includes('Codex')), shown.join('\n'));
    await picture(host.workbench, 'observed-list');
  });

  it('open read-only in the same panel, and are followed', async () => {
    await host.workbench.treeItem('Claude Code · Terminal').click();
    const page = host.workbench.webview();
    await page.getByText('Another program started this session. Vitrine reads it from').waitFor();
    await page.getByText('Watched', { exact: true }).waitFor();
    const rows = await page.locator('[data-key]').count();
    appendFileSync(grows, rest);
    await page.locator('[data-key]').nth(rows).waitFor();
    await picture(host.workbench, 'observed-panel');
  });

  it('include all folders with that filter', async () => {
    const input = host.workbench.page.locator('.quick-input-widget');
    await host.workbench.choose(
      'Vitrine: Filter Sessions…',
      input.getByText('This repository, with worktrees and clones'),
    );
    await input.getByText('All folders').click();
    await host.workbench.treeItem('Codex · Terminal').waitFor();
  });
});

describe('a session that runs in a terminal', function () {
  keepEvidence();
  const host = useWindow(async () => {
    const server = await startHost();
    plantRunning(server.folder.home, server.folder.workspace);
    return { server };
  });

  it('is counted in the status bar before the Sessions view is opened', async () => {
    await host.workbench.statusBarItem('1 running').waitFor();
  });
});
