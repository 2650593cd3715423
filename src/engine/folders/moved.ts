import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FolderIdentity } from '../../model/session/session.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { identityOf, topFolderOf } from './identity.ts';
import { sessionFolders } from './sessionFolders.ts';

/**
 * Sessions with a missing folder, and the folder that replaces it. `isCertain`: the same folder or clone; otherwise another
 * clone of the same repository.
 */
export interface MovedSessions {
  readonly from: string;
  readonly to: string;
  readonly isCertain: boolean;
  readonly ids: readonly string[];
}

interface Place {
  readonly folder: string;
  readonly top: string;
  readonly identity: FolderIdentity;
}

/** Sessions whose missing folder matches one of these folders. Starts nothing and writes nothing. */
export async function movedSessions(
  summaries: readonly SessionSummary[],
  folders: readonly string[],
): Promise<readonly MovedSessions[]> {
  const idle = summaries.filter(({ project_identity: known, status }) => known !== undefined && !isSessionLive(status));
  const lost = (await sessionFolders(idle)).filter(({ isMissing }) => isMissing);
  if (lost.length === 0) return [];
  const places = await Promise.all(
    folders.map(async (folder) => ({ folder, top: await topFolderOf(folder), identity: await identityOf(folder) })),
  );
  const found: MovedSessions[] = [];
  for (const { folder: from, sessions } of lost) {
    // All sessions have the same folder; the newest knows its identity best.
    const known = sessions[0]?.project_identity;
    const match = known === undefined ? undefined : await placeOf(known, places);
    if (from === null || match === undefined) continue;
    found.push({ from, ...match, ids: sessions.map(({ session_id: id }) => id) });
  }
  return found;
}

async function placeOf(
  known: FolderIdentity,
  places: readonly Place[],
): Promise<{ readonly to: string; readonly isCertain: boolean } | undefined> {
  const knownPlace = places.find(({ identity }) => known.folder !== undefined && identity.folder === known.folder);
  if (knownPlace !== undefined) return { to: knownPlace.folder, isCertain: true };
  for (const key of ['clone', 'remote'] as const) {
    for (const place of places) {
      if (known[key] === undefined || place.identity[key] !== known[key]) continue;
      const to = await findSameFolder(place, known.path);
      if (to !== undefined) return { to, isCertain: key === 'clone' };
    }
  }
  return undefined;
}

/** The same folder in that work tree, or its nearest existing parent; `undefined` outside the open folders. */
async function findSameFolder({ folder, top }: Place, inTree: string): Promise<string | undefined> {
  for (let at = path.resolve(top, inTree); isInFolder(folder, at); at = path.dirname(at)) {
    if ((await stat(at).catch(() => null))?.isDirectory() === true) return at;
  }
  return undefined;
}

function isInFolder(folder: string, other: string): boolean {
  const rest = path.relative(folder, other);
  return rest !== '..' && !rest.startsWith(`..${path.sep}`) && !path.isAbsolute(rest);
}
