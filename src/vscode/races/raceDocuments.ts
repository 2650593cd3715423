import * as vscode from 'vscode';
import type { EngineHost } from '../engine/engineHost.ts';

const scheme = 'vitrine-race';

/** A file of a result, or as it was at the start of the race. */
export interface RacePlace {
  readonly race: string;
  readonly lane: string;
  readonly side: 'start' | 'result';
  /** Time of the request, so that a later one opens a new document. */
  readonly at: number;
  /** Relative to the top of the worktree, with `/`. */
  readonly file: string;
}

/** Keeps the file extension, so that the editor uses the right language. */
export function raceUri({ race, lane, side, at, file }: RacePlace): vscode.Uri {
  const query = new URLSearchParams({ race, lane, side, at: String(at) });
  return vscode.Uri.from({ scheme, path: `/${file}`, query: query.toString() });
}

/**
 * Texts are read on demand, so that diffs survive a reload. Worktrees are outside the workspace: they are not
 * edited here.
 */
export function registerRaceDocuments(engines: EngineHost): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    async provideTextDocumentContent({ path, query }) {
      const [engine, { raceText }] = await Promise.all([engines.get(), import('./raceText.ts')]);
      const params = new URLSearchParams(query);
      const { race } = await engine.races.get(params.get('race') ?? '');
      return raceText(race, {
        lane: params.get('lane'),
        side: params.get('side') === 'start' ? 'start' : 'result',
        file: path.slice(1),
      });
    },
  });
}
