import type { RunFacts } from '../../model/usage/facts.ts';
import { totalTokens } from '../../model/usage/usage.ts';

/**
 * Tokens of the conversation after its newest answer: the agent's own count, else input and output of that answer. `null` if
 * unknown. Subagents have their own conversations.
 */
export function contextTokens({
  contextTokens: reported,
  messages,
}: Pick<RunFacts, 'contextTokens' | 'messages'>): number | null {
  if (reported !== undefined) return reported;
  const last = messages.findLast(({ parentCallId, usage }) => parentCallId === null && totalTokens(usage) > 0);
  return last === undefined ? null : totalTokens(last.usage);
}
