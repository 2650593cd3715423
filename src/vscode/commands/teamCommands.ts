import * as vscode from 'vscode';
import { inertText } from '../text/inertText.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import type { Commands, CommandContext } from './commandContext.ts';
import { pickSession } from './pick.ts';

const { t } = vscode.l10n;

/** Joining, leaving, and what the team sees. */
export function teamCommands(shell: CommandContext): Commands {
  return {
    async joinTeam() {
      const { joinTeam } = await import('../team/joinTeam.ts');
      await joinTeam(shell);
    },
    /** Shows the team with its actions; without a team, as `joinTeam`. */
    async teamStatus() {
      const { joinTeam } = await import('../team/joinTeam.ts');
      await joinTeam(shell);
    },
    /** Shares or withdraws a session, whatever the setting of its folder. */
    async shareSession(argument) {
      const id = await pickSession(shell, argument, { title: t('Share with Team') });
      if (id === undefined) return;
      const row = shell.list.get(id);
      const { pickShare } = await import('../team/pickShare.ts');
      const share = await pickShare(t('Share “{0}”', row === undefined ? id : inertText(titleOf(row))));
      if (share !== undefined) await (await shell.engines.get()).team.shareSession(id, share);
    },
  };
}
