import * as vscode from 'vscode';
import { triggerWord } from '../../../protocol/panel/triggerWord.ts';
import { dueText } from '../../followUps/followUpItem.ts';
import { markdownOf } from '../../pages/markdownOf.ts';
import { inertText } from '../../text/inertText.ts';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument, pickSession } from '../pick.ts';

const { t } = vscode.l10n;

/** Commands for follow-ups: cancel, pause, turn off, explain. */
export function followUpCommands(shell: CommandContext): Commands {
  const { followUps } = shell;
  const turn = async (argument: unknown, title: string, on: boolean): Promise<void> => {
    const id = await pickSession(shell, argument, { title });
    if (id !== undefined) await followUps.turn(id, on);
  };

  return {
    followUpsOn: (argument) => (canStartAgents() ? turn(argument, t('Turn On Follow-ups'), true) : undefined),
    followUpsOff: (argument) => turn(argument, t('Turn Off Follow-ups'), false),

    async whyNoFollowUp(argument) {
      const id = await pickSession(shell, argument, { title: t('Why No Follow-up?') });
      return id === undefined ? undefined : markdownOf(await shell.reports.show('followUps', id));
    },

    async cancelFollowUp(argument) {
      const id = sessionOfArgument(argument) ?? (await pickDueFollowUp(shell));
      if (id !== undefined) await followUps.cancel(id);
    },

    pauseFollowUps: () => followUps.pause(true),
    resumeFollowUps: () => followUps.pause(false),
  };
}

/** Asks which follow-up to cancel. Other choices are executed here. */
async function pickDueFollowUp({ followUps, panels }: CommandContext): Promise<string | undefined> {
  const open: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Open Session') };
  const due = followUps.due().map((followUp) => ({
    label: inertText(followUp.title),
    description: `${dueText(followUp, Date.now())} · ${triggerWord(followUp.trigger_type, t)}`,
    detail: `“${followUp.prompt}”`,
    iconPath: new vscode.ThemeIcon('sync-ignored'),
    buttons: [open],
    id: followUp.session_id,
  }));
  if (due.length === 0) {
    void vscode.window.showInformationMessage(t('No follow-up is pending.'));
    return undefined;
  }
  const all = { label: t('Pause All Follow-ups'), iconPath: new vscode.ThemeIcon('debug-pause'), id: undefined };
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator, id: undefined };
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly id: string | undefined }>();
  pick.title = t('Cancel Follow-up');
  pick.placeholder = t('Select the follow-up to cancel');
  pick.items = [...due, separator, all];
  const chosen = await new Promise<typeof all | (typeof due)[number] | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      resolve(item === undefined ? undefined : (due.find(({ id }) => id === item.id) ?? all));
      pick.hide();
    });
    pick.onDidTriggerItemButton(({ item }) => {
      if (item.id !== undefined) void panels.open(item.id);
      resolve(undefined);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  }).finally(() => pick.dispose());
  if (chosen === all) await followUps.pause(true);
  return chosen?.id;
}
