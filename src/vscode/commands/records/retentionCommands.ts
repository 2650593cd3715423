import * as vscode from 'vscode';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;
const ageChoices = [30, 90, 180, 365] as const;

/** Compresses and deletes old sessions on request. */
export function retentionCommands({ loader, retention }: Pick<CommandContext, 'loader' | 'retention'>): Commands {
  return {
    async cleanUp() {
      const title = t('Clean Up Old Sessions');
      await loader.load();
      const items = ageChoices
        .map((days) => ({ days, rows: retention.findInactive(days) }))
        .filter(({ rows }) => rows.length > 0)
        .map(({ days, rows }) => ({
          label: t('Older than {0} days', days),
          description: rows.length === 1 ? t('1 session') : t('{0} sessions', rows.length),
          rows,
        }));
      if (items.length === 0) {
        void vscode.window.showInformationMessage(t('No sessions are older than {0} days.', ageChoices[0]));
        return;
      }
      const placeHolder = t('Applies to sessions in all folders. Age is the time since the last activity');
      const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
      if (chosen === undefined) return;
      const [pack, remove] = [
        {
          label: t('Compress records and output'),
          detail: t('You can still read, search and export everything.'),
        },
        { label: t('Delete permanently…'), detail: t('Vitrine asks you to confirm.') },
      ];
      const how = await vscode.window.showQuickPick([pack, remove], { title });
      if (how === remove) await retention.remove(chosen.rows, 'user');
      if (how !== pack) return;
      const progress = { location: vscode.ProgressLocation.Notification, title: t('Vitrine: compressing…') };
      const freedBytes = await vscode.window.withProgress(progress, () => retention.pack(chosen.rows));
      void vscode.window.showInformationMessage(t('Freed {0}.', sizeText(freedBytes)));
    },
  };
}

function sizeText(bytes: number): string {
  const kilobytes = Math.max(0, Math.round(bytes / 1000));
  return kilobytes < 1000 ? t('{0} KB', kilobytes) : t('{0} MB', Math.round(kilobytes / 1000));
}
