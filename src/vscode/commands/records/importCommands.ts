import * as vscode from 'vscode';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import type { ImportReport } from '../../../engine/import/importFile.ts';
import type { ExecutorType } from '../../../model/session/session.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickAgent } from '../pick.ts';

const { t } = vscode.l10n;

/** Imports sessions. Starts no program. */
export function importCommands(shell: CommandContext): Commands {
  return {
    /** Returns the session's id. Callers may pass a path. */
    async importSession(argument) {
      const file = typeof argument === 'string' ? argument : await askForFile();
      if (file === undefined) return undefined;
      const report = await importFile(shell, file);
      if (report === undefined) return undefined;
      await shell.loader.refresh();
      await shell.panels.open(report.sessionId);
      if (report.problems > 0) {
        void vscode.window.showWarningMessage(t('Could not read {0} parts of the file.', report.problems));
      }
      return report.sessionId;
    },
  };
}

async function importFile(shell: CommandContext, file: string): Promise<ImportReport | undefined> {
  const { archive } = await shell.engines.get();
  const title = t('Vitrine: importing…');
  const run = (agent: ExecutorType | undefined) =>
    vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      archive.import({ file, ...(agent !== undefined && { agent }) }),
    );
  try {
    return await run(undefined);
  } catch (error) {
    if (!EngineFailure.is(error, 'output_unknown')) throw error;
    const agent = await pickAgent(error.message, archive.importable());
    return agent === undefined ? undefined : await run(agent);
  }
}

async function askForFile(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: t('Select a record, a message list, or saved agent output'),
    openLabel: t('Import'),
  });
  return chosen?.[0]?.fsPath;
}
