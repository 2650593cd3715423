import * as vscode from 'vscode';
import { isBypass } from '../../../agents/choices.ts';
import type { RecallResult } from '../../../engine/recall/types.ts';
import { createDescendantsFinder } from '../../../insight/session/descendants.ts';
import { isObject } from '../../../model/text/json.ts';
import { isSessionLive } from '../../../model/session/status.ts';
import { visibleText } from '../../text/inertText.ts';
import { askForRun, type RunDefaults } from '../../run/askForRun.ts';
import { filesFromArguments, selectionInEditor } from '../../run/steps/editorPlaces.ts';
import { problemFromArgument } from '../../run/problemPrompt.ts';
import { askForRecall } from '../../run/steps/recallStep.ts';
import {
  maxAgents,
  requestShape,
  runRequestOf,
  raceRequestOf,
  raceRequestShape,
  type RunRequest,
} from '../../run/runRequest.ts';
import type { RaceCommands } from '../../run/runMemory.ts';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';
import { isQueueArgument, stopQueued } from './queueCommands.ts';

const { t } = vscode.l10n;

/** Starts the runs and opens their sessions, side by side if there are several. Returns the first session's id. */
async function startRuns(shell: CommandContext, requests: readonly RunRequest[]): Promise<string | undefined> {
  const started: string[] = [];
  for (const request of requests.slice(0, maxAgents)) {
    const id = await shell.runs.start(request);
    if (id === undefined) continue;
    await shell.panels.open(id, requests.length === 1 ? vscode.ViewColumn.Active : columnOf(started.length));
    started.push(id);
  }
  const [id] = started;
  if (id !== undefined) await shell.tree.reveal(id);
  return id;
}

/** Several agents get worktrees of their own, or else share the folder. Returns the id of the race or of the first session. */
async function beginAll(
  shell: CommandContext,
  requests: readonly RunRequest[],
  commands?: Partial<RaceCommands>,
): Promise<string | undefined> {
  if (requests.length < 2) return startRuns(shell, requests);
  const { startRace } = await import('../../races/startRace.ts');
  const raced = await startRace(shell, requests, commands);
  return raced.kind === 'shared' ? startRuns(shell, requests) : raced.id;
}

const columns = [vscode.ViewColumn.One, vscode.ViewColumn.Two, vscode.ViewColumn.Three, vscode.ViewColumn.Four];
const columnOf = (at: number): vscode.ViewColumn => columns[at] ?? vscode.ViewColumn.Beside;

async function askAndBegin(shell: CommandContext, defaults?: RunDefaults): Promise<string | undefined> {
  const decision = await askForRun(shell, defaults);
  if (decision === undefined) return undefined;
  if (!decision.opensInEditor) return beginAll(shell, decision.requests);
  await shell.drafts.open(decision);
  return undefined;
}

/** Asks for a prompt about part of an editor. The user sees it before it is sent. */
async function askAbout(shell: CommandContext, defaults: () => RunDefaults | undefined): Promise<string | undefined> {
  const about = canStartAgents() ? defaults() : undefined;
  return about === undefined ? undefined : askAndBegin(shell, about);
}

/** Whoever calls the command, only the user can allow a mode that bypasses permissions. */
async function confirmBypass({ agent, prompt, choice = {} }: RunRequest): Promise<boolean> {
  const { permissionMode: mode } = choice;
  if (!isBypass(agent, mode)) return true;
  const run = t('Run Without Asking');
  const shownPrompt = prompt.length > 400 ? `${prompt.slice(0, 399)}…` : prompt;
  const chosen = await vscode.window.showWarningMessage(
    t('Start {0} in “{1}” mode?', agent, visibleText(mode ?? '')),
    {
      modal: true,
      detail: t('The agent can change files and run commands without asking. Prompt: {0}', visibleText(shownPrompt)),
    },
    run,
  );
  return chosen === run;
}

