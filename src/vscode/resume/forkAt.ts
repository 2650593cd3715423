import * as vscode from 'vscode';
import type { WindowEngine } from '../engine/windowEngine.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import { restoreToPrompt } from '../restore/restoreFiles.ts';
import { inertText } from '../text/inertText.ts';

const { t } = vscode.l10n;

interface Place {
  readonly session: string;
  /** Index of the prompt. */
  readonly entry: number;
}

interface Item extends vscode.QuickPickItem {
  readonly restoresFiles: boolean;
}

/**
 * Says what the agent will know in a fork at a prompt, and asks for the message that replaces it. Restores the files first if
 * the user chose that. `undefined`: the user cancelled.
 */
export async function askForFork(engine: WindowEngine, { session, entry }: Place): Promise<string | undefined> {
  const handle = await engine.open(session);
  const { agent_label: label, observed } = handle.summary();
  handle.dispose();
  const { way, prompt } = await engine.planFork(session, entry);
  const title = t('Fork from Here');
  const detail = forkMethodText(way, inertText(label));
  // A row has one line; the message box below has room for the reason.
  const row =
    way === 'transcript'
      ? t('A new conversation starts. The agent gets the transcript before this prompt as text.')
      : detail;
  const items: Item[] = [{ label: `$(repo-forked) ${t('Fork')}`, detail: row, restoresFiles: false }];
  // Vitrine has no copies of the files of other programs' sessions.
  if (observed === undefined)
    items.push({
      label: `$(discard) ${t('Restore Files and Fork')}`,
      detail: t('Restores the files as they were at this prompt. You can review the changes first.'),
      restoresFiles: true,
    });
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: t('The original session does not change.'),
    // The page takes the focus back from its menu, possibly after this list has opened.
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return undefined;
  // A box has one line.
  const shown = prompt.trim().replaceAll(/\s*\n\s*/g, ' ');
  const text = await vscode.window.showInputBox({
    title,
    prompt: t('The message that replaces the prompt. {0}', detail),
    value: shown,
    ignoreFocusOut: true,
  });
  if (text === undefined || text.trim() === '') return undefined;
  if (chosen.restoresFiles && (await restoreToPrompt(engine, session, entry)) === undefined) return undefined;
  return text === shown ? prompt : text;
}

function forkMethodText(way: ResultOf<'planFork'>['way'], label: string): string {
  switch (way) {
    case 'conversation':
      return t('{0} continues its conversation as it was before this prompt, and does not see what followed.', label);
    case 'transcript':
      return t(
        '{0} cannot continue its conversation from here. A new conversation starts, and the agent gets the transcript before this prompt as text.',
        label,
      );
    case 'nothing':
      return t('This is the first prompt. A new conversation starts.');
  }
}
