import type { SessionView } from '../../src/protocol/panel/messages.ts';

/** Whether Vitrine takes part in a session from another program. It has no record, and messages reach the agent at once. */
export function isJoined({ summary, conversation }: SessionView): boolean {
  return summary.observed !== undefined && conversation !== null;
}
