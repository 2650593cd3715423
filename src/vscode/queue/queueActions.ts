import { hostname } from 'node:os';
import * as vscode from 'vscode';
import { isWithin } from '../../coordinator/demands.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { WindowQueue } from '../runner/windowQueue.ts';
import { inertText } from '../text/inertText.ts';
import { missingTags, runnerHere, type QueueContents } from './queueRows.ts';
import { runTitle } from './queueText.ts';

const { t } = vscode.l10n;

/** Moves waiting runs, which keep their order. */
export async function moveRuns(
  queue: Pick<WindowQueue, 'changeRun'>,
  runs: readonly ListedRun[],
  move: 'first' | 'last',
): Promise<void> {
  const inOrder = move === 'first' ? [...runs].reverse() : runs;
  for (const { run_id, status } of inOrder) if (status === 'pending') await queue.changeRun({ run_id, move });
}

/** Gives a waiting run to the runner of this window, before all others. */
export async function runHere(
  queue: Pick<WindowQueue, 'changeRun'>,
  contents: QueueContents,
  run: ListedRun,
): Promise<void> {
  const { executor_type = '', project_dir, run_id } = run;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const runner = runnerHere(contents, run, { hostname: hostname(), folders });
  if (runner === undefined) {
    const text = t(
      'This window offers no runner for {0}. Open a trusted folder, and install the agent.',
      inertText(executor_type),
    );
    void vscode.window.showErrorMessage(text);
    return;
  }
  if (project_dir !== undefined && !isWithin(project_dir, folders)) {
    const text = t(
      'This run belongs to the folder {0}. Open that folder in a window to run it there.',
      inertText(project_dir),
    );
    void vscode.window.showErrorMessage(text);
    return;
  }
  const missing = missingTags(run, runner);
  if (missing.length > 0 && !(await mayIgnore(run, missing))) return;
  const demands = { hostname: runner.hostname, project_dir: runner.project_dir, tags: [] };
  await queue.changeRun({ run_id, move: 'first', demands });
}

async function mayIgnore(run: ListedRun, missing: readonly string[]): Promise<boolean> {
  const confirm = t('Run Here');
  const chosen = await vscode.window.showWarningMessage(
    t('Run “{0}” in this window?', inertText(runTitle(run))),
    {
      modal: true,
      detail: t('The run requires {0}, which this window’s runner does not offer.', missing.join(', ')),
    },
    confirm,
  );
  return chosen === confirm;
}
