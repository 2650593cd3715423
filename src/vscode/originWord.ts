import * as vscode from 'vscode';
import type { Origin } from '../model/entry.ts';

const { t } = vscode.l10n;

/** Who caused a message. */
export function originWord(origin: Origin): readonly [icon: string, word: string] {
  switch (origin) {
    case 'human':
      return ['account', t('You')];
    case 'follow_up':
      return ['sync', t('Follow-up')];
    case 'callback':
      return ['call-incoming', t('Callback')];
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
