import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { record, results, until } from '../shell.ts';

const folder = (): vscode.Uri => vscode.workspace.workspaceFolders![0]!.uri;

describe('running agents', () => {
  it('has every command of the manifest', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    const manifest = vscode.extensions.getExtension('vitrine.vitrine')?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const missing = manifest.contributes.commands.filter(({ command }) => !known.has(command));
    assert.deepEqual(missing, []);
  });

  it('starts nothing for an incomplete request', async () => {
    for (const argument of [
      { agent: 'sh', prompt: 'x' },
      { agent: 'codex' },
      { agent: 'codex', prompt: 'x', cwd: 'here' },
    ]) {
      assert.equal(await vscode.commands.executeCommand('vitrine.runAgent', argument), undefined);
    }
  });

  it('runs nothing outside of the workspace', async () => {
    const request = { agent: 'codex', prompt: 'x', cwd: path.dirname(folder().fsPath) };
    assert.equal(await vscode.commands.executeCommand('vitrine.runAgent', request), undefined);
  });

  it('offers an agent as a quick fix', async () => {
    const uri = vscode.Uri.joinPath(folder(), 'src/menu.js');
    const problems = vscode.languages.createDiagnosticCollection('test');
    const range = new vscode.Range(1, 0, 1, 4);
    const problem = new vscode.Diagnostic(range, 'No such price.', vscode.DiagnosticSeverity.Error);
    problems.set(uri, [problem]);
    await vscode.workspace.openTextDocument(uri);
    const offered = await until('the quick fix', async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        range,
        vscode.CodeActionKind.QuickFix.value,
      );
      return found.find(({ title }) => title === 'Ask an agent to fix this problem (Vitrine)');
    });
    problems.dispose();
    assert.equal(offered.kind?.value, vscode.CodeActionKind.QuickFix.value);
    assert.equal(offered.command?.command, 'vitrine.runAgentOnProblem');
  });
});

describe('capabilities', () => {
  it('of all agents are compared, with reasons for missing ones', async () => {
    const text = await vscode.commands.executeCommand<string>('vitrine.compareAgents');
    const [overview = '', reasons = ''] = text.split('\n## ').slice(1);
    const table = overview.split('\n').filter((line) => line.startsWith('|'));
    assert.deepEqual(new Set(table.map((line) => line.length)).size, 1, 'the table is aligned');
    for (const agent of ['Claude Code', 'Codex', 'Copilot CLI', 'Gemini CLI', 'Cursor']) {
      assert.ok(
        table.some((line) => line.startsWith(`| ${agent}`)),
        agent,
      );
      assert.ok(reasons.includes(`\n| ${agent}`), agent);
    }
    assert.match(reasons, /\| Fork +\| no +\| Cursor cannot fork a conversation/);
    assert.match(table[0] ?? '', /Resume .*Approvals .*Cost .*MCP/);
    assert.ok(table.slice(2).every((line) => /\| (?:yes|partly|no) /.test(line)));
  });

  it('of one session are counted', async () => {
    const settings = vscode.workspace.getConfiguration('vitrine');
    await settings.update('demo.speed', 0, vscode.ConfigurationTarget.Global);
    const id = await vscode.commands.executeCommand<string>('vitrine.playDemo');
    await until('the end of the demo', async () => ((await results(id)) > 0 ? true : undefined));
    await settings.update('demo.speed', undefined, vscode.ConfigurationTarget.Global);
    const text = await vscode.commands.executeCommand<string>('vitrine.showCapabilities', id);
    const entries = (await record(id)).flatMap(({ entry }) =>
      entry === undefined ? [] : [entry as { type: { kind: string } }],
    );
    const calls = entries.filter(({ type }) => type.kind === 'tool_use').length;
    assert.ok(calls > 0);
    assert.match(text, new RegExp(String.raw`\| Tool results +\| ${calls} of ${calls} `));
    assert.match(text, /\| Cost +\| reported by the agent /);
    assert.match(text, /\| Fork +\| not supported by this agent +\| a recording plays what was recorded/);
    assert.match(text, /\| Resume +\| none in this session /);
  });
});
