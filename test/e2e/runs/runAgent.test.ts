import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { EchoAgent, type EchoCall } from '../../support/agents/echo.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { send } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

const bypassKey = { key: 'ctrl+shift+f9', command: 'vitrine.runAgent' };

describe('Run Agent…', function () {
  keepEvidence();
  let context: BrowserContext;
  let workbench: Workbench;
  let codex: EchoAgent;
  let copilot: EchoAgent;

  before(async function () {
    if (process.platform === 'win32') skip(this, 'the stand-ins are scripts with a shebang');
    const server = await startHost({ settings: { 'workbench.colorTheme': 'Default Dark Modern' } });
    const { root } = server.folder;
    codex = new EchoAgent(path.join(root, 'bin'), 'codex');
    copilot = new EchoAgent(path.join(root, 'bin'), 'copilot');
    writeMachineSettings(root, { 'vitrine.codex.path': codex.program, 'vitrine.copilot.path': copilot.program });
    const args = { agent: 'codex', prompt: 'From a key', permissionMode: 'danger-full-access' };
    writeFileSync(path.join(root, 'user-data/User/keybindings.json'), JSON.stringify([{ ...bypassKey, args }]));
    ({ context } = await newProfile({ width: 1200, height: 800 }));
    workbench = await openWindow(server, context);
  });
  after(async () => (context as BrowserContext | undefined)?.close());

  const input = () => workbench.quickInput();
  const row = (text: string) => workbench.quickPickRow(text);
  /** By its whole label. */
  const part = (label: string) =>
    workbench.page.locator('.quick-input-widget .monaco-list-row', {
      has: workbench.page.locator('.label-name').getByText(label, { exact: true }),
    });
  const press = (key: string) => workbench.page.keyboard.press(key);
  const title = (text: string) => workbench.page.locator('.quick-input-title', { hasText: text }).waitFor();

  /** Chooses an agent by its row, and waits for the prompt. */
  async function choose(agent: string): Promise<void> {
    await workbench.choose('Vitrine: Run Agent…', agent);
    await title(`Run ${agent}`);
  }

  /** Gives the call when its panel has the keyboard: one that opens later would take the keys of the next step. */
  async function nextCall(agent: EchoAgent, begin: () => Promise<void>): Promise<EchoCall> {
    const before = agent.calls().length;
    await begin();
    const call = await until('the start of the agent', () => agent.calls()[before]);
    const page = workbench.webview();
    await page
      .getByText(call.prompt.split('\n', 1)[0] ?? '')
      .first()
      .waitFor();
    await page.getByText('Done by').first().waitFor();
    return call;
  }

  const submit = async (prompt: string): Promise<void> => {
    await input().fill(prompt);
    await input().press('Enter');
  };

  async function openOptions(): Promise<void> {
    await row('Model, permission mode, limits…').click();
    await part('Done').waitFor();
  }

  let chosenArgs: readonly string[] | undefined;
  /** Runs Copilot with a model, a mode and a limit, unless an earlier test did: the last choice of the next tests. */
  async function runWithOptions(): Promise<readonly string[]> {
    if (chosenArgs !== undefined) return chosenArgs;
    await choose('Copilot CLI');
    await input().fill('Change it.');
    await openOptions();
    await part('Model').click();
    await title('Model for Copilot CLI');
    await picture(workbench, 'run-model');
    await submit('gpt-test');
    await part('Permission mode').click();
    await title('Permission Mode for Copilot CLI');
    await row('Allows every tool, including commands.').waitFor();
    await picture(workbench, 'run-modes');
    await part('acceptEdits').click();
    await part('Budget in AI credits').click();
    await title('Budget in AI credits of Copilot CLI');
    await submit('5');
    await title('Budget in AI credits of Copilot CLI');
    await submit('45');
    await row('Use Settings').waitFor();
    await picture(workbench, 'run-options');
    await part('Done').click();
    await row('Run: gpt-test · acceptEdits · 45 AI credits').waitFor();
    assert.equal(await input().inputValue(), 'Change it.');
    await picture(workbench, 'run-prompt');
    const { args } = await nextCall(copilot, () => input().press('Enter'));
    return (chosenArgs = args);
  }

  /** How the next run of Copilot is offered. */
  async function lastChoice(): Promise<string | null> {
    await choose('Copilot CLI');
    const offered = await row('Run: gpt-test').filter({ hasText: '45 AI credits' }).textContent();
    await press('Escape');
    return offered;
  }

  it('lists installed agents first, then missing ones with help', async () => {
    await workbench.runCommand('Vitrine: Run Agent…');
    await row('Not found on this machine').waitFor();
    await until('the login of Codex', async () => {
      await row('Run on Several Agents…').waitFor();
      await row('Codex').filter({ hasText: '0.142.0' }).waitFor();
      if (await row('Codex').filter({ hasText: '0.142.0 · signed in' }).isVisible()) return true;
      // A program that takes long to say so is listed without it, and asked again for the next list.
      await press('Escape');
      await workbench.runCommand('Vitrine: Run Agent…');
      return false;
    });
    await picture(workbench, 'run-agents');
    await row('Cursor').click();
    await title('Cursor Was Not Found');
    await row('How to Install').waitFor();
    await row('vitrine.cursor.path').waitFor();
    await picture(workbench, 'run-missing');
    await press('Escape');
  });

  it("runs with the agent's own configuration by default", async () => {
    await choose('Copilot CLI');
    await row('Run: agent default model · default mode').waitFor();
    const { args, prompt } = await nextCall(copilot, () => submit('Say done.'));
    assert.equal(prompt, 'Say done.');
    assert.doesNotMatch(args.join(' '), /--model|--allow|--mode|--max-ai/);
    await workbench.webview().getByText('Done by Copilot.').first().waitFor();
  });

  it('asks for model, mode and limit without losing the prompt, and uses them', async () => {
    const args = await runWithOptions();
    for (const arg of ['--model=gpt-test', '--allow-tool=write', '--max-ai-credits=45'])
      assert.ok(args.includes(arg), arg);
  });

  it('repeats the last choice with Enter and Enter', async () => {
    await runWithOptions();
    await workbench.runCommand('Vitrine: Run Agent…');
    await workbench.page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: 'Copilot CLI' }).waitFor();
    await press('Enter');
    await row('Run: gpt-test · acceptEdits · 45 AI credits').waitFor();
    const { args } = await nextCall(copilot, () => submit('Once more.'));
    for (const arg of ['--model=gpt-test', '--allow-tool=write', '--max-ai-credits=45'])
      assert.ok(args.includes(arg), arg);
  });

  it('marks a mode that bypasses permissions, and forgets it after the run', async () => {
    await runWithOptions();
    await choose('Copilot CLI');
    await openOptions();
    await part('Permission mode').click();
    await row('bypassPermissions').filter({ hasText: 'for this run only' }).click();
    await part('Done').click();
    await row('Run: gpt-test').filter({ hasText: 'bypassPermissions · 45 AI credits' }).waitFor();
    const { args } = await nextCall(copilot, () => submit('All of it.'));
    assert.ok(args.includes('--allow-all-tools'));
    await choose('Copilot CLI');
    await row('Run: gpt-test · default mode · 45 AI credits').waitFor();
    await press('Escape');
  });

  it("changes a session's options for later runs, from its page", async () => {
    await runWithOptions();
    const offered = await lastChoice();
    await workbench.webview().getByRole('button', { name: 'More actions' }).click();
    await workbench.webview().getByRole('menuitem', { name: 'Change Model, Mode and Limits…' }).click();
    await title('How to Run Copilot CLI');
    await part('Model').click();
    await title('Model for Copilot CLI');
    await submit('gpt-other');
    await part('Permission mode').click();
    await part('acceptEdits').click();
    await picture(workbench, 'change-options');
    await part('Done').click();
    await workbench.page.getByText('Copilot CLI: gpt-other · acceptEdits').first().waitFor();
    const { args } = await nextCall(copilot, () => send(workbench, 'And now?'));
    for (const arg of ['--model=gpt-other', '--allow-tool=write']) assert.ok(args.includes(arg), arg);
    assert.equal(await lastChoice(), offered);
  });

  it('asks before a keybinding bypasses permissions', async () => {
    const before = codex.calls().length;
    await workbench.closeEditors();
    await press('Control+Shift+F9');
    await workbench.dialog().getByText('danger-full-access').waitFor();
    await workbench.dialog().getByText('Prompt: From a key').waitFor();
    await picture(workbench, 'run-bypass');
    await press('Escape');
    await workbench.dialog().waitFor({ state: 'detached' });
    assert.equal(codex.calls().length, before);
    const { args } = await nextCall(codex, async () => {
      await press('Control+Shift+F9');
      await workbench.dialog().getByRole('button', { name: 'Run Without Asking' }).click();
    });
    assert.ok(args.join(' ').includes('--sandbox danger-full-access'));
  });

  /** menu.js, with its first three lines selected. */
  async function openSelection(): Promise<void> {
    await workbench.closeEditors();
    await press('Control+P');
    await input().fill('src/menu.js');
    await row('menu.js').waitFor();
    await press('Enter');
    await workbench.editorTab('menu.js').waitFor();
    await workbench.page.locator('.monaco-editor.focused .view-line').first().waitFor();
    await press('Control+Home');
    for (let lines = 0; lines < 3; lines += 1) await press('Shift+ArrowDown');
    await workbench.page.locator('.statusbar-item', { hasText: /\(\d+ selected\)/ }).waitFor();
  }

  it('adds a selection, shown before it is sent', async () => {
    await openSelection();
    await workbench.choose('Vitrine: Run Agent on Selection or File…', 'Codex');
    await row('Sent with the prompt: src/menu.js:1-3').waitFor();
    await picture(workbench, 'run-selection');
    const { prompt } = await nextCall(codex, () => submit('Explain this.'));
    assert.match(prompt, /^Explain this\.\n\nsrc\/menu\.js:1-3\n```javascript\n(?:[^\n]*\n){3}```$/);
  });

  it('opens an editor for a prompt of several lines', async () => {
    await openSelection();
    await workbench.choose('Vitrine: Run Agent on Selection or File…', 'Codex');
    await title('Run Codex');
    await input().fill('Look at');
    await row('Write Prompt in an Editor…').click();
    await workbench.page.getByText('Run This Prompt (Codex: agent default model').waitFor();
    await press('Control+End');
    await workbench.page.keyboard.type('\nand at its tests.');
    await picture(workbench, 'run-draft');
    const { prompt } = await nextCall(codex, () => press('Control+Enter'));
    assert.match(prompt, /^Look at\n\nsrc\/menu\.js:1-3\n[^]*\nand at its tests\.$/);
  });

  it('runs one prompt on several agents, side by side', async () => {
    await workbench.closeEditors();
    await workbench.choose('Vitrine: Run Agent…', 'Run on Several Agents…');
    await title('Run on Several Agents');
    await part('Codex').click();
    await workbench.page.getByText('1 Selected').waitFor();
    await part('Copilot CLI').click();
    await workbench.page.getByText('2 Selected').waitFor();
    await picture(workbench, 'run-several');
    await press('Enter');
    await row('Codex: agent default model').waitFor();
    const before = codex.calls().length;
    await nextCall(copilot, () => submit('Both of you.'));
    await until('the other agent', () => codex.calls()[before]);
    for (const name of ['Both of you. · Codex', 'Both of you. · Copilot CLI'])
      await workbench.editorTab(name).waitFor();
    assert.equal(await workbench.page.locator('.part.editor .editor-group-container').count(), 2);
    await picture(workbench, 'run-side-by-side');
  });

  it('compares capabilities of agents', async () => {
    await workbench.closeEditors();
    await workbench.runCommand('Vitrine: Doctor');
    await workbench.webview().getByRole('button', { name: 'Compare Agents' }).click();
    await workbench.editorTab('Compare Agents').waitFor();
    const table = workbench.webview().getByRole('table', { name: 'Capabilities of each agent' });
    await table.getByRole('columnheader', { name: 'Approvals' }).waitFor();
    await table.getByRole('row', { name: 'Codex 0.142.0' }).waitFor();
    await picture(workbench, 'compare-agents');
  });
});