/** Starts, resumes and stops runs. Commands return the session's id, or nothing if no run started. */
export function runCommands(shell: CommandContext): Commands {
  return {
    async runAgent(argument) {
      if (!isObject(argument) || !('agent' in argument)) return askAndBegin(shell);
      const request = runRequestOf(argument);
      if (request === undefined) throw new Error(t('The Run Agent command expects {0}.', requestShape));
      if (request.agent !== 'replay' && !canStartAgents()) return undefined;
      return (await confirmBypass(request)) ? startRuns(shell, [request]) : undefined;
    },

    runAgentWithRecall: () => (canStartAgents() ? askAndBegin(shell, { showsRecall: true }) : undefined),

    async runSeveralAgents(argument) {
      if (!canStartAgents()) return undefined;
      if (!isObject(argument)) return askAndBegin(shell, { isSeveral: true });
      const parsed = raceRequestOf(argument);
      if (parsed === undefined) throw new Error(t('The Run on Several Agents command expects {0}.', raceRequestShape));
      for (const request of parsed.requests) if (!(await confirmBypass(request))) return undefined;
      return beginAll(shell, parsed.requests, parsed.commands);
    },

    /** In the explorer: the selected files. In an editor: the selection, or else the file. */
    runAgentHere: (first, all) =>
      askAbout(shell, () =>
        Array.isArray(all) || vscode.window.activeTextEditor?.selection.isEmpty !== false
          ? filesFromArguments(first, all)
          : selectionInEditor(),
      ),
    runAgentOnSelection: () => askAbout(shell, selectionInEditor),
    runAgentOnFile: (first, all) => askAbout(shell, () => filesFromArguments(first, all)),
    runAgentOnProblem: (argument) => askAbout(shell, () => problemFromArgument(argument)),

    async runPrompt() {
      const requests = canStartAgents() ? await shell.drafts.takeRequests() : undefined;
      return requests === undefined ? undefined : beginAll(shell, requests);
    },

    playDemo: () => startRuns(shell, [{ agent: 'replay', prompt: '' }]),

    async resumeSession(argument, prompt) {
      const id = await pickSession(shell, argument, {
        title: t('Resume Session'),
        filter: (row) => !isSessionLive(row.status),
      });
      if (id === undefined) return undefined;
      await shell.panels.open(id);
      const text = typeof prompt === 'string' ? prompt : await askForMore(shell, id);
      if (text === withRecall) return vscode.commands.executeCommand('vitrine.resumeSessionWithRecall', id);
      return text === undefined ? undefined : shell.runs.resume(id, text);
    },

    async resumeSessionWithRecall(argument) {
      if (!canStartAgents()) return undefined;
      const title = t('Resume with Context from Earlier Sessions');
      const id = await pickSession(shell, argument, { title, filter: (row) => !isSessionLive(row.status) });
      if (id === undefined) return undefined;
      await shell.panels.open(id);
      const decision = await askForMoreWithRecall(shell, id, title);
      return decision === undefined ? undefined : shell.runs.resume(id, decision.text, decision.recall);
    },

    async changeOptions(argument) {
      if (!canStartAgents()) return;
      const id = await pickSession(shell, argument, { title: t('Model, Mode and Limits') });
      if (id !== undefined) await shell.runs.changeOptions(id);
    },

    async stopSession(argument, selected) {
      if (isQueueArgument(argument)) {
        await stopQueued(shell, [argument, selected]);
        return;
      }
      const filter = shell.list.live().length > 0 ? undefined : () => false;
      const id = await pickSession(shell, argument, {
        title: t('Stop'),
        filter: filter ?? ((row) => isSessionLive(row.status)),
      });
      if (id !== undefined) await shell.runs.stop(id);
    },

    async stopChildren(argument) {
      const findDescendants = createDescendantsFinder(shell.list.all());
      const id = await pickSession(shell, argument, {
        title: t('Stop Child Sessions'),
        filter: ({ session_id }) => findDescendants(session_id).some(({ status }) => isSessionLive(status)),
      });
      if (id !== undefined) await shell.runs.stopChildren(id);
    },
  };
}

const withRecall = Symbol('with context from earlier sessions');

async function askForMore(shell: CommandContext, id: string): Promise<string | typeof withRecall | undefined> {
  if (shell.list.get(id)?.recording === true) return '';
  const box = vscode.window.createInputBox();
  box.title = t('Resume Session');
  box.prompt = t('Next message. The agent remembers this session.');
  box.ignoreFocusOut = true;
  box.buttons = [{ iconPath: new vscode.ThemeIcon('history'), tooltip: t('Add Context from Earlier Sessions') }];
  const answer = await new Promise<string | typeof withRecall | undefined>((resolve) => {
    box.onDidAccept(() => resolve(box.value.trim() === '' ? undefined : box.value));
    box.onDidTriggerButton(() => resolve(withRecall));
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  box.dispose();
  return answer;
}

/** Without a message, the run just continues, and the session's last message is used for the search. */
async function askForMoreWithRecall(
  shell: CommandContext,
  session: string,
  title: string,
): Promise<{ readonly text: string; readonly recall?: RecallResult } | undefined> {
  let value = '';
  for (;;) {
    const prompt = t('Next message. If empty, the agent continues, and the search uses your last message.');
    const text = await vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
    if (text === undefined) return undefined;
    value = text;
    const message = text.trim() === '' ? {} : { message: { text } };
    const answer = await askForRecall(shell, {
      session,
      ...message,
      step: { title, step: 2, steps: 2, canGoBack: true },
    });
    if (answer.kind === 'none') return undefined;
    if (answer.kind === 'value') return { text, ...(answer.value !== undefined && { recall: answer.value }) };
  }
}
