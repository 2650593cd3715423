import * as vscode from 'vscode';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import { failureSentences } from '../failures/failureText.ts';
import { inertText } from '../text/inertText.ts';
import { titleOf, type SessionRow } from '../sessions/sessionRow.ts';

const { t } = vscode.l10n;

/** A notification, because the session's page, which also shows this, is often closed during background tasks. */
export async function showCallbackFailure(session: SessionRow, failure: EngineFailure): Promise<void> {
  const open = t('Open Session');
  const text = inertText(`${titleOf(session)}: ${failureSentences(failure)}`);
  const chosen = await vscode.window.showWarningMessage(text, open);
  if (chosen === open) await vscode.commands.executeCommand('vitrine.openSession', session.session_id);
}
