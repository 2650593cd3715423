import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';
import type { RecordReader } from '../record/contract.ts';

const pageSize = 500;
const maxCharacters = 64_000;
const maxMessage = 8000;
const maxCall = 300;

/**
 * The transcript of a record for an agent that cannot fork the conversation: at most 64,000 characters, the newest ones. Marked
 * as written by Vitrine and quoted, so that none of it can pass as the user. Empty if nothing was said.
 */
export async function transcriptContext(reader: RecordReader | null): Promise<string> {
  if (reader === null) return '';
  const parts: string[] = [];
  for (let from = 0; from < reader.total; from += pageSize)
    for (const entry of await reader.read(from, from + pageSize)) parts.push(...partOf(entry));
  if (parts.length === 0) return '';
  const newest: string[] = [];
  let room = maxCharacters;
  for (const part of parts.toReversed()) {
    room -= part.length;
    if (room < 0) break;
    newest.unshift(part);
  }
  const omitted = parts.length - newest.length;
  return [
    'Note written by Vitrine, not by the user: this conversation continues an earlier one. Its transcript up to here:',
    ...(omitted === 0 ? [] : [`> [${omitted} earlier messages and tool calls are left out]`]),
    ...newest,
    'End of the note. The user now says:\n\n',
  ].join('\n\n');
}

function partOf({ type, content, metadata }: NormalizedEntry): string[] {
  // A subagent has a conversation of its own.
  if (metadata?.parentCallId !== undefined) return [];
  switch (type.kind) {
    case 'user_message':
      return [
        quoted(`${isMarkedSynthetic(metadata) ? 'Automatic message' : 'User'}: ${truncateText(content, maxMessage)}`),
      ];
    case 'assistant_message':
      return content === '' ? [] : [quoted(`Assistant: ${truncateText(content, maxMessage)}`)];
    case 'tool_use':
      return [
        quoted(
          truncateText(
            `Tool call (${type.tool.status}): ${type.tool.toolName} ${JSON.stringify(type.tool.action)}`,
            maxCall,
          ),
        ),
      ];
    default:
      return [];
  }
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

/** Truncates to at most `length` characters, with a note. */
function truncateText(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join('')} […]`;
}
