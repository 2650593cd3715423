import * as vscode from 'vscode';
import { mayStart } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument } from '../pick.ts';
import { chooseDeed, commandDeed } from './chooseDeed.ts';

const { t } = vscode.l10n;

/** Menus that group commands. The commands keep their ids, for keybindings and other extensions. */
export function menuCommands(shell: CommandContext): Commands {
  const { followUps, search } = shell;
  return {
    followUps(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      const due = followUps.due().length > 0;
      return chooseDeed(t('Follow-ups'), [
        commandDeed(t('Why No Follow-up?'), 'question', 'whyNoFollowUp', ...ofSession(id)),
        ...(due ? [commandDeed(t('Cancel Follow-up…'), 'sync-ignored', 'cancelFollowUp')] : []),
        ...(mayStart() ? [commandDeed(t('Turn On for This Session'), 'bell', 'followUpsOn', ...ofSession(id))] : []),
        commandDeed(t('Turn Off for This Session'), 'bell-slash', 'followUpsOff', ...ofSession(id)),
        followUps.paused
          ? commandDeed(t('Resume All'), 'debug-start', 'resumeFollowUps')
          : commandDeed(t('Pause All'), 'debug-pause', 'pauseFollowUps'),
      ]);
    },

    exportMenu(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      return chooseDeed(t('Export'), [
        commandDeed(t('Session…'), 'export', 'exportSession', ...ofSession(id)),
        commandDeed(t('Audit…'), 'shield', 'exportAudit', ...ofSession(id)),
        ...(sessionOfArgument(argument) === undefined ? [commandDeed(t('Usage as CSV…'), 'table', 'exportUsage')] : []),
      ]);
    },

    importMenu: () =>
      chooseDeed(t('Import'), [
        commandDeed(t('Session or Messages…'), 'cloud-download', 'importSession'),
        commandDeed(t('Replay Agent Output File…'), 'play-circle', 'replayFile'),
      ]),

    openRecord(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      return chooseDeed(t('Open Record'), [
        commandDeed(t('Record'), 'file-code', 'revealRecord', ...ofSession(id)),
        commandDeed(t('Raw Output of the Last Run'), 'output', 'showRawOutput', ...ofSession(id)),
      ]);
    },

    manageSecrets: () =>
      chooseDeed(t('Saved Inputs and Tokens'), [
        commandDeed(t('Set Token for Agent Server…'), 'key', 'setServerToken'),
        commandDeed(t('Clear Saved MCP Inputs…'), 'trash', 'forgetAgentInputs'),
      ]),

    /** Options that widen the search beyond the Sessions view. */
    async filterSearch() {
      const everywhere = { label: t('Hidden sessions and other folders'), picked: search.everywhere };
      const synthetic = { label: t('Follow-ups and callbacks'), picked: search.synthetic };
      const chosen = await vscode.window.showQuickPick([everywhere, synthetic], {
        title: t('Search Filters'),
        placeHolder: t('Also search in…'),
        canPickMany: true,
      });
      if (chosen === undefined) return;
      await search.setEverywhere(chosen.includes(everywhere));
      await search.setSynthetic(chosen.includes(synthetic));
    },
  };
}

const ofSession = (id: string | undefined): readonly string[] => (id === undefined ? [] : [id]);
