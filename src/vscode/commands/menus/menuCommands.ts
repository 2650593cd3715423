import * as vscode from 'vscode';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument } from '../pick.ts';
import { chooseAction, commandAction } from './chooseAction.ts';

const { t } = vscode.l10n;

/** Menus that group commands. The commands keep their ids, for keybindings and other extensions. */
export function menuCommands(shell: CommandContext): Commands {
  const { followUps, search } = shell;
  return {
    followUps(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      const due = followUps.due().length > 0;
      return chooseAction(t('Follow-ups'), [
        commandAction(t('Why No Follow-up?'), 'question', 'whyNoFollowUp', ...ofSession(id)),
        ...(due ? [commandAction(t('Cancel Follow-up…'), 'sync-ignored', 'cancelFollowUp')] : []),
        ...(canStartAgents()
          ? [commandAction(t('Turn On for This Session'), 'bell', 'followUpsOn', ...ofSession(id))]
          : []),
        commandAction(t('Turn Off for This Session'), 'bell-slash', 'followUpsOff', ...ofSession(id)),
        followUps.isPaused
          ? commandAction(t('Resume All'), 'debug-start', 'resumeFollowUps')
          : commandAction(t('Pause All'), 'debug-pause', 'pauseFollowUps'),
      ]);
    },

    exportMenu(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      return chooseAction(t('Export'), [
        commandAction(t('Session…'), 'export', 'exportSession', ...ofSession(id)),
        commandAction(t('Audit…'), 'shield', 'exportAudit', ...ofSession(id)),
        ...(sessionOfArgument(argument) === undefined
          ? [commandAction(t('Usage as CSV…'), 'table', 'exportUsage')]
          : []),
      ]);
    },

    importMenu: () =>
      chooseAction(t('Import'), [
        commandAction(t('Session or Messages…'), 'cloud-download', 'importSession'),
        commandAction(t('Replay Agent Output File…'), 'play-circle', 'replayFile'),
      ]),

    openRecord(argument) {
      const id = sessionOfArgument(argument) ?? shell.panels.active;
      return chooseAction(t('Open Record'), [
        commandAction(t('Record'), 'file-code', 'revealRecord', ...ofSession(id)),
        commandAction(t('Raw Output of the Last Run'), 'output', 'showRawOutput', ...ofSession(id)),
      ]);
    },

    manageSecrets: () =>
      chooseAction(t('Saved Inputs and Tokens'), [
        commandAction(t('Set Token for Agent Server…'), 'key', 'setServerToken'),
        commandAction(t('Clear Saved MCP Inputs…'), 'trash', 'forgetAgentInputs'),
      ]),

    /** Options that widen the search beyond the Sessions view. */
    async filterSearch() {
      const everywhereItem = { label: t('Hidden sessions and other folders'), picked: search.searchesEverywhere };
      const synthetic = { label: t('Follow-ups and child results'), picked: search.synthetic };
      const chosen = await vscode.window.showQuickPick([everywhereItem, synthetic], {
        title: t('Search Filters'),
        placeHolder: t('Also search in…'),
        canPickMany: true,
      });
      if (chosen === undefined) return;
      await search.setEverywhere(chosen.includes(everywhereItem));
      await search.setSynthetic(chosen.includes(synthetic));
    },
  };
}

const ofSession = (id: string | undefined): readonly string[] => (id === undefined ? [] : [id]);
