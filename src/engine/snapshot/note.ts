import { code } from '../../agents/shared/describe.ts';
import type { RecordLine } from '../../formats/record.ts';
import { type UnreportedChange, unreportedSubtype, type UnreportedChanges } from '../../model/transcript/unreported.ts';
import type { Note } from '../run/note.ts';
import type { FolderWatch } from './watch.ts';

const maxShown = 20;

/** Record line with the unreported changes; a text is the reason why they are unknown. */
export function unreportedLine(runId: string, at: string, found: UnreportedChanges | string): RecordLine {
  const reported = typeof found === 'string' ? { not_checked: found } : found;
  return { kind: 'decision', decision: { type: unreportedSubtype, at, run_id: runId, ...reported } };
}

/** Changes during the run, for record and transcript. `now` returns ISO 8601. */
export async function unreportedChanges(
  watch: FolderWatch,
  runId: string,
  now: () => string,
): Promise<{ readonly line: RecordLine; readonly note: Note | null }> {
  const found = await watch.end();
  return { line: unreportedLine(runId, now(), found), note: unreportedNote(found) };
}

function modeText({ executable, only }: NonNullable<UnreportedChange['mode']>): string {
  return `${only ? '' : 'changed, and '}made ${executable ? '' : 'not '}executable`;
}

/** Transcript note; `null` if there is nothing to report. It does not claim who changed the files. */
export function unreportedNote(found: UnreportedChanges | string): Note | null {
  if (typeof found === 'string') {
    const content = `Could not check for file changes without a reported tool call. ${found}`;
    return { subtype: unreportedSubtype, content };
  }
  if (found.total === 0) return null;
  const { changes, total } = found;
  const files = total === 1 ? 'A file' : `${total} files`;
  const lines = changes.slice(0, maxShown).map(({ kind, path, besides, mode }) => {
    const ending = besides === true ? ', besides the reported edits' : '';
    const word = mode === undefined ? kind : modeText(mode);
    return `- ${code(path)} ${word}${ending}`;
  });
  const rest = total > lines.length ? [`- ${total - lines.length} more`] : [];
  return {
    subtype: unreportedSubtype,
    content: [`${files} changed during the run without a reported tool call:`, '', ...lines, ...rest].join('\n'),
    metadata: { unreported: found },
  };
}
