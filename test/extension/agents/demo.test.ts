import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { changeUri } from '../../../src/vscode/documents/changeDocuments.ts';
import { record, results, sessionTabs, until } from '../shell.ts';

const run = <T>(command: string, ...args: unknown[]): Thenable<T> =>
  vscode.commands.executeCommand<T>(`vitrine.${command}`, ...args);

describe('the demo session', function () {
  let id: string;

  const speed = (value: number): Thenable<void> =>
    vscode.workspace.getConfiguration('vitrine').update('demo.speed', value, vscode.ConfigurationTarget.Global);

  before(async () => {
    await vscode.window.tabGroups.close(sessionTabs());
    await speed(0);
  });
  after(async () => {
    await vscode.workspace
      .getConfiguration('vitrine')
      .update('demo.speed', undefined, vscode.ConfigurationTarget.Global);
    await vscode.window.tabGroups.close(sessionTabs());
  });

  it('runs to its end from the command, with arguments as from a keybinding', async () => {
    id = await run<string>('runAgent', { agent: 'replay', prompt: '' });
    assert.match(id, /^ses_[0-9a-f]{12}$/);
    await until('a result', async () => ((await results(id)) === 1 ? true : undefined));
  });

  it('leaves a record with its entries and its cost', async () => {
    const lines = await record(id);
    assert.equal(lines[0]?.kind, 'header');
    assert.ok(lines.filter(({ kind }) => kind === 'entry').length > 5);
    assert.match(JSON.stringify(lines.filter(({ kind }) => kind === 'result')), /"provenance":"reported"/);
  });

  it('compares reported figures with the price table in its cost report', async () => {
    const text = await run<string>('showCost', id);
    assert.match(
      text,
      /- Source of the session’s cost: reported by the agent\n- Cross-check: the price table gives \\\$\d.* for the same tokens, (?:exactly as reported|[\d.]+ % )/,
    );
  });

  it('has one panel, however often it is opened', async () => {
    await run('openSession', id);
    await run('openSession', id);
    assert.equal(sessionTabs().length, 1);
    await vscode.window.tabGroups.close(sessionTabs());
    await run('openSession', id);
    await until('a panel', () => (sessionTabs().length === 1 ? true : undefined));
  });

  it('can be renamed, as can its panel', async () => {
    await run('renameSession', id, 'Four at a table');
    await until('the new title', () => sessionTabs().find(({ label }) => label === 'Four at a table'));
  });

  it('plays the next recorded turn on resume', async () => {
    assert.equal(await run('resumeSession', id, ''), id);
    await until('a second result', async () => ((await results(id)) === 2 ? true : undefined));
    const runs = (await record(id)).filter(({ kind }) => kind === 'run');
    assert.match(JSON.stringify(runs), /resume_session/);
  });

  it('shows the output of its last run', async () => {
    await run('showRawOutput', id);
    const document = await until('the output', () =>
      vscode.workspace.textDocuments.find(({ fileName }) => fileName.endsWith('.stdout')),
    );
    assert.match(document.getText().split('\n')[0] ?? '', /^\{.*"session_id"/);
  });

  it('keeps both texts of an edit after the panel is closed', async () => {
    const edit = (await record(id)).find((line) => JSON.stringify(line).includes('"kind":"file_edit"'));
    const { index } = (edit as unknown as { entry: { index: number } }).entry;
    const text = async (side: 'old' | 'new'): Promise<string> => {
      const uri = changeUri({ session: id, index, change: 0, side }, '/workspace/src/bill.js');
      return (await vscode.workspace.openTextDocument(uri)).getText();
    };
    assert.match(await text('old'), /guests > DISCOUNT/);
    assert.match(await text('new'), /guests >= DISCOUNT/);
  });

  it('can be stopped', async () => {
    await speed(0.2);
    const slow = await run<string>('runAgent', { agent: 'replay', prompt: '' });
    await until('a run', async () => ((await record(slow)).some(({ kind }) => kind === 'run') ? true : undefined));
    await run('stopSession', slow);
    await until('its end', async () => ((await results(slow)) === 1 ? true : undefined));
    assert.match(JSON.stringify(await record(slow)), /"stopped"/);
  });

  it('copies its id', async () => {
    await run('copySessionId', id);
    assert.equal(await vscode.env.clipboard.readText(), id);
  });

  it('does not start with invalid arguments', async () => {
    for (const argument of [
      { agent: 'sh', prompt: 'x' },
      { agent: 'replay' },
      { agent: 'replay', prompt: 'x', cwd: 7 },
    ]) {
      assert.equal(await run('runAgent', argument), undefined);
    }
  });

  it('is not started outside of the workspace if it is an agent', async () => {
    assert.equal(await run('runAgent', { agent: 'claude-code', prompt: 'x', cwd: '/' }), undefined);
  });
});
