import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { ToolUse } from '../../../model/transcript/tool.ts';

/** The call's input as an object; other values become the field `input`. */
export function toolInput({ input, action }: ToolUse): JsonObject {
  if (isObject(input)) return input;
  if (input !== undefined && input !== null) return { input };
  const { kind, ...fields } = action;
  return kind === 'tool' || kind === 'mcp' ? {} : fields;
}

/** Result as text; `undefined` if there is none. */
export function toolOutputText({ result, status }: ToolUse): string | undefined {
  if (result === undefined) return status === 'denied' || status === 'cancelled' ? status : undefined;
  return result.text ?? (result.data === undefined ? '' : JSON.stringify(result.data));
}

export function isFailed({ status }: ToolUse): boolean {
  return status === 'failed' || status === 'denied' || status === 'cancelled';
}

/** Thinking as text. */
export function thinkingTextOf({ type, content }: NormalizedEntry): string {
  return type.kind === 'thinking' ? (type.reasoning ?? content) : content;
}

/** A diff without line numbers. */
export function diffOf(oldText = '', newText = ''): string {
  const lines = (text: string, mark: string): string[] =>
    text === '' ? [] : text.split('\n').map((line) => mark + line);
  return [...lines(oldText, '-'), ...lines(newText, '+')].join('\n');
}
