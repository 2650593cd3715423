import assert from 'node:assert/strict';
import { runClaude, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, picture, useWindow } from '../session.ts';

describe('an exhausted budget', function () {
  keepEvidence();

  const settings = { 'vitrine.budgets': { session: { turns: 2 } }, 'workbench.colorTheme': 'Default Dark Modern' };
  const host = useWindow((context) => startClaudeHost(context, { settings }), { width: 1280, height: 900 });
  const bar = () => host.workbench.webview().locator('.notice.budget');

  /** A paused session in front. */
  async function openPaused(): Promise<void> {
    if (!(await bar().isVisible())) await runClaude(host.workbench, 'Put matcha on the menu. [[change]]');
    await bar().getByText('Paused: the budget for this session is used up (2 of 2 turns).').waitFor();
  }

  async function openLimit(): Promise<void> {
    await openPaused();
    await bar().getByRole('button', { name: 'Raise Budget…' }).click();
    await host.workbench.page.getByText('New limit for this session, in model turns').waitFor();
  }

  it('pauses the agent, and shows that on its page and in a notification', async () => {
    await openPaused();
    await statusWord(host.workbench, 'Paused: 2 of 2 turns');
    await host.workbench.notification('is paused. The budget for this session is used up: 2 of 2 turns').waitFor();
    // The agent may still begin the tools of the response that reached the limit. The model is not asked again.
    assert.equal(await host.workbench.webview().getByText('Matcha is on the menu for 5.20 EUR').count(), 0);
    await picture(host.workbench, 'budget-paused');
  });

  it('asks for the new limit, and rejects a lower one', async () => {
    await openLimit();
    assert.equal(await host.workbench.quickInput().inputValue(), '4');
    await host.workbench.quickInput().fill('2');
    await host.workbench.page.getByText('Enter a number greater than 2.').waitFor();
    await picture(host.workbench, 'budget-raise');
    await host.workbench.page.keyboard.press('Escape');
  });

  it('resumes to the end after it is raised', async () => {
    await openLimit();
    await host.workbench.quickInput().fill('20');
    await host.workbench.quickInput().press('Enter');
    await host.workbench.webview().getByText('Matcha is on the menu for 5.20 EUR').first().waitFor();
    await statusWord(host.workbench, 'Finished');
    await bar().waitFor({ state: 'detached' });
    await picture(host.workbench, 'budget-raised');
  });
});
