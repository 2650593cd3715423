import type { SessionHandle } from '../../../src/engine/api.ts';
import type { AgentRequest, Answer } from '../../../src/model/agent/request.ts';

export const once: Answer = { kind: 'allow', scope: 'once' };
export const forSession: Answer = { kind: 'allow', scope: 'session' };
export const deny: Answer = { kind: 'deny' };

/** Answers a run's requests in this order. Returns the list of requests so far. */
export function answerRequests(handle: SessionHandle, ...answers: readonly Answer[]): readonly AgentRequest[] {
  const remaining = [...answers];
  const asked: AgentRequest[] = [];
  const look = (): void => {
    const conversation = handle.conversation();
    for (const request of conversation?.pendingRequests() ?? []) {
      const answer = remaining.shift();
      if (answer === undefined) return;
      asked.push(request);
      conversation?.answer(request.id, answer);
    }
  };
  handle.onConversation(look);
  look();
  return asked;
}
