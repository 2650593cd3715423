import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Failures } from '../../../src/vscode/failures/failures.ts';
import { ReportPanel } from '../../../src/vscode/pages/reportPanel.ts';

describe('a page of a report', () => {
  it('does nothing after it was closed, and reports no failure', async () => {
    const log = vscode.window.createOutputChannel('Report test', { log: true });
    const panel = vscode.window.createWebviewPanel('vitrine.closed', 'Report', vscode.ViewColumn.Active);
    let builds = 0;
    const build = () => Promise.resolve({ report: { title: `Report ${++builds}`, sections: [] } });
    const key = { kind: 'closed', argument: '' };
    const page = new ReportPanel(panel, { title: 'Report', build }, key, { failures: new Failures(log), log });
    panel.onDidDispose(() => page.dispose());
    assert.equal((await page.refresh())?.report.title, 'Report 1');
    panel.dispose();
    assert.equal(await page.refresh(), undefined);
    assert.equal(builds, 1);
    log.dispose();
  });
});
