import type { TriggerType } from '../../model/transcript/metadata.ts';

/** Reason for a follow-up, for use within a sentence. `t` translates. */
export function triggerWord(trigger: TriggerType, t: (message: string) => string): string {
  switch (trigger) {
    case 'check_in':
      return t('a check-in');
    case 'question_unanswered':
      return t('an unanswered question');
    case 'task_incomplete':
      return t('an incomplete task');
    case 'waiting_for_decision':
      return t('a pending decision');
  }
}
