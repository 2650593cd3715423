import * as vscode from 'vscode';
import { findRuns } from '../../client/machine/findRuns.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import { folderText } from './folderText.ts';
import { runsByFolder } from './runsByFolder.ts';

const { t } = vscode.l10n;

interface StopAllDeps {
  readonly stores: readonly string[];
  readonly version: string;
  readonly log: vscode.LogOutputChannel;
}

/** Stops all agents on this machine after the user confirms. Returns their number. */
export async function stopAll({ stores, version, log }: StopAllDeps): Promise<number> {
  const { runs, close } = await findRuns(stores, version);
  try {
    if (runs.length === 0) {
      void vscode.window.showInformationMessage(t('No agent is running on this machine.'));
      return 0;
    }
    if (!(await isConfirmed(runs))) return 0;
    const stopped = await Promise.allSettled(runs.map((run) => run.stop()));
    const failed = stopped.filter(({ status }) => status === 'rejected').length;
    log.info(logLine('stop all', { agents: runs.length, failed }));
    if (failed > 0) void vscode.window.showErrorMessage(stopFailedText(failed));
    return runs.length - failed;
  } finally {
    close();
  }
}

async function isConfirmed(
  runs: readonly {
    readonly session_id: string;
    readonly title?: string | undefined;
    readonly project_dir?: string | undefined;
  }[],
): Promise<boolean> {
  const folders = runsByFolder(
    runs.map(({ session_id: id, title, project_dir: folder }) => ({
      id,
      folder,
      title: titleOf({ title, prompt: id }),
    })),
  );
  const stop = t('Stop All');
  const message =
    runs.length === 1
      ? t('Stop the agent that is running on this machine?')
      : t('Stop {0} running agents?', runs.length);
  const chosen = await vscode.window.showWarningMessage(
    message,
    { modal: true, detail: folders.map(folderText).join('\n') },
    stop,
  );
  return chosen === stop;
}

function stopFailedText(count: number): string {
  return count === 1
    ? t('1 agent could not be stopped. See the log for details.')
    : t('{0} agents could not be stopped. See the log for details.', count);
}
