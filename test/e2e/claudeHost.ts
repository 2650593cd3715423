import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { copyingProgram } from '../support/agents/asking/copyingProgram.ts';
import { claudeVariables } from '../support/agents/environment.ts';
import { type OwnFigures, ownFigures } from '../support/agents/figures.ts';
import { allowTools } from '../support/agents/place.ts';
import type { Server } from '../support/host/server.ts';
import { type Settings, writeMachineSettings } from '../support/host/settings.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { type ModelServer, startModelServer } from '../support/models/anthropic.ts';
import type { Scenarios } from '../support/models/scripts/scenario.ts';
import { testScenarios } from '../support/models/scripts/scenarios.ts';
import { skip } from '../support/skip.ts';
import { startHost } from './session.ts';

interface ClaudeHostOptions {
  readonly scenarios?: (workspace: string) => Scenarios;
  /** Nothing is allowed unasked. */
  readonly asks?: boolean;
  /** Keeps what the program prints in files of this folder too, one for each process. */
  readonly copyOutputTo?: (server: Server) => string;
  /** Of the user, beside what the agent needs. */
  readonly settings?: Settings;
}

/** A VS Code whose Claude Code is the real program, asked by a scripted model. Skips the suite where it cannot be had. */
export async function startClaudeHost(
  context: Mocha.Context,
  { scenarios = testScenarios, asks = false, copyOutputTo, settings }: ClaudeHostOptions = {},
): Promise<{ server: Server; model: ModelServer }> {
  const installed = await ensureClaudeCode('2.1.328');
  if ('missing' in installed) skip(context, installed.missing);
  const permissionMode = asks ? 'default' : 'acceptEdits';
  const server = await startHost({ settings: { 'vitrine.claude.permissionMode': permissionMode, ...settings } });
  const model = await startModelServer({ scenarios: scenarios(server.folder.workspace) });
  if (!asks) allowTools(server.folder.home);
  // Read when a window opens.
  writeMachineSettings(server.folder.root, {
    'vitrine.claude.path':
      copyOutputTo === undefined ? installed.program : copyingProgram(installed.program, copyOutputTo(server)),
    'vitrine.claude.environment': claudeVariables(model.url),
  });
  return { server, model };
}

/** Run Agent… → Claude Code → `prompt`, as a person does it. */
export async function runClaude(workbench: Workbench, prompt: string): Promise<void> {
  // Rows move while agents are looked for; one that was found stays where it is.
  const row = workbench.quickPickRow('Claude Code').and(workbench.quickPickRow('2.1.328'));
  await workbench.choose('Vitrine: Run Agent…', row);
  await workbench.page.getByPlaceholder('Prompt').waitFor();
  await workbench.quickInput().fill(prompt);
  await workbench.quickInput().press('Enter');
}

/** The toolkit's field holds its text area in a shadow root; the plain one, before the toolkit is there, is one. */
export async function send(workbench: Workbench, text: string): Promise<void> {
  const field = workbench.webview().locator('textarea#composer, #composer textarea');
  await field.fill(text);
  await field.press('Control+Enter');
}

/** Sends `text` to the session in front, or starts one with it, so that a test does not depend on an earlier one. */
export async function say(workbench: Workbench, text: string): Promise<void> {
  await ((await workbench.editorTab('').count()) > 0 ? send(workbench, text) : runClaude(workbench, text));
}

/** Waits until the header of the newest panel says `word`. */
export async function statusWord(workbench: Workbench, word: string): Promise<void> {
  await workbench.webview().locator('.status .word', { hasText: word }).waitFor();
}

/** The verbatim output of the newest run, which Vitrine keeps in its global storage. */
export function newestStdout(root: string): string {
  const storage = path.join(root, 'user-data/User/globalStorage');
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.stdout'))
    .map((name) => path.join(storage, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  return files.at(-1)!;
}

/** What the agent says there. */
export function newestFigures(root: string): OwnFigures {
  return ownFigures(newestStdout(root));
}
