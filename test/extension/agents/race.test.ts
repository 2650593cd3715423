import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { activateWithFakeAgent, sessionTabs, until, webviewTabs } from '../shell.ts';

const { Global } = vscode.ConfigurationTarget;

describe('a race of agents', () => {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  const run = <T>(name: string, ...args: unknown[]): Thenable<T> =>
    vscode.commands.executeCommand<T>(`vitrine.${name}`, ...args);
  let folder: string;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  const story = (): string => readFileSync(path.join(folder, 'story.txt'), 'utf8');

  const documentOf = (side: string): vscode.TextDocument | undefined =>
    vscode.workspace.textDocuments.find(
      ({ uri }) => uri.scheme === 'vitrine-race' && new URLSearchParams(uri.query).get('side') === side,
    );

  before(async () => {
    await activateWithFakeAgent();
    folder = path.join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, 'raced');
    mkdirSync(folder);
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'User');
    git('config', 'user.email', 'user@example.org');
    writeFileSync(path.join(folder, 'story.txt'), 'one\ntwo\nthree\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });
  after(async () => {
    await settings().update('claude.path', undefined, Global);
    await vscode.window.tabGroups.close([
      ...sessionTabs(),
      ...webviewTabs('vitrine.report'),
      ...vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(({ label }) => label.startsWith('Changes of'))),
    ]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('compares the results; one is shown, applied and undone, and branches keep both', async () => {
    const prompt = JSON.stringify([
      { init: true },
      { shell: 'sed -i "s/two/$VITRINE_LANE/" story.txt' },
      { say: 'I changed story.txt.' },
      { result: { usd: 0.01 } },
    ]);
    const agents = [{ agent: 'claude-code' }, { agent: 'claude-code', model: 'opus' }];
    const check = 'grep -q claude-code-2 story.txt';
    const asked = { ended: false };
    const started = run<string | undefined>('runSeveralAgents', { agents, prompt, cwd: folder, check });
    void started.then(() => (asked.ended = true));
    // The user sees the commands first: Enter on the first row starts.
    const id = await until('the race', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return asked.ended ? started : undefined;
    });
    assert.match(id, /^race_/);
    const page = await until('the end of the race', async () => {
      const text = await run<string | undefined>('showRaces', id);
      return text?.includes('State: finished') === true ? text : undefined;
    });
    assert.match(
      page,
      /\| claude-code · .*\| completed +\| failed \(exit code 1\) +\| 1 +\| 1 +\| 1 .*\$0\.01 \(reported\)/,
    );
    assert.match(page, /\| claude-code-2 · .*\| completed +\| passed +\| 1 +\| 1 +\| 1 .*\$0\.01 \(reported\)/);
    assert.match(page, /\| claude-code +\| claude-code-2 +\| 1 +\| 1 +\| 0 +\| `story\.txt`/);
    assert.equal(story(), 'one\ntwo\nthree\n', 'a race leaves the files of the user alone');

    await run('showRaceChanges', id, 'claude-code-2');
    const shown = await until('the diff', () => {
      const texts = ['start', 'result'].map((side) => documentOf(side)?.getText());
      return texts.includes(undefined) ? undefined : texts;
    });
    assert.deepEqual(shown, ['one\ntwo\nthree\n', 'one\nclaude-code-2\nthree\n']);

    assert.deepEqual(await run('applyRace', id, 'claude-code-2'), ['story.txt']);
    assert.equal(story(), 'one\nclaude-code-2\nthree\n');
    assert.match(await run<string>('showRaces', id), /Applied: claude-code-2: story\.txt/);
    assert.deepEqual(await run('undoRace', id), ['story.txt']);
    assert.equal(story(), 'one\ntwo\nthree\n');
    assert.equal(git('status', '--porcelain'), '');

    const branches = [
      await run<string>('branchRace', id, 'claude-code'),
      await run<string>('branchRace', id, 'claude-code-2'),
    ];
    assert.equal(git('show', `${branches[1]!}:story.txt`), 'one\nclaude-code-2\nthree\n');
    assert.equal(await run('cleanRace', id), true);
    assert.match(await run<string>('showRaces', id), /This race was cleaned up/);
    assert.equal(git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length, 1);

    const sessions = [...new Set(page.match(/ses_[0-9a-f]{12}/g))];
    assert.equal(sessions.length, 2);
    const nodes = sessions.map((session_id) => ({ kind: 'session', node: { row: { session_id } } }));
    const compared = await run<string>('compareSessions', nodes[0], nodes);
    assert.match(compared, /^# Compare Sessions\n/);
    assert.equal(compared.match(/\| completed +\| none /g)?.length, 2);
  });
});
