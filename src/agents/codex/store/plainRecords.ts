import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { nonEmpty } from '../../shared/guards.ts';
import { userText } from './items.ts';

/** Messages that the program writes on the user's side. */
const notTyped = ['<environment_context>', '<user_instructions>', '# AGENTS.md'];

/**
 * A record of the oldest versions (0.20), which are not in an envelope, in the form of later ones. They have neither times
 * nor tokens.
 */
export function wrapPlainRecord(record: JsonObject): JsonObject {
  if (record['payload'] !== undefined) return record;
  if (record['record_type'] === 'state') return { type: 'world_state', payload: {} };
  const { type } = record;
  if (type === undefined && nonEmpty(record['id']) !== undefined && nonEmpty(record['timestamp']) !== undefined) {
    return { type: 'session_meta', timestamp: record['timestamp'], payload: { ...record, history_mode: 'plain' } };
  }
  if (type === 'message') return message(record);
  if (type === 'reasoning' || (typeof type === 'string' && /_call(?:_output)?$/.test(type))) {
    return { type: 'response_item', payload: record };
  }
  return record;
}

/** In later versions, each text has its own event. */
function message(record: JsonObject): JsonObject {
  const shown = userText({ content: record['content'] });
  if (record['role'] === 'assistant') return { type: 'event_msg', payload: { type: 'agent_message', message: shown } };
  if (record['role'] !== 'user' || notTyped.some((start) => shown.startsWith(start))) {
    return { type: 'response_item', payload: record };
  }
  return { type: 'event_msg', payload: { type: 'user_message', message: shown } };
}

/** Whether a session's first record is of these versions. */
export function isPlain(meta: unknown): boolean {
  return isObject(meta) && meta['history_mode'] === 'plain';
}
