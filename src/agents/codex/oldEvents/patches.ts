import { isObject } from '../../../model/text/json.ts';
import type { FileChange } from '../../../model/transcript/tool.ts';
import { field, nonEmpty, text } from '../../shared/guards.ts';

/**
 * The changes of a patch in the old format: by path, each `{"add":{…}}`, `"delete"` or `{"update":{…}}`, in later
 * versions with the kind as `type`.
 */
export function patchChanges(changes: unknown): FileChange[] {
  if (!isObject(changes)) return [];
  return Object.entries(changes).flatMap(([path, change]) => patchChange(path, change));
}

function patchChange(path: string, change: unknown): FileChange[] {
  const kind = kindOf(change);
  const detail = field(change, kind) ?? change;
  const content = text(field(detail, 'content'));
  if (kind === 'add') return [{ path, kind, ...(content !== undefined && { newText: content }) }];
  if (kind === 'delete') return [{ path, kind, ...(content !== undefined && { oldText: content }) }];
  const patch = nonEmpty(field(detail, 'unified_diff'));
  const moved = nonEmpty(field(detail, 'move_path'));
  const update: FileChange = { path: moved ?? path, kind, ...(patch !== undefined && { patch, ...countLines(patch) }) };
  return moved === undefined || moved === path ? [update] : [update, { path, kind: 'delete' }];
}

function kindOf(change: unknown): FileChange['kind'] {
  for (const kind of ['add', 'delete', 'update'] as const) {
    if (change === kind || field(change, 'type') === kind || field(change, kind) !== undefined) return kind;
  }
  return 'update';
}

function countLines(patch: string): { added: number; removed: number } {
  const lines = patch.split('\n');
  return {
    added: lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length,
    removed: lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length,
  };
}
