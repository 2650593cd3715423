import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../support/until.ts';
import { seedSessions, week } from '../seed.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

describe('the Sessions view', function () {
  keepEvidence();

  const host = useWindow(
    async () => {
      const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
      await seedSessions(server.folder, week);
      return { server };
    },
    { view: 'Vitrine' },
  );

  /** Each row as `Title | description`. */
  const texts = (): Promise<string[]> =>
    host.workbench.page.locator('.part.sidebar [role=treeitem]').evaluateAll((rows) => {
      const part = (row: Element, name: string): string => row.querySelector(name)?.textContent.trim() ?? '';
      return rows.map((row) => `${part(row, '.label-name')} | ${part(row, '.label-description')}`);
    });
  const menu = (title: string, item: string): Promise<void> =>
    host.workbench.chooseInMenu(host.workbench.treeItem(title), item);
  const answer = (button: string): Promise<void> =>
    host.workbench.dialog().getByRole('button', { name: button }).click();

  const recordFolder = (): string =>
    path.join(host.server.folder.root, 'user-data/User/globalStorage/vitrine.vitrine/sessions');
  const open = async (title: string): Promise<void> => {
    await host.workbench.treeItem(title).click();
    await host.workbench.webview().locator('h1', { hasText: title }).waitFor();
  };

  it('groups by day, shows failures, and counts hidden sessions', async () => {
    await host.workbench.treeItem('1 in a missing folder').waitFor();
    const shown = await texts();
    const groups = shown.filter((text) => /^(Today|Yesterday|Earlier|Running) \| \d+$/.test(text));
    assert.deepEqual(groups, ['Today | 3', 'Yesterday | 3', 'Earlier | 2']);
    assert.ok(shown.includes('Release notes 4.2 | Failed · $0.02 · 1 turn · 12 s'), shown.join('\n'));
    assert.ok(shown.includes('OpenAPI examples | Interrupted · cost unknown · 6 turns · 2 min 10 s'), shown.join('\n'));
    assert.ok(shown.includes(' | 2 hidden: 1 by you, 1 in a missing folder'), shown.join('\n'));
    assert.ok(!shown.some((text) => text.includes('Another project') || text.includes('Tidy the changelog')));
    await picture(host.workbench, 'sessions');
  });

  it('nests child sessions', async () => {
    assert.equal(await host.workbench.treeItem('Audit nextDelay').count(), 0);
    await host.workbench.treeItem('Split auth').locator('.monaco-tl-twistie').click();
    await host.workbench.treeItem('Audit nextDelay').waitFor();
    assert.equal(await host.workbench.treeItem('Audit nextDelay').getAttribute('aria-level'), '3');
  });

  it("adds up today's cost", async () => {
    await host.workbench.statusBarItem('$1.04 today').waitFor();
  });

  it('describes a session in a hover, and for screen readers', async () => {
    await host.workbench.hoverUntil(host.workbench.treeItem('Release notes 4.2'), 'Status: Failed: rate limit');
    await picture(host.workbench, 'sessions-hover');
    const label = await host.workbench.treeItem('Release notes 4.2').getAttribute('aria-label');
    assert.equal(label, 'Release notes 4.2, Failed, Claude Code, $0.02, 1 turn, 12 s');
    await host.workbench.page.mouse.move(700, 400);
  });

  it('opens a session without entries', async () => {
    await open('Quiet the logger');
    await picture(host.workbench, 'session-empty');
  });

  it('renames', async () => {
    await open('Quiet the logger');
    await menu('Quiet the logger', 'Rename…');
    await host.workbench.quickInput().fill('Silence the logger');
    await host.workbench.quickInput().press('Enter');
    await host.workbench.treeItem('Silence the logger').waitFor();
    await host.workbench.editorTab('Silence the logger').waitFor();
  });

  it('hides on request, shows hidden ones, and unhides', async () => {
    await menu('OpenAPI examples', 'Delete…');
    await answer('Hide from List');
    await host.workbench.treeItem('3 hidden').waitFor();
    await host.workbench.treeItem('OpenAPI examples').waitFor({ state: 'detached' });
    await host.workbench.treeItem('3 hidden').click();
    await host.workbench.treeItem('Another project').waitFor();
    await menu('OpenAPI examples', 'Delete…');
    await answer('Unhide');
    await host.workbench.choose('Vitrine: Filter Sessions…', 'Hidden Sessions');
    await host.workbench.treeItem('2 hidden').waitFor();
    await host.workbench.treeItem('OpenAPI examples').waitFor();
  });

  it('deletes permanently only after a second confirmation', async () => {
    const record = path.join(recordFolder(), 'ses_000000000003');
    assert.ok(existsSync(record));
    await open('Release notes 4.2');
    await menu('Release notes 4.2', 'Delete…');
    await answer('Delete Files…');
    await answer('Cancel');
    assert.ok(existsSync(record));
    await menu('Release notes 4.2', 'Delete…');
    await answer('Delete Files…');
    await answer('Delete Permanently');
    await host.workbench.treeItem('Release notes 4.2').waitFor({ state: 'detached' });
    await until('the record to be gone', () => !existsSync(record));
    await host.workbench.editorTab('Release notes 4.2').waitFor({ state: 'detached' });
  });

  it('shows the same after a reload, before any record is read', async () => {
    await host.workbench.reload();
    await host.workbench.treeItem('Streaming parser').waitFor();
    await host.workbench.treeItem('2 hidden').waitFor();
  });

  it('finds every record from the files only', async () => {
    const records = readdirSync(recordFolder()).filter((name) => name.startsWith('ses_'));
    assert.ok(records.length >= week.length - 1);
    await host.workbench.runCommand('Vitrine: Rebuild Index');
    await host.workbench.notification(`${records.length} sessions found.`).waitFor();
  });
});
