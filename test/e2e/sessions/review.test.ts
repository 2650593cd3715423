import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { copyFiles } from '../../support/sessions/copyFiles.ts';
import { reviewSession } from '../../support/sessions/reviewSession.ts';
import { until } from '../../support/until.ts';
import { seedSessions } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const id = 'ses_000000000000';

describe('a review by keyboard alone', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;
  let made: Awaited<ReturnType<typeof reviewSession>>;

  before(async () => {
    server = await startHost({
      settings: {
        'diffEditor.codeLens': true,
        'git.enabled': true,
        'git.enableSmartCommit': true,
        'git.openRepositoryInParentFolders': 'never',
        'workbench.colorTheme': 'Default Dark Modern',
        'workbench.reduceMotion': 'on',
      },
    });
    const { workspace } = server.folder;
    git('init', '--quiet');
    git('config', 'user.name', 'Tester');
    git('config', 'user.email', 'tester@example.org');
    made = await reviewSession(path.join(workspace, 'src/parts'), 4);
    await seedSessions(server.folder, [
      { title: 'Double values', daysAgo: 0, usd: 0.2, turns: 1, seconds: 30, entries: made.entries },
    ]);
    ({ context } = await newProfile({ width: 1380, height: 860 }));
    workbench = await openWindow(server, context);
  });
  after(() => context.close());

  function git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: server.folder.workspace, encoding: 'utf8' });
  }
  const press = (key: string) => workbench.page.keyboard.press(key);
  const left = (): number =>
    made.files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('* 2').length - 1, 0);
  const reviewed = (count: number) =>
    workbench.page
      .locator('.part.sidebar .pane-header', { hasText: `${count} of` })
      .first()
      .waitFor();

  it('opens every change of a session with the step that made it', async () => {
    await workbench.openView('Vitrine');
    await workbench.treeItem('Double values').waitFor();
    await workbench.runCommand('Vitrine: Review Changes…');
    await workbench.quickPickRow('Double values').waitFor();
    await press('Enter');
    await workbench.editorTab('Changes of Double values').waitFor();
    await reviewed(0);
    await workbench.treeItem('Step 2 · Edit').first().waitFor();
    await workbench.page.locator('.part.editor').getByText('part0.js').first().waitFor();
    await picture(workbench, 'review-all');
  });

  it('goes from change to change, reverts three and keeps the rest', async () => {
    await press('Shift+Alt+N');
    await workbench.editorTab('(session changes)').waitFor();
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Step 2 · Edit' }).first().waitFor();
    await picture(workbench, 'review-change');
    let [reverts, keeps] = [0, 0];
    for (let at = 0; at < 12; at += 1) {
      // The cursor is on the next change before the next key.
      await workbench.editorTab(`part${Math.floor(at / 3)}.js (session changes)`).waitFor();
      await workbench.statusBarItem(`Ln ${[5, 15, 25][at % 3]}, Col 1`).waitFor();
      const isRevert = at % 5 === 0;
      if (isRevert) reverts += 1;
      else keeps += 1;
      await press(isRevert ? 'Shift+Alt+Z' : 'Shift+Alt+K');
      await until(`${reverts} reverts`, () => left() === 12 - reverts);
      await reviewed(keeps);
    }
    assert.equal(left(), 9);
    await workbench.page.locator('.codelens-decoration a:visible', { hasText: 'Reviewed' }).last().waitFor();
    await picture(workbench, 'review-done');
  });

  it('commits with a link to the session', async () => {
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
      new RegExp(`/session/${id}\\s`),
    );
  });

  it('forks at a prompt, or restores its files, from the menu of the prompt', async () => {
    const { workspace, root } = server.folder;
    const [first = '', second = ''] = made.files;
    const store = path.join(root, 'user-data/User/globalStorage/vitrine.vitrine');
    for (const file of [first, second]) writeFileSync(file, made.after);
    await copyFiles(store, { id, folder: workspace }, 0);
    writeFileSync(first, made.before);
    rmSync(second);

    await workbench.openView('Vitrine');
    await workbench.treeItem('Double values').first().click();
    const prompt = workbench.webview().locator('.prompt').first();
    const menu = workbench.page.locator('.monaco-menu');
    const choose = async (item: string): Promise<void> => {
      await until('the menu of the prompt', async () => {
        // The workbench may move the focus after a dialog.
        await press('Escape');
        await prompt.focus();
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
    await press('Enter');
    await workbench.page
      .locator('.quick-input-message', { hasText: 'The message that replaces the prompt.' })
      .waitFor();
    assert.equal(await workbench.quickInput().inputValue(), 'Double the values at the places that matter.');
    await picture(workbench, 'fork-message');
    await press('Escape');

    await choose('Restore Files to Here…');
    await workbench.quickPickRow('Restore 2 Files').waitFor();
    await workbench.quickPickRow('part1.js').waitFor();
    await picture(workbench, 'restore-list');
    await press('ArrowDown');
    await press('Enter');
    await workbench.editorTab('Restore Files to').waitFor();
    await workbench.page.locator('.part.editor').getByText('part1.js').first().waitFor();
    await picture(workbench, 'restore-changes');
    // An editor that is still loading may take the focus.
    await workbench.quickPickRow('Restore 2 Files').click();
    const text = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
    await until('the restored files', () => [first, second].every((file) => text(file) === made.after));
    // A toast disappears after a while.
    await workbench.showNotifications();
    const undo = workbench.notification('Restored 2 files.').getByRole('button', { name: 'Undo' }).last();
    await undo.waitFor();
    await picture(workbench, 'restore-done');
    await undo.click();
    await until('the undo', () => readFileSync(first, 'utf8') === made.before && !existsSync(second));
  });
});
