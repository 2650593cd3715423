import * as vscode from 'vscode';
import { quoted, visibleLine } from '../model/visibleText.ts';
import { visibleText } from './inertText.ts';
import type { SessionRow } from './sessionRow.ts';

const { t } = vscode.l10n;

/** What its agent asks, as the agent's words: nothing of it can pass for Vitrine's. */
export function askedBy(row: Pick<SessionRow, 'agent_label'>, title: string): string {
  return t('{0} says: {1}', visibleText(row.agent_label), quoted(visibleLine(title, 'code')));
}
