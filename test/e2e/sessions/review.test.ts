import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Workbench } from '../../support/host/workbench.ts';
import { reviewScenario } from '../../support/models/scripts/reviewScenario.ts';
import { reviewedFiles, textAfter, textBefore } from '../../support/sessions/reviewSession.ts';
import { until } from '../../support/until.ts';
import { runClaude, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

const prompt = 'Double the values at the places that matter. [[double]]';

describe('a review of a session of Claude Code by keyboard alone', function () {
  keepEvidence();
  let workbench: Workbench;
  let workspace: string;
  let files: string[];

  const host = useWindow(
    async (context) => {
      const started = await startClaudeHost(context, {
        scenarios: (folder) => reviewScenario(path.join(folder, 'src/parts')),
        settings: {
          'diffEditor.codeLens': true,
          'git.enabled': true,
          'git.enableSmartCommit': true,
          'git.openRepositoryInParentFolders': 'never',
          'workbench.colorTheme': 'Default Dark Modern',
          'workbench.reduceMotion': 'on',
        },
      });
      ({ workspace } = started.server.folder);
      files = reviewedFiles(path.join(workspace, 'src/parts'), 4);
      mkdirSync(path.join(workspace, 'src/parts'));
      writeBefore();
      git('init', '--quiet');
      git('config', 'user.name', 'Tester');
      git('config', 'user.email', 'tester@example.org');
      git('add', '.');
      git('commit', '--quiet', '-m', 'Start');
      return started;
    },
    { width: 1380, height: 860 },
  );
  before(() => ({ workbench } = host));

  function git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: workspace, encoding: 'utf8' });
  }
  function writeBefore(): void {
    for (const file of files) writeFileSync(file, textBefore);
  }
  const press = (key: string) => workbench.page.keyboard.press(key);
  const left = (): number => files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('* 2').length - 1, 0);
  const lens = (text = '') => workbench.page.locator('.codelens-decoration:visible', { hasText: text }).first();
  const reviewed = (count: number) =>
    workbench.page
      .locator('.part.sidebar .pane-header', { hasText: `${count} of` })
      .first()
      .waitFor();

  let [hasRun, hasOpenChanges] = [false, false];
  /** The session of the program, which has changed the files. */
  async function openSession(): Promise<void> {
    if (hasRun) return;
    await workbench.openView('Vitrine');
    // A second attempt begins again.
    writeBefore();
    await runClaude(workbench, prompt);
    await statusWord(workbench, 'Finished');
    hasRun = true;
  }

  async function openChanges(): Promise<void> {
    await openSession();
    if (hasOpenChanges) return;
    // Of the session in the active panel.
    await workbench.runCommand('Vitrine: Review Changes…');
    await workbench.editorTab('Changes in Double the values').waitFor();
    hasOpenChanges = true;
  }

  it('begins with a run of the program', async () => {
    await openSession();
    assert.deepEqual(
      files.map((file) => readFileSync(file, 'utf8')),
      files.map(() => textAfter),
    );
    await workbench.treeItem('Double the values').first().waitFor();
    await picture(workbench, 'review-session');
  });

  it('opens every change of the session with the step that made it', async () => {
    await openChanges();
    await reviewed(0);
    await workbench.treeItem('Step 5 · Edit').first().waitFor();
    await workbench.page.locator('.part.editor').getByText('part0.js').first().waitFor();
    await picture(workbench, 'review-all');
  });

  it('goes from change to change, reverts three and keeps the rest', async () => {
    await openChanges();
    await reviewed(0);
    await workbench.page.locator('.part.editor').getByText('part0.js').first().waitFor();
    await press('Shift+Alt+N');
    await workbench.editorTab('(session changes)').waitFor();
    const unknown = 'Not reported by any tool call';
    const origins = [
      ...['Step 5 · Edit', 'Step 6 · Edit', 'Step 7 · Edit', 'Step 8 · Write', 'Step 8 · Write', 'Step 8 · Write'],
      ...['Step 9 · Edit', 'Step 10 · Edit', 'Step 11 · Edit', unknown, unknown, unknown],
    ];
    await lens(origins[0]).waitFor();
    await picture(workbench, 'review-change');
    let [reverts, keeps] = [0, 0];
    for (let at = 0; at < 12; at += 1) {
      // The cursor is on the next change before the next key.
      await workbench.editorTab(`part${Math.floor(at / 3)}.js (session changes)`).waitFor();
      await workbench.statusBarItem(`Ln ${[5, 15, 25][at % 3]}, Col 1`).waitFor();
      await lens(origins[at]).waitFor();
      const isRevert = at % 5 === 0;
      if (isRevert) reverts += 1;
      else keeps += 1;
      await press(isRevert ? 'Shift+Alt+Z' : 'Shift+Alt+K');
      await until(`${reverts} reverts`, () => left() === 12 - reverts);
      await reviewed(keeps);
    }
    assert.equal(left(), 9);
    await lens('Reviewed').waitFor();
    await picture(workbench, 'review-done');
  });

  it('commits with a link to the session', async () => {
    await openChanges();
    await workbench.runCommand('Vitrine: Add Session Link to Commit Message');
    const box = workbench.page.locator('.scm-editor').first();
    await box.getByText('Vitrine-Session').waitFor();
    await until('the focus in the message', async () => {
      // The message is the first row of the view.
      await workbench.runCommand('Source Control: Focus on Changes View');
      await press('Home');
      await press('Enter');
      return workbench.page.evaluate(() => document.activeElement?.closest('.scm-editor') !== null);
    });
    await press('Control+Home');
    await workbench.page.keyboard.type('Double some values');
    await box.getByText('Double some values').waitFor();
    await picture(workbench, 'review-commit');
    await press('Control+Enter');
    await until('the commit', () => {
      try {
        return git('log', '-1', '--format=%B').startsWith('Double some values');
      } catch {
        return false;
      }
    });
    assert.match(
      git('log', '-1', '--format=%(trailers:key=Vitrine-Session,valueonly)'),
      /\/session\/ses_[0-9a-f]{12}\s/,
    );
  });

  it('forks at a prompt, or restores its files, from the menu of the prompt', async () => {
    await openSession();
    const contents = () => files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
    const [first = '', second = ''] = files;
    writeFileSync(first, 'mine\n');
    rmSync(second, { force: true });
    const userContents = contents();

    await workbench.openView('Vitrine');
    await workbench.treeItem('Double the values').first().click();
    const row = workbench.webview().locator('.prompt').first();
    const menu = workbench.page.locator('.monaco-menu');
    const choose = async (item: string): Promise<void> => {
      await until('the menu of the prompt', async () => {
        // The workbench may move the focus after a dialog.
        await press('Escape');
        await row.focus();
        await press('Shift+F10');
        return menu
          .getByText(item, { exact: true })
          .waitFor({ timeout: 5000 })
          .then(
            () => true,
            () => false,
          );
      });
      await picture(workbench, 'prompt-menu');
      await until(item, async () => {
        await press('ArrowDown');
        return menu.locator('.action-item.focused', { hasText: item }).isVisible();
      });
      await press('Enter');
    };

    await choose('Fork from Here…');
    await workbench.quickPickRow('Restore Files and Fork').waitFor();
    await workbench.quickPickRow('This is the first prompt').waitFor();
    await picture(workbench, 'fork-choice');
    // The page may take the focus back from its menu at any moment.
    await workbench.quickInput().press('Enter');
    await workbench.page
      .locator('.quick-input-message', { hasText: 'The message that replaces the prompt.' })
      .waitFor();
    assert.equal(await workbench.quickInput().inputValue(), prompt);
    await picture(workbench, 'fork-message');
    await workbench.quickInput().press('Escape');

    await choose('Restore Files to Here…');
    await workbench.quickPickRow('Restore 4 Files').waitFor();
    await workbench.quickPickRow('part1.js').waitFor();
    await picture(workbench, 'restore-list');
    await workbench.quickInput().press('ArrowDown');
    await workbench.quickInput().press('Enter');
    await workbench.editorTab('Restore Files to').waitFor();
    await workbench.page.locator('.part.editor').getByText('part1.js').first().waitFor();
    await picture(workbench, 'restore-changes');
    // An editor that is still loading may take the focus.
    await workbench.quickPickRow('Restore 4 Files').click();
    await until('the restored files', () => contents().every((content) => content === textBefore));
    // A toast disappears after a while.
    await workbench.showNotifications();
    const undo = workbench.notification('Restored 4 files.').getByRole('button', { name: 'Undo' }).last();
    await undo.waitFor();
    await picture(workbench, 'restore-done');
    await undo.click();
    await until('the undo', () => isDeepStrictEqual(contents(), userContents));
  });
});
