import type { AgentRequest } from '../../../model/agent/request.ts';
import type { EditPreview, FileText } from '../../../model/transcript/editPreview.ts';
import { replacesAll } from '../replacesAll.ts';
import type { FileChange } from '../../../model/transcript/tool.ts';
import { type ApplyResult, applyChange, WorkLimit } from './applyChange.ts';
import { diffWithContext } from './diffWithContext.ts';

/** Maximum lines and characters of a file's preview, including the lines around changes. */
const maxLines = 2000;
const maxChars = 200_000;

/** Paths of the files to preview, each once, as the agent names them. */
export function editedPaths({ action }: AgentRequest): string[] {
  if (action?.kind === 'file_write') return action.content === undefined ? [] : [action.path];
  return action?.kind === 'file_edit' ? [...new Set(action.changes.map(({ path }) => path))] : [];
}

/** One preview per file that the request would change. `textOf`: returns the current file. */
export function previewEdits(request: AgentRequest, textOf: (path: string) => FileText): EditPreview[] {
  return editedPaths(request).map((path): EditPreview => {
    const file = textOf(path);
    if (file.state !== 'text' && file.state !== 'missing') return { path, state: file.state };
    const before = file.state === 'text' ? plainText(file.text) : null;
    return { path, ...previewOf(request, path, before, file.state === 'text' ? file.changedAt : null) };
  });
}

/** The text with LF line ends and without byte order mark, as agents use it. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** `Omit` would merge the members of the union. */
type Preview<P = EditPreview> = P extends unknown ? Omit<P, 'path'> : never;

/** The text of a file after the requested edit, with LF line ends; `null` if there is no file. */
export function applyRequest(
  request: AgentRequest,
  path: string,
  before: string | null,
): ApplyResult & { readonly everyOccurrence?: boolean } {
  let text = before;
  let [places, everyOccurrence] = [1, false];
  const work = new WorkLimit();
  for (const { change, everyOccurrence: isAll } of changesOf(request, path)) {
    const applied = applyChange(text, change, isAll, work);
    if ('failed' in applied) return applied;
    text = applied.text;
    if (applied.places > places) [places, everyOccurrence] = [applied.places, isAll];
  }
  return { text, places, everyOccurrence };
}

function previewOf(request: AgentRequest, path: string, before: string | null, changedAt: number | null): Preview {
  const applied = applyRequest(request, path, before);
  if ('failed' in applied) return { state: applied.failed };
  const { text, places, everyOccurrence = false } = applied;
  const lines = diffWithContext(before ?? '', text ?? '');
  const chars = lines.reduce((sum, line) => sum + line.text.length, 0);
  if (lines.length > maxLines || chars > maxChars) return { state: 'long' };
  const isWhole = request.action?.kind === 'file_write';
  const file = text === null ? 'deleted' : before === null ? 'new' : isWhole ? 'replaced' : 'edited';
  return { state: 'placed', lines, file, places, all: everyOccurrence, changedAt };
}

interface Edit {
  readonly change: FileChange;
  /** The edit replaces every occurrence of its old text. */
  readonly everyOccurrence: boolean;
}

function changesOf({ action, input }: AgentRequest, path: string): Edit[] {
  if (action?.kind === 'file_write') {
    const { content = '' } = action;
    return [{ change: { path, kind: 'add', newText: content }, everyOccurrence: false }];
  }
  if (action?.kind !== 'file_edit') return [];
  const edits = action.changes.map((change, at) => ({ change, everyOccurrence: replacesAll(input, at) }));
  const mine = edits.filter(({ change }) => change.path === path);
  // A patch represents all changes to its file in the same call.
  const patches = mine.filter(({ change }) => change.patch !== undefined);
  return patches.length > 0 ? patches : mine;
}
