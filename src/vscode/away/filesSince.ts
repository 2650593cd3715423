import { ChangedFiles, firstIndexSince, type ChangedFile } from '../../insight/away/changedFiles.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';

/** Maximum number of entries to read per session, and per read. */
const maxEntries = 20_000;
const pageSize = 500;

interface FilesSince {
  readonly files: readonly ChangedFile[];
  /** The session has more entries than were read. */
  readonly isCut: boolean;
}

/** Files that a session's agent changed since a time (ISO 8601), according to its tool calls. */
export async function filesSince(engine: WindowEngine, id: string, since: string): Promise<FilesSince> {
  const handle = await engine.open(id);
  try {
    const first = firstIndexSince(handle.turns(), since);
    if (first === null) return { files: [], isCut: false };
    const changed = new ChangedFiles(handle.summary().project_dir ?? '', since);
    const end = Math.min(handle.entryCount(), first + maxEntries);
    for (let from = first; from < end; from += pageSize)
      for (const entry of await handle.read(from, Math.min(end, from + pageSize))) changed.add(entry);
    return { files: changed.all(), isCut: end < handle.entryCount() };
  } finally {
    handle.dispose();
  }
}
