import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { ToolUse } from '../../../model/transcript/tool.ts';

/** The call's argument as an object, which formats ask for; another value stands under `input`. */
export function toolInput({ input, action }: ToolUse): JsonObject {
  if (isObject(input)) return input;
  if (input !== undefined && input !== null) return { input };
  const { kind, ...fields } = action;
  return kind === 'tool' || kind === 'mcp' ? {} : fields;
}

/** What came back, as text. `undefined` where nothing did. */
export function toolOutputText({ result, status }: ToolUse): string | undefined {
  if (result === undefined) return status === 'denied' || status === 'cancelled' ? status : undefined;
  return result.text ?? (result.data === undefined ? '' : JSON.stringify(result.data));
}

export function isFailed({ status }: ToolUse): boolean {
  return status === 'failed' || status === 'denied' || status === 'cancelled';
}

/** What a model thought, as text. */
export function thoughtOf({ type, content }: NormalizedEntry): string {
  return type.kind === 'thinking' ? (type.reasoning ?? content) : content;
}

/** A change as a diff without places. */
export function diffOf(oldText = '', newText = ''): string {
  const lines = (text: string, mark: string): string[] =>
    text === '' ? [] : text.split('\n').map((each) => mark + each);
  return [...lines(oldText, '-'), ...lines(newText, '+')].join('\n');
}
