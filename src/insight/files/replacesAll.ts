import { isObject } from '../../model/text/json.ts';

/** Whether the edit at that position of a call's input replaces all occurrences. */
export function replacesAll(input: unknown, at: number): boolean {
  if (!isObject(input)) return false;
  const edits: unknown = input['edits'];
  const edit: unknown = Array.isArray(edits) ? edits[at] : undefined;
  return [input, ...(isObject(edit) ? [edit] : [])].some(
    (fields) => fields['replace_all'] === true || fields['replaceAll'] === true,
  );
}
