import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { AgentCatalogue } from '../../../src/vscode/agents/agentCatalogue.ts';
import { AgentTree } from '../../../src/vscode/agents/agentTree.ts';
import { until } from '../shell.ts';

describe('the Agents view', function () {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  const vitrine = vscode.Uri.joinPath(folder.uri, '.vitrine');
  const at = (name: string): vscode.Uri => vscode.Uri.joinPath(vitrine, 'agents', name);
  const write = (name: string, text: string): Thenable<void> =>
    vscode.workspace.fs.writeFile(at(name), new TextEncoder().encode(text));
  const read = async (name: string): Promise<string> =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(at(name)));
  const run = (command: string, name: string, overrides = {}): Thenable<unknown> =>
    vscode.commands.executeCommand(`vitrine.${command}`, { file: at(name).fsPath, ...overrides });

  let trusted = true;
  let log: vscode.LogOutputChannel;
  let catalogue: AgentCatalogue;
  let tree: AgentTree;
  const items = (): Promise<vscode.TreeItem[]> =>
    Promise.all(tree.getChildren().map((blueprint) => tree.getTreeItem(blueprint)));
  /** Watchers of this host may miss a folder that was just made; `agents that are files` waits for them. */
  const refreshed = async (): Promise<vscode.TreeItem[]> => {
    await catalogue.refresh();
    return items();
  };
  const item = (label: string, fits: (item: vscode.TreeItem) => boolean = () => true): Promise<vscode.TreeItem> =>
    until(label, async () => (await refreshed()).find((treeItem) => treeItem.label === label && fits(treeItem)));

  const reviewer = '# Ours\ndescription: Reviews   # briefly\nexecutor_type: replay\nmodel: "opus"\n';

  before(async () => {
    // Not by the name of the product's own: closing it would close that too.
    log = vscode.window.createOutputChannel('Agents view under test', { log: true });
    catalogue = new AgentCatalogue(log);
    tree = new AgentTree(catalogue, () => trusted);
    await write('reviewer.yaml', reviewer);
    await write('hostile.json', '{"description": "[x](command:workbench.action.quit) $(trash) \\u202e <b>"}\n');
    await write('wrong.yaml', 'description: Wrong\nexecutor_type: nobody\n');
  });
  after(async () => {
    tree.dispose();
    catalogue.dispose();
    log.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.workspace.fs.delete(vitrine, { recursive: true });
  });

  it('lists the content of agent files', async () => {
    const { description, contextValue, iconPath, command } = await item('reviewer');
    assert.equal(description, 'replay · opus · Reviews');
    assert.equal(contextValue, 'agent active');
    assert.deepEqual(iconPath, new vscode.ThemeIcon('robot'));
    assert.deepEqual(command?.arguments, [{ file: at('reviewer.yaml').fsPath }]);
  });

  it('shows content of files as plain text', async () => {
    const { description, tooltip } = await item('hostile');
    assert.match(String(description), /\$\(trash\) ⟨U\+202E⟩ <b>$/);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.equal(tooltip.isTrusted, false);
    assert.notEqual(tooltip.supportThemeIcons, true);
    assert.doesNotMatch(tooltip.value, /(?<!\\)\]\(|(?<!\\)</);
  });

  it('shows a file with a problem, and opens it there', async () => {
    const { description, contextValue, accessibilityInformation } = await item('wrong');
    assert.match(String(description), /^"executor_type" must be one of: /);
    assert.equal(contextValue, 'agent broken');
    assert.match(accessibilityInformation?.label ?? '', /^wrong, Error, "executor_type"/);
    await run('editAgent', 'wrong.yaml');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, at('wrong.yaml').fsPath);
    assert.equal(editor.selection.start.line, 1);
    assert.equal(editor.document.getText(editor.selection), 'nobody');
  });

  it('explains in Restricted Mode why nothing runs, and its menu runs nothing', async () => {
    trusted = false;
    const { tooltip, accessibilityInformation } = await item('reviewer');
    trusted = true;
    const why = 'Restricted Mode: this agent is listed but cannot be started.';
    assert.ok(accessibilityInformation?.label.endsWith(why));
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.match(tooltip.value, /Restricted Mode/);
    const manifest: unknown = vscode.extensions.getExtension('vitrine.vitrine')?.packageJSON;
    assert.match(
      JSON.stringify(manifest),
      /"vitrine\.runBlueprint","when":"view == vitrine\.agents[^}]*isWorkspaceTrusted"/,
    );
  });

  it('runs an agent', async () => {
    const id = await run('runBlueprint', 'reviewer.yaml', { prompt: 'Play' });
    assert.match(String(id), /^ses_[0-9a-f]{12}$/);
    await vscode.commands.executeCommand('vitrine.stopSession', id);
  });

  it('duplicates one under a new name, and rejects an existing name', async () => {
    await write('named.yaml', `name: named # here\n${reviewer}`);
    await item('named');
    assert.equal(await run('duplicateAgent', 'named.yaml', { to: 'second' }), at('second.yaml').fsPath);
    assert.equal(await read('second.yaml'), `name: second # here\n${reviewer}`);
    assert.equal((await item('second')).contextValue, 'agent active');
    for (const to of ['reviewer', 'Second', '../out', '']) {
      assert.equal(await run('duplicateAgent', 'named.yaml', { to }), undefined);
    }
    assert.equal(await read('reviewer.yaml'), reviewer);
  });

  it('duplicates one with its folder and prompt', async () => {
    await write('planner/agent.json', '{ "executor_type": "replay" }\n');
    await write('planner/prompt.md', 'You plan.\n');
    await item('planner');
    assert.equal(await run('duplicateAgent', 'planner/agent.json', { to: 'drafter' }), at('drafter/agent.json').fsPath);
    assert.equal(await read('drafter/agent.json'), '{ "executor_type": "replay" }\n');
    assert.equal(await read('drafter/prompt.md'), 'You plan.\n');
    assert.equal((await item('drafter')).contextValue, 'agent active');
  });

  it('toggles an agent, and keeps the rest of its file', async () => {
    await run('deactivateAgent', 'reviewer.yaml');
    assert.equal(await read('reviewer.yaml'), `${reviewer}status: inactive\n`);
    const dim = await item('reviewer', ({ contextValue }) => contextValue === 'agent inactive');
    assert.equal(dim.description, 'inactive · replay · opus · Reviews');
    assert.equal(dim.resourceUri?.scheme, 'vitrine-agent');
    assert.equal(await run('runBlueprint', 'reviewer.yaml', { prompt: 'Play' }), undefined);
    await run('activateAgent', 'reviewer.yaml');
    assert.equal(await read('reviewer.yaml'), `${reviewer}status: active\n`);
    await item('reviewer', ({ contextValue }) => contextValue === 'agent active');
    await run('deactivateAgent', 'planner/agent.json');
    assert.equal(await read('planner/agent.json'), '{ "executor_type": "replay", "status": "inactive" }\n');
  });

  it('leaves a file to the user that it cannot edit', async () => {
    const text = 'description: &d active\nstatus: *d\nexecutor_type: replay\n';
    await write('alias.yaml', text);
    await item('alias');
    await run('deactivateAgent', 'alias.yaml');
    assert.equal(await read('alias.yaml'), text);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, at('alias.yaml').fsPath);
  });

  it('removes the row of a deleted file', async () => {
    await vscode.workspace.fs.delete(at('wrong.yaml'));
    await until('its end', async () => (await refreshed()).every(({ label }) => label !== 'wrong') || undefined);
  });
});
