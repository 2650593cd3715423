import * as vscode from 'vscode';
import { quoted, visibleLine } from '../model/visibleText.ts';
import { visibleText } from './inertText.ts';
import { needsYou, type SessionRow } from './sessionRow.ts';

const { t } = vscode.l10n;

/** What its agent asks, as the agent's words: nothing of it can pass for Vitrine's. */
export function askedBy(row: Pick<SessionRow, 'agent_label'>, title: string): string {
  return t('{0} says: {1}', visibleText(row.agent_label), quoted(visibleLine(title, 'code')));
}

/** What a session waits for; the store of another program does not say more than that. */
export function needText(row: SessionRow): string {
  if (row.observed === undefined) return askedBy(row, needsYou(row)?.title ?? '');
  return row.observed.live.state === 'waiting_for_permission'
    ? t('{0} waits for a permission', visibleText(row.agent_label))
    : t('{0} waits for you', visibleText(row.agent_label));
}
