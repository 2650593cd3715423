import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../support/until.ts';
import { seedSessions, week } from '../seed.ts';
import { keepEvidence, picture, startHost, useWindow, zone } from '../session.ts';
import { seedSpentSession, spentTitle } from '../spentSession.ts';

describe('what sessions cost', function () {
  keepEvidence();

  const host = useWindow(
    async () => {
      const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
      await seedSessions(server.folder, week);
      await seedSpentSession(server.folder);
      return { server };
    },
    { width: 1280, height: 900, view: 'Vitrine' },
  );

  /** The session in front. */
  async function openSession(): Promise<void> {
    await host.workbench.treeItem(spentTitle).click();
    await host.workbench.webview().locator('h1', { hasText: spentTitle }).waitFor();
  }

  it('opens as a card from the amounts of a session', async () => {
    await openSession();
    const page = host.workbench.webview();
    await page.locator('#cost').click();
    const card = page.getByRole('dialog', { name: 'Cost of this session' });
    await card.getByRole('row', { name: /claude-haiku-4-5/ }).waitFor();
    const text = await card.innerText();
    assert.match(text, /Total\s+\$0\.31\s+\$0\.62/);
    assert.match(text, /71,300 of 200,000 tokens \(36%\)/);
    await picture(host.workbench, 'cost-card');
    await host.workbench.page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
  });

  it('precedes a resume: last activity, size, cost, what is not restored', async () => {
    await openSession();
    const card = host.workbench.webview().getByRole('region', { name: 'Resume this session?' });
    await card.waitFor();
    const text = await card.innerText();
    assert.match(text, /58 minutes ago|59 minutes ago|1 hour ago/);
    assert.match(text, /≈ \$\d+\.\d\d before the first response/);
    assert.match(text, /Background command: npm run dev/);
    await card.scrollIntoViewIfNeeded();
    await picture(host.workbench, 'resume-card');
  });

  it('goes to a prompt by keyboard', async () => {
    await openSession();
    await host.workbench.webview().locator('.title').click();
    await host.workbench.page.keyboard.press('Control+Shift+O');
    const row = host.workbench.quickPickRow('Rename the Chunk types');
    await row.waitFor();
    await picture(host.workbench, 'go-to-prompt');
    await row.click();
    await host.workbench.webview().locator('.item.marked', { hasText: 'Rename the Chunk types' }).waitFor();
  });

  it('remembers the level of detail', async () => {
    await openSession();
    const page = host.workbench.webview();
    await page.getByRole('combobox', { name: 'Detail' }).selectOption('answers');
    await page.getByRole('button', { name: 'Hidden: 1 step, 1 thinking block' }).first().waitFor();
    await picture(host.workbench, 'answers-only');
    await host.workbench.closeEditors();
    await openSession();
    await host.workbench.webview().getByRole('button', { name: 'Hidden: 1 step, 1 thinking block' }).first().waitFor();
    await host.workbench.webview().getByRole('combobox', { name: 'Detail' }).selectOption('everything');
    await host.workbench.webview().getByText('npm run dev').first().waitFor();
  });

  it('is listed by model response in a report', async () => {
    await openSession();
    await host.workbench.webview().locator('#cost').click();
    await host.workbench.webview().getByText('Open cost report').click();
    await host.workbench.editorTab('Cost Report').waitFor();
    const report = host.workbench.webview();
    await report.getByRole('heading', { name: 'By model response' }).waitFor();
    const tables = report.getByRole('table');
    assert.match(await tables.nth(3).innerText(), /claude-opus-4-5\s+main agent\s+71,300\s+≈ \$\d/);
    await picture(host.workbench, 'cost-report');
    await host.workbench.closeEditors();
  });

  it('adds up in the usage view, by day, agent and model', async () => {
    await host.workbench.page.getByRole('button', { name: 'Usage Section' }).click();
    const view = host.workbench.webview();
    await view.getByRole('heading', { level: 1 }).waitFor();
    const today = view.locator('.sums > div').first();
    // What counts as today depends on the hour; the status bar adds it up in another way.
    const bar = await host.workbench.page.locator('.statusbar-item', { hasText: ' today' }).innerText();
    await today.getByText(/\$\d+\.\d\d/.exec(bar)?.[0] ?? '', { exact: true }).waitFor();
    const models = await view.getByRole('table', { name: 'By model' }).innerText();
    assert.match(models, /claude-opus-4-5\s+2\s+1\.22M\s+\$0\.50/);
    assert.match(models, /claude-haiku-4-5\s+2\s+2\.04K\s+\$0\.12/);
    await view.getByRole('combobox', { name: 'Sessions to include' }).selectOption('all');
    // Room for all of it, as someone makes who wants to see it.
    await host.workbench.page.getByRole('button', { name: 'Sessions Section' }).click();
    await view.getByText('Days as a table').click();
    await view.getByRole('table', { name: 'By day' }).waitFor();
    await picture(host.workbench, 'usage');
  });

  it('is exported as CSV', async () => {
    await host.workbench.choose('Vitrine: Export…', 'Usage as CSV…');
    await host.workbench.quickPickRow('This month').click();
    await host.workbench.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    const month = new Date().toLocaleDateString('sv', { timeZone: zone }).slice(0, 7);
    const file = path.join(host.server.folder.workspace, `usage ${month}.csv`);
    await until('the file', () => existsSync(file));
    const rows = readFileSync(file, 'utf8').trimEnd().split('\r\n');
    const sessionRows = rows.filter((row) => row.startsWith('ses_c07e41d2c07e'));
    assert.deepEqual(
      sessionRows.map((row) => row.split(',')[3]),
      ['run', 'model', 'model', 'run', 'model', 'model'],
    );
  });
});
