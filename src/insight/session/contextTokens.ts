import type { RunFacts } from '../../model/usage/facts.ts';
import { totalTokens } from '../../model/usage/usage.ts';

/**
 * Tokens that the conversation holds after its newest answer: as the agent counts them, else what that answer was given
 * and gave. `null` where the agent tells neither. What subagents read is in conversations of their own.
 */
export function contextTokens({
  contextTokens: reported,
  messages,
}: Pick<RunFacts, 'contextTokens' | 'messages'>): number | null {
  if (reported !== undefined) return reported;
  const last = messages.findLast(({ parentCallId, usage }) => parentCallId === null && totalTokens(usage) > 0);
  return last === undefined ? null : totalTokens(last.usage);
}
