import type { TriggerType } from '../../model/transcript/metadata.ts';

/** Messages to the agent for each trigger. They do not mention triggers, so that the answer does not either. */
export const triggerPrompts: Readonly<Record<TriggerType, string>> = {
  check_in: 'Continue our conversation naturally.',
  question_unanswered: "The user asked a question but hasn't responded. Follow up on it.",
  task_incomplete: 'Check in about the incomplete task we discussed.',
  waiting_for_decision: 'Follow up on the decision the user needs to make.',
};
