import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { at, call, runs, said } from '../../support/sessions/madeEntries.ts';
import { until } from '../../support/until.ts';
import { seedSessions } from '../seed.ts';
import { keepEvidence, picture, startHost, useWindow } from '../session.ts';

const title = 'Rotate the keys';
const secret = ['sk', 'ant', 'api03', 'x'.repeat(12), 'Q7vLr2mZp9TtWc4XnB8sKd5Yh'].join('-');

describe('the record of a session', function () {
  keepEvidence();

  const host = useWindow(
    async () => {
      const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
      const entries = [
        said(0, 'Rotate the keys.', 'user_message'),
        call(1, runs('printenv', 0), { result: { text: `ANTHROPIC_API_KEY=${secret}` }, startedAt: at(1) }),
        said(2, 'The keys are rotated.'),
      ];
      await seedSessions(server.folder, [{ title, daysAgo: 0, usd: 0.1, turns: 1, seconds: 10, entries }]);
      return { server };
    },
    { width: 1280, height: 900, view: 'Vitrine' },
  );
  const record = (): string =>
    path.join(
      host.server.folder.root,
      'user-data/User/globalStorage/vitrine.vitrine/sessions/ses_000000000000/record.jsonl',
    );

  it('is verified from the page, and found intact', async () => {
    await host.workbench.treeItem(title).click();
    const page = host.workbench.webview();
    await page.getByText('The keys are rotated.').first().waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Verify Session Record' }).click();
    const report = host.workbench.webview();
    await report.getByText('intact', { exact: true }).waitFor();
    await report.getByText('not signed').waitFor();
    await picture(host.workbench, 'verify-intact');
    await host.workbench.closeEditors();
  });

  it('is exported, with secrets masked', async () => {
    const file = path.join(host.server.folder.workspace, 'shared.md');
    await host.workbench.choose('Vitrine: Export…', 'Session…');
    await host.workbench.quickPickRow(title).click();
    await host.workbench.quickPickRow('Markdown').waitFor();
    await picture(host.workbench, 'export-formats');
    await host.workbench.quickInput().fill('Markdown');
    await host.workbench.quickPickRow('Markdown').click();
    await host.workbench.page.locator('.quick-input-title', { hasText: 'Export Session' }).waitFor();
    await until('the name that is proposed', async () =>
      (await host.workbench.quickInput().inputValue()).endsWith(`${title}.md`),
    );
    await host.workbench.quickInput().fill(file);
    await host.workbench.quickInput().press('Enter');
    const reported = host.workbench.notification('Saved shared.md. 1 secret was masked.');
    await reported.waitFor();
    await picture(host.workbench, 'exported');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /The keys are rotated\./);
    assert.ok(!text.includes(secret));
    await reported.getByRole('button', { name: 'Show Masked Secrets' }).click();
    await host.workbench.editorTab('Masked in shared.md').waitFor();
    await host.workbench.page.locator('.view-line', { hasText: 'anthropic-key' }).waitFor();
    await picture(host.workbench, 'masked');
  });

  it('is reported as changed, with the line', async () => {
    const lines = readFileSync(record(), 'utf8').split('\n');
    const changed = lines.findIndex((line) => line.includes('The keys are rotated.'));
    writeFileSync(record(), lines.join('\n').replace('The keys are rotated.', 'The keys are gone.'));
    await host.workbench.chooseInMenu(host.workbench.treeItem(title), 'Verify Session Record');
    const report = host.workbench.webview();
    await report
      .getByText(`line ${changed + 1} was changed, or lines after it were removed`)
      .first()
      .waitFor();
    await picture(host.workbench, 'verify-altered');
    await report.getByRole('button', { name: 'Open Record' }).click();
    await host.workbench.editorTab('record.jsonl').waitFor();
    await host.workbench.statusBarItem(`Ln ${changed + 1}, Col 1`).waitFor();
    await picture(host.workbench, 'verify-open');
  });

  it('shows on the page that parts are missing', async () => {
    await host.workbench.runCommand('View: Close All Editors');
    await host.workbench.treeItem(title).waitFor();
    writeFileSync(record(), '');
    await host.workbench.treeItem(title).click();
    await host.workbench
      .webview()
      .getByText('The record is empty or cannot be read. All entries are missing.')
      .waitFor();
  });
});
