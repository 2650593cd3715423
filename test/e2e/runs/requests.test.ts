import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Gate } from '../../support/gate.ts';
import { turnsOf } from '../../support/models/conversation.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { teaQuestion } from '../../support/models/scripts/teaQuestion.ts';
import { runClaude, say, send, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

const make = tool('Bash', { command: 'touch made.txt && ls', description: 'Make the file' });

const lookedAway = new Gate();
const queued = new Gate();

const scenarios = (workspace: string): Scenarios => ({
  edit: [
    { blocks: [tool('Write', { file_path: `${workspace}/tea.txt`, content: 'Green tea\n' })] },
    { blocks: [text('Wrote it.')] },
  ],
  make: [{ blocks: [make] }, { blocks: [text('That was that.')] }],
  later: [{ blocks: [make], pace: { after: lookedAway.opened } }, { blocks: [text('Made it after all.')] }],
  ask: teaQuestion,
  slow: [{ blocks: [text('Thought about it for a while.')], pace: { after: queued.opened } }],
  next: [{ blocks: [text('The next thing is done.')] }],
});

describe('requests of Claude Code, answered in the panel', function () {
  keepEvidence();
  const host = useWindow((context) => startClaudeHost(context, { scenarios, asks: true }));

  const page = () => host.workbench.webview();
  const fileExists = (): boolean => existsSync(path.join(host.server.folder.workspace, 'made.txt'));
  const press = (name: string) => page().locator('.ask vscode-button:not(.unready)', { hasText: name });
  const decided = (words: string) => page().locator('.row[data-kind=request] .rb', { hasText: words });
  const sidebar = () => host.workbench.page.locator('.part.sidebar');

  it('appear everywhere, and a denial prevents the command', async () => {
    await host.workbench.openView('Vitrine');
    await runClaude(host.workbench, 'Make the file. [[make]]');
    await page().locator('.ask pre', { hasText: 'touch made.txt && ls' }).waitFor();
    await statusWord(host.workbench, 'Needs your approval');
    await page().locator('.row[data-kind=command_run] .word', { hasText: 'needs your approval' }).waitFor();
    await sidebar().getByText('Needs You', { exact: true }).waitFor();
    await host.workbench.statusBarItem('1 needs you').waitFor();
    await host.workbench.page.locator('.part.activitybar .badge-content', { hasText: '1' }).waitFor();
    assert.equal(await host.workbench.notification('needs you').count(), 0);
    await picture(host.workbench, 'approval');
    await page().locator('.ask .reason').locator('input').fill('Not in this folder.');
    await press('Deny').click();
    await decided('Denied by you: “Not in this folder.”').waitFor();
    await statusWord(host.workbench, 'Finished');
    assert.equal(fileExists(), false);
    await host.model.waitFor(({ request }) => JSON.stringify(request).includes('Not in this folder.'));
    await host.workbench.statusBarItem('needs you').waitFor({ state: 'detached' });
    await sidebar().getByText('Needs You', { exact: true }).waitFor({ state: 'detached' });
  });

  it('notify the user, lead to the command, and run it after approval', async () => {
    await say(host.workbench, 'Then later. [[later]]');
    await statusWord(host.workbench, 'Running');
    await host.workbench.editorTab('').click({ button: 'middle' });
    await host.workbench.editorTab('').waitFor({ state: 'detached' });
    lookedAway.open();
    const notice = host.workbench.notification('needs you. ');
    await notice.waitFor();
    await picture(host.workbench, 'approval-elsewhere');
    assert.doesNotMatch((await notice.textContent()) ?? '', /Allow/);
    await notice
      .getByRole('button', { name: 'Review', exact: true })
      .or(notice.locator('a', { hasText: 'Review' }))
      .click();
    await page().locator('.what:focus', { hasText: 'touch made.txt' }).waitFor();
    await notice.waitFor({ state: 'detached' });
    await press('Allow Once').waitFor();
    assert.equal(fileExists(), false);
    await host.workbench.page.keyboard.press('Tab');
    await host.workbench.page.keyboard.press('Enter');
    await decided('Allowed once by you').waitFor();
    await page().getByText('Made it after all.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    assert.equal(fileExists(), true);
  });

  it('include questions', async () => {
    await say(host.workbench, 'Tea? [[ask]]');
    // All of it stands on screen: whoever scrolls before that leaves the end of the list.
    await press('Dismiss').waitFor();
    await page().getByRole('radio', { name: 'Green' }).check();
    await picture(host.workbench, 'question');
    await press('Answer').first().click();
    await decided('Answered by you: “Green”').waitFor();
    await page().getByText('A good choice.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    await host.model.waitFor(({ request }) => /Which tea\?[^]{0,20}Green/.test(JSON.stringify(request)));
  });

  it('lets a person change an edit before it is made', async () => {
    await say(host.workbench, 'Write it down. [[edit]]');
    await press('Edit…').click();
    await host.workbench.editorTab('tea.txt (now ↔ what the agent would write)').waitFor();
    const right = host.workbench.page.locator('.monaco-diff-editor .editor.modified');
    await right.locator('.view-line', { hasText: 'Green' }).click();
    await host.workbench.page.keyboard.press('Control+Home');
    await host.workbench.page.keyboard.type('Iced ');
    await right.locator('.view-line', { hasText: 'Iced' }).waitFor();
    await picture(host.workbench, 'approval-edit');
    await host.workbench.page.keyboard.press('Control+Enter');
    await host.workbench.editorTab('what the agent would write').waitFor({ state: 'detached' });
    await decided('Allowed with edits').waitFor();
    await page().getByText('Wrote it.').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    const { workspace } = host.server.folder;
    assert.equal(readFileSync(path.join(workspace, 'tea.txt'), 'utf8'), 'Iced Green tea\n');
    await picture(host.workbench, 'approval-edited');
  });

  it('says a message that was queued while it worked when the turn has ended', async () => {
    await say(host.workbench, 'Think. [[slow]]');
    await page().locator('#interrupt').waitFor();
    await send(host.workbench, 'And then the next. [[next]]');
    await page().locator('.queue li', { hasText: 'And then the next.' }).waitFor();
    await picture(host.workbench, 'queued');
    queued.open();
    await page().getByText('Thought about it for a while.').first().waitFor();
    await page().getByText('The next thing is done.').first().waitFor();
    await page().locator('.queue').waitFor({ state: 'detached' });
    await statusWord(host.workbench, 'Finished');
    const { request } = await host.model.waitFor(({ scenario }) => scenario === 'next');
    assert.match(turnsOf(request).join('\n'), /Thought about it for a while\.[^]*And then the next\./);
  });
});
