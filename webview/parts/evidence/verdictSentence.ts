import type { EvidenceCard } from '../../../src/protocol/panel/evidence.ts';
import { t } from '../../l10n.ts';

/** Why a claim has its verdict; `step` is that of its source. */
export function verdictSentence({ judged, source }: EvidenceCard): string | undefined {
  if (judged === null) return undefined;
  const { verdict, reason, changedBy } = judged;
  const step = source?.step ?? '';
  switch (verdict) {
    case 'agrees':
      return t('Agrees with step {0}.', step);
    case 'disagrees':
      return reason === 'other_count'
        ? t('Disagrees with step {0}: the recorded numbers differ.', step)
        : t('Disagrees with step {0}: the recorded outcome differs.', step);
    case 'stale':
      return typeof changedBy?.path === 'string'
        ? t('Out of date: step {0} changed {1} after the run.', changedBy.step, changedBy.path)
        : t('Out of date: step {0} changed files after the run.', changedBy?.step ?? step);
    case 'partial':
      return t('Partial: step {0} ran only part of what the text claims.', step);
    case 'unknown':
      return unknownReason(reason);
  }
}

function unknownReason(reason: string): string {
  switch (reason) {
    case 'count_unknown':
      return t('Unknown: the recorded output does not show these numbers.');
    case 'other_scope':
      return t('Unknown: the run may not cover what the text claims.');
    case 'interrupted':
      return t('Unknown: the command was interrupted.');
    case 'background':
      return t('Unknown: the command ran in the background, and no output was recorded.');
    case 'not_run':
      return t('Unknown: the command did not run the named tests or tool.');
    case 'no_tests':
      return t('Unknown: no tests ran.');
    default:
      return t('Unknown: Vitrine does not recognize the recorded outcome.');
  }
}
