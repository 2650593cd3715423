import * as vscode from 'vscode';
import { ancestorsOf } from '../../../engine/process/ancestors.ts';
import { inertText } from '../../text/inertText.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { watchOrFork } from '../../resume/fork.ts';
import type { WindowEngine } from '../../engine/windowEngine.ts';
import { canStartAgents } from '../../settings/trust.ts';
import { pickSession, sessionOfArgument } from '../pick.ts';

const { t } = vscode.l10n;

/** Shells and multiplexers. Their parent process says more about where a program runs. */
const intermediatePrograms = /^-?(?:sh|bash|zsh|fish|dash|ksh|nu|pwsh|node|npm.*|login|su|sudo|env|sleep)$/;

/** Says what the agent will know in a fork at the end of a session. */
async function firstMessageText(engine: Pick<WindowEngine, 'planFork'>, session: string): Promise<string> {
  const { way } = await engine.planFork(session);
  return way === 'conversation'
    ? t('First message of the new session. The agent remembers the current session.')
    : t(
        'First message of the new session. The agent cannot fork its own conversation: it gets the transcript as text.',
      );
}

/** Commands for sessions from other programs. */
export function observedCommands(shell: CommandContext): Commands {
  return {
    async keepSession(argument) {
      const id = sessionOfArgument(argument);
      if (id === undefined) return;
      await (await shell.engines.get()).copySession(id);
      vscode.window.setStatusBarMessage(t('Session copied to Vitrine’s records'), 3000);
    },

    /** Takes a prompt or asks for it. Returns the new session's id. */
    async forkSession(argument, prompt) {
      if (!canStartAgents()) return undefined;
      const id = await pickSession(shell, argument, { title: t('Fork Session') });
      const row = id === undefined ? undefined : shell.list.get(id);
      if (id === undefined) return undefined;
      const isElsewhere = row?.observed !== undefined && row.observed.live.state !== 'ended';
      const choice = isElsewhere ? await watchOrFork(row.agent_label) : 'fork';
      if (choice === 'watch') await shell.panels.open(id);
      if (choice !== 'fork') return undefined;
      const text =
        typeof prompt === 'string'
          ? prompt
          : await vscode.window.showInputBox({
              title: t('Fork Session'),
              prompt: await firstMessageText(await shell.engines.get(), id),
              ignoreFocusOut: true,
            });
      if (text === undefined || text.trim() === '') return undefined;
      const forked = await shell.runs.fork(id, text);
      if (forked !== undefined) await shell.panels.open(forked);
      return forked;
    },

    async showTerminal(argument) {
      const row = shell.list.get(sessionOfArgument(argument) ?? '');
      const pid = row?.observed?.live.pid;
      if (row === undefined || pid === undefined) return;
      const ancestors = await ancestorsOf(pid);
      const ancestorPids = new Set(ancestors.map((ancestor) => ancestor.pid));
      for (const terminal of vscode.window.terminals) {
        const shellPid = await terminal.processId;
        if (shellPid === undefined || !ancestorPids.has(shellPid)) continue;
        terminal.show();
        return;
      }
      const program = ancestors.slice(1).find(({ name }) => !intermediatePrograms.test(name));
      const where = program?.name ?? ancestors.at(-1)?.name;
      const label = inertText(row.agent_label);
      const text =
        where === undefined
          ? t('{0} is running outside this window (process {1}).', label, pid)
          : t('{0} is running outside this window, in {1} (process {2}).', label, inertText(where), pid);
      void vscode.window.showInformationMessage(text);
    },
  };
}
