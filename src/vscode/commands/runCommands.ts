import * as vscode from 'vscode';
import { isObject } from '../../model/json.ts';
import { isSessionLive } from '../../model/status.ts';
import { askForRun, runRequestOf } from '../runAgent.ts';
import type { RunRequest } from '../runControl.ts';
import type { Commands, Shell } from './shell.ts';
import { whichSession } from './whichSession.ts';

const { t } = vscode.l10n;

async function begin(shell: Shell, request: RunRequest | undefined): Promise<string | undefined> {
  const id = request === undefined ? undefined : await shell.runs.start(request);
  if (id === undefined) return undefined;
  await shell.panels.open(id);
  await shell.tree.reveal(id);
  return id;
}

/** Starting, going on with and stopping runs. Each gives the session's id, or nothing where nothing was started. */
export function runCommands(shell: Shell): Commands {
  return {
    async runAgent(argument) {
      const asked = isObject(argument) && 'agent' in argument;
      const request = asked ? runRequestOf(argument) : await askForRun(shell.engines, shell.memory);
      if (asked && request === undefined) throw new Error(t('Run Agent takes {0}.', '{agent, prompt, cwd?}'));
      return begin(shell, request);
    },

    playDemo: () => begin(shell, { agent: 'replay', prompt: '' }),

    async resumeSession(argument, prompt) {
      const id = await whichSession(shell, argument, {
        title: t('Resume Session'),
        filter: (row) => !isSessionLive(row.status),
      });
      if (id === undefined) return undefined;
      await shell.panels.open(id);
      const text = typeof prompt === 'string' ? prompt : await askForMore(shell, id);
      return text === undefined ? undefined : shell.runs.resume(id, text);
    },

    async stopSession(argument) {
      const filter = shell.list.live().length > 0 ? undefined : () => false;
      const id = await whichSession(shell, argument, {
        title: t('Stop'),
        filter: filter ?? ((row) => isSessionLive(row.status)),
      });
      if (id !== undefined) await shell.runs.stop(id);
    },
  };
}

async function askForMore(shell: Shell, id: string): Promise<string | undefined> {
  if (shell.list.get(id)?.recording === true) return '';
  const text = await vscode.window.showInputBox({
    title: t('Resume Session'),
    prompt: t('The agent remembers this session. What next?'),
    ignoreFocusOut: true,
  });
  return text === undefined || text.trim() === '' ? undefined : text;
}
