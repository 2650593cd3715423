import * as vscode from 'vscode';
import type { NormalizedEntry } from '../model/entry.ts';
import type { EngineHost } from './engineHost.ts';

const scheme = 'vitrine-diff';

/** One side of one recorded change. */
interface Place {
  readonly session: string;
  readonly index: number;
  readonly change: number;
  readonly side: 'old' | 'new' | 'patch';
}

/** A change as two texts, or as the patch where the agent gave no more. */
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

/** Keeps the path's ending, so that the editor colours the text as what it is. */
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

/** Reads the texts from the record each time, so that a diff is still there after a reload. */
export function registerChangeDocuments(engines: EngineHost): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent(uri) {
      const query = new URLSearchParams(uri.query);
      const index = Number(query.get('index'));
      const handle = await (await engines.get()).open(query.get('session') ?? '');
      try {
        const [entry] = await handle.read(index, index + 1);
        const change = entry === undefined ? undefined : changesOf(entry)[Number(query.get('change'))];
        const side = query.get('side');
        return (side === 'patch' ? change?.patch : side === 'old' ? change?.oldText : change?.newText) ?? '';
      } finally {
        handle.dispose();
      }
    },
  });
}
