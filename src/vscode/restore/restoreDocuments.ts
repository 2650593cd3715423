import path from 'node:path';
import * as vscode from 'vscode';
import type { EngineHost } from '../engine/engineHost.ts';

const scheme = 'vitrine-restore';

/** A file as a restore would leave it. `object`: its name in the preview. */
export function restoredUri(session: string, folder: string, file: string, object: string): vscode.Uri {
  const query = new URLSearchParams({ session, object });
  return vscode.Uri.from({
    scheme,
    path: vscode.Uri.file(path.join(folder, file)).path,
    query: query.toString(),
  });
}

/** Texts are read from the copies on demand, so that diffs survive a reload. */
export function registerRestoreDocuments(engines: EngineHost): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent({ query }) {
      const params = new URLSearchParams(query);
      const engine = await engines.get();
      return (await engine.restores.content(params.get('session') ?? '', params.get('object') ?? '')) ?? '';
    },
  });
}
