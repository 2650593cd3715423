import type { TriggerType } from '../../model/transcript/metadata.ts';

/** What a trigger says to the agent. Plain words, without a word about triggers, so that none comes back in the answer. */
export const triggerPrompts: Readonly<Record<TriggerType, string>> = {
  check_in: 'Continue our conversation naturally.',
  question_unanswered: "The user asked a question but hasn't responded. Follow up on it.",
  task_incomplete: 'Check in about the incomplete task we discussed.',
  waiting_for_decision: 'Follow up on the decision the user needs to make.',
};
