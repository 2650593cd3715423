import type { EditedText } from '../../../model/agent/request.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { ToolAction } from '../../../model/transcript/tool.ts';

/** The text of one file is what the tool writes, so that a person can write another one. */
export function isEditable(toolName: string, action: ToolAction): boolean {
  switch (toolName) {
    case 'Write':
      return action.kind === 'file_write' && action.content !== undefined;
    case 'Edit':
    case 'MultiEdit':
      return action.kind === 'file_edit' && action.changes.every(({ newText }) => newText !== undefined);
    default:
      return false;
  }
}

/** The argument with which the tool writes what a person wrote. */
export function editedInput(toolName: string, input: JsonObject, { oldText, newText }: EditedText): JsonObject {
  const edit = { old_string: oldText ?? '', new_string: newText };
  switch (toolName) {
    case 'Write':
      return { ...input, content: newText };
    case 'MultiEdit':
      return { ...input, edits: [edit] };
    default:
      return { ...input, ...edit, ...('replace_all' in input && { replace_all: false }) };
  }
}
