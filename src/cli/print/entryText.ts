import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';

/** An entry as text: heading, content, and the result of a tool call. */
export function entryText(entry: NormalizedEntry): string {
  const { index, timestamp, type, content, metadata } = entry;
  const what = type.kind === 'tool_use' ? `${type.tool.toolName} (${type.tool.status})` : type.kind.replace('_', ' ');
  const marks = isSynthetic(entry) ? [originOf(entry), metadata?.trigger_type, metadata?.trigger_reason] : [];
  const by = marks.filter((mark) => mark !== undefined).join(', ');
  const heading = `[${index}] ${timestamp.slice(11, 19)} ${what}${by === '' ? '' : ` (${by})`}`;
  const result = type.kind === 'tool_use' ? (type.tool.result?.text ?? '') : '';
  return [heading, content, result].filter((part) => part !== '').join('\n');
}
