import { acp } from '../../../src/agents/acp/adapter.ts';
import type { ExitInfo } from '../../../src/model/usage/facts.ts';
import type { NormalizerContext } from '../../../src/model/transcript/normalizer.ts';
import { readBy, type Read } from './agentCaptures.ts';

/** Reads messages of an ACP agent with its normalizer. */
export function read(messages: readonly object[], context: Partial<NormalizerContext> = {}, exit?: ExitInfo): Read {
  const lines = messages.map((message) => ({
    stream: 'stdout' as const,
    text: JSON.stringify({ jsonrpc: '2.0', ...message }),
  }));
  return readBy(acp, lines, exit, context);
}

export const initialized = { id: 0, result: { protocolVersion: 1, agentInfo: { name: 'made-up', version: '1.2.3' } } };
export const opened = { id: 1, result: { sessionId: 's', modes: { currentModeId: 'ask' } } };
export const update = (sessionUpdate: string, fields: object = {}, sessionId = 's') => ({
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate, ...fields } },
});
export const says = (text: string, fields: object = {}) =>
  update('agent_message_chunk', { content: { type: 'text', text }, ...fields });
export const asks = (text: string, fields: object = {}) =>
  update('user_message_chunk', { content: { type: 'text', text }, ...fields });
export const stop = (stopReason = 'end_turn') => ({ id: 2, result: { stopReason } });
