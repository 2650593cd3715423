import * as vscode from 'vscode';
import { inertText } from '../../text/inertText.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';
import { chooseAction, commandAction } from './chooseAction.ts';

const { t } = vscode.l10n;

/** Copies parts of a session. */
export function copyCommands(shell: CommandContext): Commands {
  /** Command line with which the agent itself resumes the session. */
  const nativeResume = async (
    id: string,
  ): Promise<{ readonly command: string; readonly folder: string } | undefined> => {
    const handle = await (await shell.engines.get()).open(id);
    const {
      observed,
      executor_type: executor = '',
      executor_session_id: native,
      project_dir: folder,
    } = handle.summary();
    handle.dispose();
    const { resumeCommand } = await import('../../../agents/stores/resumeCommand.ts');
    const command = native === undefined ? undefined : resumeCommand(observed?.agent ?? executor, native);
    return command === undefined ? undefined : { command, folder: folder ?? '' };
  };

  return {
    async copyMenu(argument) {
      const id = await pickSession(shell, argument, { title: t('Copy') });
      if (id === undefined) return undefined;
      const native = await nativeResume(id);
      const isObserved = shell.list.get(id)?.observed !== undefined;
      return chooseAction(t('Copy'), [
        commandAction(t('Session ID'), 'copy', 'copySessionId', id),
        commandAction(t('Link'), 'link', 'copyLink', id),
        ...(isObserved ? [] : [commandAction(t('Transcript as Markdown'), 'markdown', 'copyMarkdown', id)]),
        ...(native === undefined
          ? []
          : [
              {
                ...commandAction(t('Resume Command'), 'terminal', 'copyResumeCommand', id),
                description: inertText(native.command),
              },
            ]),
      ]);
    },

    /** Copies a command for a terminal and returns it. */
    async copyResumeCommand(argument) {
      const id = await pickSession(shell, argument, { title: t('Copy Resume Command') });
      const native = id === undefined ? undefined : await nativeResume(id);
      if (id === undefined) return undefined;
      if (native === undefined) {
        void vscode.window.showInformationMessage(t('This agent has no command that resumes a session.'));
        return undefined;
      }
      await vscode.env.clipboard.writeText(native.command);
      vscode.window.setStatusBarMessage(t('Copied. Run it in {0}.', inertText(native.folder)), 5000);
      return native.command;
    },
  };
}
