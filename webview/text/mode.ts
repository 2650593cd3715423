import { t } from '../l10n.ts';
import { plain } from './visible.ts';

/** Agents' names of modes that skip all approvals. */
const bypass = /bypass|yolo|danger|full[-_ ]?(?:access|auto)|allow[-_ ]?all|^force$/i;

/** Whether the agent may do everything without asking. */
export function isBypassMode(mode: string): boolean {
  return bypass.test(mode);
}

/** A permission mode in words; an unknown one keeps the agent's name. */
export function modeWord(mode: string): string {
  switch (mode) {
    case 'default':
      return t('Asks each time');
    case 'acceptEdits':
    case 'auto_edit':
      return t('Accepts edits');
    case 'plan':
      return t('Plans only');
    case 'read-only':
      return t('Read-only');
    case 'dontAsk':
      return t('Denies without asking');
    case 'bypassPermissions':
      return t('Bypasses permissions');
    default:
      return isBypassMode(mode) ? t('Bypasses permissions: {0}', plain(mode)) : plain(mode);
  }
}
