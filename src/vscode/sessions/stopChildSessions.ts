import * as vscode from 'vscode';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { inertText } from '../text/inertText.ts';
import { titleOf } from './sessionRow.ts';

const { t } = vscode.l10n;

/** When a session is being stopped, offers to stop its child sessions, too. */
export async function offerToStopChildren(engine: WindowEngine, session: string): Promise<void> {
  const { liveDescendants, stopChildren } = await import('../../engine/children/stopSessionTree.ts');
  const count = (await liveDescendants(engine, session)).length;
  if (count === 0) return;
  const summary = (await engine.list()).find(({ session_id: id }) => id === session);
  const title = inertText(summary === undefined ? session : titleOf(summary));
  const stop = t('Stop Child Sessions Too');
  const text =
    count === 1
      ? t('“{0}” is stopped. A child session is still running.', title)
      : t('“{0}” is stopped. {1} child sessions are still running.', title, count);
  if ((await vscode.window.showWarningMessage(text, stop)) === stop) await stopChildren(engine, session);
}
