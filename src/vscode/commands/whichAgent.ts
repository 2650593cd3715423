import * as vscode from 'vscode';
import type { ExecutorType } from '../../model/session.ts';
import { inertText } from '../inertText.ts';

const { t } = vscode.l10n;

interface Named {
  readonly type: ExecutorType;
  readonly label: string;
}

/** Whose output a file holds, asked of the person; `why` says why. `undefined` where they gave up. */
export async function whichAgent(why: string, agents: readonly Named[]): Promise<ExecutorType | undefined> {
  const items = agents.map(({ type, label }) => ({ label: inertText(label), type }));
  const placeHolder = t('Select the agent that printed it');
  return (await vscode.window.showQuickPick(items, { title: inertText(why), placeHolder }))?.type;
}
