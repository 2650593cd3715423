import { isObject } from '../../model/text/json.ts';
import type { AcpMessage } from './acpMessages.ts';

/** Deeper nesting than this overflows the stack of most JSON writers. */
const maxDepth = 200;
const tooDeep = `(nested deeper than ${maxDepth} levels)`;

export interface SoundMessages {
  readonly messages: readonly AcpMessage[];
  /** Number of messages with values that cannot be kept. */
  readonly invalidCount: number;
}

/** Messages with times as ISO 8601 in UTC, without invalid times, and with metadata of limited depth. */
export function validMessages(imported: readonly AcpMessage[]): SoundMessages {
  let invalidCount = 0;
  const messages = imported.map((message) => {
    const created_at = timeOf(message.created_at);
    const completed_at = timeOf(message.completed_at);
    const parts = message.parts.map((part) => ({ ...part, metadata: limitDepth(part.metadata, maxDepth) }));
    const isDeep = parts.some(({ metadata }, at) => metadata !== message.parts[at]?.metadata);
    if (created_at === null || completed_at === null || isDeep) invalidCount += 1;
    return { ...message, created_at, completed_at, parts };
  });
  return { messages, invalidCount };
}

/** `null` for an invalid time, `undefined` if there is none. */
function timeOf(time: string | null | undefined): string | null | undefined {
  if (time === null || time === undefined) return undefined;
  // Otherwise, `Date.parse` would read "step 1" as a day of 2001.
  const at = /^\d{4}-\d{2}-\d{2}/.test(time) ? Date.parse(time) : NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Replaces values below this depth with a note. */
function limitDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return tooDeep;
  if (Array.isArray(value)) {
    const items = (value as unknown[]).map((item) => limitDepth(item, levels - 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, limitDepth(field, levels - 1)] as const);
  // Unlike assignment, this keeps a field named `__proto__`.
  return fields.every(([key, field]) => field === value[key]) ? value : Object.fromEntries(fields);
}
