import * as vscode from 'vscode';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { hunksOf } from '../../insight/files/patch.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { EngineHost } from '../engine/engineHost.ts';

const scheme = 'vitrine-diff';
/** Entries per read. */
const chunk = 500;

/** One side of a recorded change. */
interface Place {
  readonly session: string;
  readonly index: number;
  readonly change: number;
  readonly side: 'old' | 'new' | 'patch';
}

/** One side of all changes to a file in the entries `from` to `to`, inclusive. */
interface FilePlace {
  readonly session: string;
  readonly from: number;
  readonly to: number;
  /** As named in the record. */
  readonly file: string;
  readonly side: 'before' | 'after';
}

/** A change as two texts, or as a patch if the agent reported no more. */
export interface RecordedChange {
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string | undefined;
  readonly patch: string | undefined;
}

export function changesOf(entry: NormalizedEntry): readonly RecordedChange[] {
  if (entry.type.kind !== 'tool_use') return [];
  const { action } = entry.type.tool;
  if (action.kind === 'file_write') {
    return [{ path: action.path, oldText: '', newText: action.content ?? '', patch: undefined }];
  }
  if (action.kind !== 'file_edit') return [];
  return action.changes.map(({ path, oldText, newText, patch }) => ({ path, oldText, newText, patch }));
}

/** Keeps the file extension, so that the editor uses the right language. */
export function changeUri(place: Place, path: string): vscode.Uri {
  const query = new URLSearchParams({
    session: place.session,
    index: String(place.index),
    change: String(place.change),
    side: place.side,
  });
  const suffix = place.side === 'patch' ? '.diff' : '';
  return vscode.Uri.from({ scheme, path: `/${path.replace(/^\/+/, '')}${suffix}`, query: query.toString() });
}

export function fileUri({ session, from, to, file, side }: FilePlace): vscode.Uri {
  const query = new URLSearchParams({ session, from: String(from), to: String(to), file, side });
  return vscode.Uri.from({ scheme, path: `/${file.replace(/^\/+/, '')}`, query: query.toString() });
}

/** Text of one side of a change. For a patch, only its hunks. */
function sideOf(change: RecordedChange | undefined, side: string | null): string {
  if (change === undefined) return '';
  if (side === 'patch') return change.patch ?? '';
  const text = side === 'old' ? change.oldText : change.newText;
  if (text !== undefined || change.patch === undefined || change.oldText !== change.newText) return text ?? '';
  const otherSign = side === 'old' ? '+' : '-';
  const lines = hunksOf(change.patch).flatMap((hunk) => hunk.lines.filter(({ mark }) => mark !== otherSign));
  return lines.map((line) => line.text).join('\n');
}

async function fileText(handle: SessionHandle, query: URLSearchParams): Promise<string> {
  const { FileHistory } = await import('../../insight/files/history.ts');
  const history = new FileHistory(query.get('file') ?? '', handle.summary().project_dir ?? '');
  const to = Math.min(handle.entryCount(), Number(query.get('to')) + 1);
  for (let from = Number(query.get('from')); from < to; from += chunk) {
    for (const entry of await handle.read(from, Math.min(from + chunk, to))) history.add(entry);
  }
  return (query.get('side') === 'before' ? history.before : history.after) ?? '';
}

/** Reads the texts from the record on demand, so that diffs survive a reload. */
export function registerChangeDocuments(engines: EngineHost): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent(uri) {
      const query = new URLSearchParams(uri.query);
      const index = Number(query.get('index'));
      const handle = await (await engines.get()).open(query.get('session') ?? '');
      try {
        if (query.has('file')) return await fileText(handle, query);
        const [entry] = await handle.read(index, index + 1);
        return sideOf(
          entry === undefined ? undefined : changesOf(entry)[Number(query.get('change'))],
          query.get('side'),
        );
      } finally {
        handle.dispose();
      }
    },
  });
}
