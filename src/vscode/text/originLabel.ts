import * as vscode from 'vscode';
import { quoteSafely, visibleLine } from '../../model/text/visibleText.ts';
import { visibleText } from './inertText.ts';
import { needsYou, type SessionRow } from '../sessions/sessionRow.ts';
import type { Origin } from '../../model/transcript/entry.ts';

const { t } = vscode.l10n;

/** Author of a message. `member`: the person, if not the reader. */
export function originLabel(origin: Origin, member?: string): readonly [icon: string, word: string] {
  switch (origin) {
    case 'human':
      return ['account', member === undefined ? t('You') : visibleText(member)];
    case 'follow_up':
      return ['sync', t('Follow-up')];
    case 'callback':
      return ['call-incoming', t('Child result')];
    case 'subagent':
      return ['agent', t('Subagent')];
    case 'hook':
      return ['plug', t('Hook')];
    case 'skill':
      return ['lightbulb', t('Skill')];
    case 'compaction':
      return ['fold', t('Compaction')];
    case 'replay':
      return ['history', t('Recording')];
    case 'system':
      return ['gear', t('System')];
  }
}

/** The agent's request, marked as the agent's words, so that it cannot pass as Vitrine's. */
export function agentRequestText(row: Pick<SessionRow, 'agent_label'>, title: string): string {
  return t('{0} says: {1}', visibleText(row.agent_label), quoteSafely(visibleLine(title, 'code')));
}

/** What a session waits for; stores of other programs have no details. */
export function attentionReason(row: SessionRow): string {
  if (row.observed === undefined) return agentRequestText(row, needsYou(row)?.title ?? '');
  return row.observed.live.state === 'waiting_for_permission'
    ? t('{0} is waiting for permission', visibleText(row.agent_label))
    : t('{0} is waiting for you', visibleText(row.agent_label));
}
