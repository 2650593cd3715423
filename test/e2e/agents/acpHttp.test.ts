import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { startAcpServer, type AcpServer } from '../../support/acpServer/server.ts';
import type { Server } from '../../support/host/server.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { send, statusWord } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

describe('An agent on a server, from the palette to the next turn', function () {
  keepEvidence();
  let agents: AcpServer;
  let server: Server;
  let context: BrowserContext;
  let outside: string[];
  let workbench: Workbench;

  before(async function () {
    agents = await startAcpServer();
    server = await startHost();
    // Of the machine, because it says where prompts go; read when a window opens.
    const lab = { id: 'lab', label: 'Lab', baseUrl: agents.url };
    writeMachineSettings(server.folder.root, { 'vitrine.acpHttp.servers': [lab] });
    ({ context, outside } = await newProfile());
    workbench = await openWindow(server, context);
  });
  after(async () => {
    await (context as BrowserContext | undefined)?.close();
    await (agents as AcpServer | undefined)?.stop();
  });

  const page = () => workbench.webview();

  async function run(agent: string, prompt: string): Promise<void> {
    await workbench.choose('Vitrine: Run Agent…', `${agent} (Lab)`, `${agent} (Lab)`);
    await workbench.page.getByPlaceholder('Prompt').waitFor();
    await workbench.quickInput().fill(prompt);
    await workbench.quickInput().press('Enter');
  }

  it('runs, and shows the sources of its answer', async () => {
    await run('researcher', 'How is AI doing?');
    await statusWord(workbench, 'Finished');
    await page().getByText('AI adoption has increased by 40%').first().waitFor();
    await page().locator('.cref').nth(1).waitFor();
    const numbers = await page()
      .locator('.cref')
      .evaluateAll((all) => all.map((element) => element.getAttribute('aria-label')));
    assert.deepEqual(numbers, ['Source 1, cited by the agent', 'Source 2, cited by the agent']);
    assert.deepEqual(await page().locator('.prose .cited').allTextContents(), ['Naïve', 'recent study']);
    await page().locator('.cited', { hasText: 'recent study' }).hover();
    const card = page().getByRole('dialog');
    for (const source of ['AI Adoption Report 2024', 'https://example.com/ai-study-2024', 'Comprehensive analysis']) {
      await card.getByText(source).first().waitFor();
    }
    await picture(workbench, 'acp-http');
  });

  it('shows its trajectory as steps', async () => {
    await run('weather', 'What is the weather?');
    await page().getByText("It's currently 72°F and sunny").first().waitFor();
    await statusWord(workbench, 'Finished');
    await page().getByText('The user wants to know about the weather.').first().waitFor();
    const step = page().getByRole('button', { name: /weather_api/ });
    await step.click();
    await page().getByText('San Francisco, CA').first().waitFor();
    await page().getByText('"condition": "sunny"').waitFor();
  });

  it('continues in the same session of the server', async () => {
    await run('memory', 'Do you remember me?');
    await page().getByText('You asked me 0 times before.').first().waitFor();
    await statusWord(workbench, 'Finished');
    await send(workbench, 'And now?');
    await page().getByText('You asked me 1 times before.').first().waitFor();
    await statusWord(workbench, 'Finished');
    const sessions = [...agents.runs.values()].slice(-2).map(({ run: { session_id: id } }) => id);
    assert.equal(sessions[0], sessions[1]);
  });

  it('is cancelled on the server when it is stopped', async () => {
    await run('slow', 'Take your time.');
    await page().getByText('Working').first().waitFor();
    await workbench.runCommand('Vitrine: Stop');
    await statusWord(workbench, 'Stopped');
    assert.equal([...agents.runs.values()].at(-1)?.run.status, 'cancelled');
  });

  it('makes no network requests', () => {
    assert.deepEqual(outside, []);
  });
});
