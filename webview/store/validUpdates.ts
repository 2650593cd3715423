import { isObject } from '../text/objects.ts';
import type { PageEntry, PageUpdate } from '../../src/protocol/panel/messages.ts';

const kinds = new Set(['system_message', 'user_message', 'assistant_message', 'thinking', 'tool_use', 'error']);

/** The entry, or a placeholder with its raw form if it is invalid. */
export function validEntry(entry: PageEntry): PageEntry {
  const foreign: unknown = entry;
  if (!isObject(foreign)) return damagedEntry(-1, foreign);
  const index = typeof foreign['index'] === 'number' ? foreign['index'] : -1;
  const type = foreign['type'];
  const ok =
    index >= 0 &&
    typeof foreign['content'] === 'string' &&
    isObject(type) &&
    kinds.has(String(type['kind'])) &&
    isValidTool(type);
  return ok ? entry : damagedEntry(index, foreign);
}

function isValidTool(type: Readonly<Record<string, unknown>>): boolean {
  if (type['kind'] === 'error') return isObject(type['error']) && typeof type['error']['message'] === 'string';
  if (type['kind'] !== 'tool_use') return true;
  const call = type['tool'];
  return isObject(call) && isObject(call['action']) && typeof call['status'] === 'string';
}

/** Placeholder for an invalid entry. */
export function damagedEntry(index: number, what: unknown): PageEntry {
  return {
    index,
    timestamp: '',
    type: { kind: 'system_message', subtype: 'unknown' },
    content: '',
    metadata: { raw: JSON.stringify(what, null, 2) },
  };
}

export function validUpdates(updates: readonly PageUpdate[]): PageUpdate[] {
  return updates.flatMap((update): PageUpdate[] => {
    if (update.op !== 'put') return [update];
    const entry = validEntry(update.entry);
    return entry.index < 0 ? [] : [{ ...update, entry }];
  });
}
