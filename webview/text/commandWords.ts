import type { PageCommand } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';

/** Name of a command in menus and buttons. */
export function commandWord(command: PageCommand): string {
  switch (command) {
    case 'manageTrust':
      return t('Manage Workspace Trust');
    case 'runAgent':
      return t('Run Agent…');
    case 'showRawOutput':
      return t('Show Raw Output');
    case 'verify':
      return t('Verify Session Record');
    case 'showCapabilities':
      return t('Session Capabilities');
    case 'checkResume':
      return t('Show Details');
    case 'showCost':
      return t('Open cost report');
    case 'showUsage':
      return t('Show usage');
    case 'export':
      return t('Export…');
    case 'raiseBudget':
      return t('Raise Budget…');
    case 'changeOptions':
      return t('Change Model, Mode and Limits…');
    case 'revealRecord':
      return t('Reveal Record');
    case 'rename':
      return t('Rename…');
    case 'copySessionId':
      return t('Copy Session ID');
    case 'copyLink':
      return t('Copy Link');
    case 'copyMarkdown':
      return t('Copy as Markdown');
    case 'fork':
      return t('Fork…');
    case 'keep':
      return t('Keep Session');
    case 'copyResumeCommand':
      return t('Copy Resume Command');
    case 'cancelFollowUp':
      return t('Cancel Follow-up');
    case 'delete':
      return t('Delete…');
  }
}
