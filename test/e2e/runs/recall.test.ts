import assert from 'node:assert/strict';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { EchoAgent } from '../../support/agents/echo.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { said } from '../../support/sessions/madeEntries.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { seedSessions } from '../seed.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const fixed = 'The upload retries three times; jitter made the test flaky, so the delay is fixed at 250 ms.';
const later = 'Upload retries log each delay at debug level since then.';
const secretive = 'The upload retries of the other project wait a whole second of delay.';

describe('context from earlier sessions', function () {
  keepEvidence();
  let context: BrowserContext;
  let workbench: Workbench;
  let codex: EchoAgent;

  before(async function () {
    if (process.platform === 'win32') skip(this, 'the stand-in is a script with a shebang');
    const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
    const { root } = server.folder;
    codex = new EchoAgent(path.join(root, 'bin'), 'codex');
    writeMachineSettings(root, { 'vitrine.codex.path': codex.program });
    const about = { daysAgo: 1, usd: 0.1, turns: 1, seconds: 20 };
    await seedSessions(server.folder, [
      {
        ...about,
        title: 'Fix the flaky upload test',
        entries: [said(0, 'Fix the flaky test', 'user_message'), said(1, fixed)],
      },
      { ...about, title: 'Log the retries', entries: [said(0, 'Log them', 'user_message'), said(1, later)] },
      { ...about, title: 'Elsewhere', folder: '/elsewhere', entries: [said(0, secretive)] },
    ]);
    ({ context } = await newProfile({ width: 1200, height: 800 }));
    workbench = await openWindow(server, context);
  });
  after(async () => (context as BrowserContext | undefined)?.close());

  const row = (text: string) => workbench.quickPickRow(text);
  const press = (key: string) => workbench.quickInput().press(key);
  const title = (text: string) => workbench.page.locator('.quick-input-title', { hasText: text }).waitFor();
  const placeholder = (text: string) =>
    workbench.page.locator(`.quick-input-widget input[placeholder^="${text}"]`).waitFor();
  const transcript = () => workbench.webview().getByRole('tabpanel', { name: 'Transcript' });

  const question = 'Which delay have the upload retries?';
  const lastMessage = () => transcript().getByText('found with your last message').first();

  /** A session of Codex in front that began with the question. */
  async function openAsked(): Promise<void> {
    if ((await workbench.editorTab(question).count()) > 0) return;
    await workbench.choose('Vitrine: Run Agent…', 'Codex');
    await title('Run Codex');
    await workbench.quickInput().fill(question);
    await press('Enter');
    await transcript().getByText('Done by').first().waitFor();
  }

  /** Resumes it with what was found with its last message. Returns the prompt. */
  async function resume(): Promise<string> {
    await openAsked();
    await workbench.runCommand('Vitrine: Resume Session…');
    await workbench.page.getByRole('button', { name: 'Add Context from Earlier Sessions' }).click();
    await title('Resume with Context from Earlier Sessions');
    await press('Enter');
    await placeholder('Found with your last message');
    const before = codex.calls().length;
    await press('Enter');
    const { prompt } = await until('the start of the agent', () => codex.calls()[before]);
    await lastMessage().waitFor();
    return prompt;
  }

  it('is shown before it is sent, without removed passages, and noted in the transcript', async () => {
    await workbench.choose('Vitrine: Run Agent…', 'Codex');
    await title('Run Codex');
    await workbench.quickInput().fill(question);
    await row('Context from earlier sessions…').click();
    await title('Context from Earlier Sessions');
    await placeholder('Found with the text of this message');
    await row(fixed.slice(0, 60)).filter({ hasText: 'Fix the flaky upload test · Agent' }).waitFor();
    assert.equal(await row('of the other project').count(), 0);
    await picture(workbench, 'recall');
    await row(later.slice(0, 40)).locator('input[type=checkbox], .monaco-checkbox').first().click();
    const before = codex.calls().length;
    await workbench.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await row('Sent with the prompt: ').waitFor();
    await press('Enter');
    const { prompt } = await until('the start of the agent', () => codex.calls()[before]);
    assert.match(prompt, /^Note written by Vitrine, not by the user/);
    assert.ok(prompt.includes(fixed) && !prompt.includes(later) && !prompt.includes(secretive));
    assert.ok(prompt.endsWith(`The message follows:\n\n${question}`));
    await transcript().getByText('Fix the flaky upload test; found with the text of this message').first().waitFor();
    await transcript().getByText('Done by').first().waitFor();
    await picture(workbench, 'recall-transcript');
  });

  it('includes other folders only on request', async () => {
    await workbench.choose('Vitrine: Run Agent…', 'Codex');
    await title('Run Codex');
    await workbench.quickInput().fill(question);
    await row('Context from earlier sessions…').click();
    await placeholder('Found with the text of this message');
    assert.equal(await row('of the other project').count(), 0);
    await workbench.page.getByRole('button', { name: 'Also Search Other Folders' }).click();
    await row('of the other project').waitFor();
    await press('Enter');
    await row('Sent with the prompt: ').waitFor();
    await press('Escape');
  });

  it("uses the user's last message if a session just continues", async () => {
    const prompt = await resume();
    assert.ok(prompt.includes(fixed) && prompt.endsWith('Continue.'));
  });

  it('links from the note to the session of a passage', async () => {
    if ((await lastMessage().count()) === 0) await resume();
    await lastMessage().click();
    const passages = transcript().getByRole('list', { name: 'Passages from earlier sessions' });
    await passages.waitFor();
    await picture(workbench, 'recall-links');
    await passages.getByRole('button', { name: 'Fix the flaky upload test' }).first().click();
    await workbench.editorTab('Fix the flaky upload test').waitFor();
    await transcript()
      .locator('.item', { hasText: fixed.slice(0, 40) })
      .first()
      .waitFor();
  });
});
