import type { ClaimVerdict } from '../../../src/protocol/panel/evidence.ts';
import { t } from '../../l10n.ts';

/** One codicon per verdict, because color alone is not enough. */
export const verdictIcons: Readonly<Record<ClaimVerdict, string>> = {
  agrees: 'pass',
  disagrees: 'error',
  stale: 'history',
  partial: 'pie-chart',
  unknown: 'question',
};

/** Shown after the number of a source. */
export const verdictMarks: Readonly<Record<ClaimVerdict, string>> = {
  agrees: '',
  disagrees: '≠',
  stale: '~',
  partial: '◐',
  unknown: '?',
};

export function verdictWord(verdict: ClaimVerdict): string {
  switch (verdict) {
    case 'agrees':
      return t('Agrees');
    case 'disagrees':
      return t('Disagrees');
    case 'stale':
      return t('Out of date');
    case 'partial':
      return t('Partial');
    case 'unknown':
      return t('Unknown');
  }
}
