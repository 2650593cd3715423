import assert from 'node:assert/strict';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { Server } from '../../support/host/server.ts';
import { repository } from '../../support/host/install/cache.mjs';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { send, statusWord } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

describe('follow-ups in the window', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;
  const program = path.join(repository, 'test/support/fakeAgent/agent.mjs');
  const settings = (delay_minutes: number): void =>
    writeMachineSettings(server.folder.root, {
      'vitrine.claude.path': program,
      'vitrine.followUps': { executors: ['claude-code'], delay_minutes, max_per_session: 1 },
    });

  before(async function () {
    server = await startHost();
    settings(30);
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(() => context.close());

  const asks = JSON.stringify([{ init: true }, { say: 'Tea?' }, { result: { text: 'Tea?' } }]);
  const run = async (): Promise<void> => {
    const row = workbench.quickPickRow('Claude Code').and(workbench.quickPickRow('2.1.197'));
    await workbench.choose('Vitrine: Run Agent…', row);
    await workbench.page.getByPlaceholder('Prompt').waitFor();
    await workbench.quickInput().fill(asks);
    await workbench.quickInput().press('Enter');
    await statusWord(workbench, 'Finished');
  };
  const page = () => workbench.webview();
  /** A session in front whose follow-up is due in half an hour. */
  async function openAnnounced(): Promise<void> {
    settings(30);
    if (!(await workbench.statusBarItem('Follow-up in').isVisible())) await run();
    await workbench.statusBarItem('Follow-up in').waitFor();
  }

  it('are announced, survive a reload, and are cancelled when the user writes', async () => {
    await openAnnounced();
    await workbench.reload();
    await workbench.statusBarItem('Follow-up in').waitFor();
    await picture(workbench, 'follow-up-due');
    const card = page().locator('.rcard .lead');
    await card.getByText('Vitrine will send a follow-up automatically: ').waitFor();
    await card.scrollIntoViewIfNeeded();
    await picture(workbench, 'follow-up-card');
    const field = page().locator('textarea#composer, #composer textarea');
    await field.fill('Green');
    await workbench.statusBarItem('Follow-up in').waitFor({ state: 'detached' });
    await send(workbench, asks);
    await statusWord(workbench, 'Finished');
    await workbench.statusBarItem('Follow-up in').waitFor();
  });

  it('are paused and resumed for all windows, which show that', async () => {
    await openAnnounced();
    const other = await openWindow(server, context, server.folder.home);
    await other.choose('Vitrine: Follow-ups…', 'Pause All');
    await workbench.statusBarItem('Follow-ups paused').waitFor();
    await page().locator('.rcard .lead').getByText('Nothing runs until you send a message.').waitFor();
    await other.choose('Vitrine: Follow-ups…', 'Resume All');
    await workbench.statusBarItem('Follow-up in').waitFor();
    await other.page.close();
    await page().locator('.rcard').getByRole('button', { name: 'Cancel Follow-up' }).click();
    await workbench.statusBarItem('Follow-up in').waitFor({ state: 'detached' });
    await send(workbench, asks);
    await statusWord(workbench, 'Finished');
    await workbench.statusBarItem('Follow-up in').waitFor();
  });

  it('are hidden in the transcript until requested', async () => {
    await openAnnounced();
    settings(0.01);
    await page().getByText('1 automatic message hidden').first().waitFor();
    await picture(workbench, 'follow-up-hidden');
    assert.equal(
      await page().getByRole('tab', { name: 'Transcript' }).getAttribute('title'),
      '1 follow-up or child result hidden',
    );
    await page().getByRole('button', { name: 'Show follow-ups and child results' }).click();
    await page().getByText("The user asked a question but hasn't responded.").first().waitFor();
    await page().getByText('an unanswered question').first().waitFor();
    await picture(workbench, 'follow-up-shown');
    await workbench.statusBarItem('Follow-up in').waitFor({ state: 'detached' });
  });
});
