import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { doctorText, until, webviewTabs } from '../shell.ts';

describe('Doctor', () => {
  it('shows what was found and searched, by name and never by value', async () => {
    const key = 'environment';
    const settings = vscode.workspace.getConfiguration('vitrine');
    await settings.update(key, { claude: { ANTHROPIC_API_KEY: 'sk-secret-value' } }, vscode.ConfigurationTarget.Global);
    const text = await doctorText();
    await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
    assert.match(text, /## Claude Code/);
    assert.match(text, /ANTHROPIC_API_KEY/);
    assert.doesNotMatch(text, /sk-secret-value/);
    assert.match(text, /^- Store: `.+`$/mu);
    assert.match(text, /## Demo|Recording|recordings/);
  });

  it('lists each agent once, ACP agents by their own name', async () => {
    const titles = (await doctorText()).split('\n').filter((line) => line.startsWith('## '));
    assert.deepEqual([...new Set(titles)], titles);
    assert.deepEqual(
      titles.filter((title) => title.endsWith(' (ACP)')),
      ['## Claude Agent (ACP)', '## Codex (ACP)', '## Gemini CLI (ACP)', '## Copilot (ACP)'],
    );
  });

  it('shows hidden sessions, and finds them under their current folder', async () => {
    const here = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const missingFolder = path.join(tmpdir(), 'vitrine-gone', 'project');
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-doctor-'));
    const [session_id, created_at] = ['ses_00000000d0c7', '2026-01-02T03:04:05.000Z'];
    const lines = [
      { kind: 'header', format: 'vitrine-record', version: 1, session_id, created_at },
      { kind: 'session', session: { session_id, status: 'finished', created_at, project_dir: missingFolder } },
    ];
    await writeFile(path.join(folder, 'record.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await vscode.commands.executeCommand('vitrine.importSession', path.join(folder, 'record.jsonl'));
    await rm(folder, { recursive: true });
    const lost = async (): Promise<string> => /## Missing sessions\n\n([^#]*)/.exec(await doctorText())?.[1] ?? '';
    assert.match(await lost(), /vitrine-gone\/project` +\| 1 session in a folder that was renamed/);
    assert.equal(await vscode.commands.executeCommand('vitrine.relinkSessions', { from: missingFolder, to: here }), 1);
    assert.doesNotMatch(await lost(), /vitrine-gone/);
    assert.match(await doctorText(), /Last error: /);
  });

  it('has one page, which is revealed again', async () => {
    await vscode.window.tabGroups.close(webviewTabs('vitrine.report'));
    await until('the page', async () => {
      await doctorText();
      return webviewTabs('vitrine.report').length === 1;
    });
    await doctorText();
    const tabs = webviewTabs('vitrine.report');
    assert.deepEqual(
      tabs.map(({ label, isActive }) => [label, isActive]),
      [['Vitrine Doctor', true]],
    );
  });
});
