import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Turn } from '../../model/session/turn.ts';
import { SessionFiles } from '../files/files.ts';

/** A file that agents changed after a time. */
export interface ChangedFile {
  /** Relative to the session's folder if inside it. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
  readonly added: number;
  readonly removed: number;
  /** False if a change did not say how many lines it had. */
  readonly counted: boolean;
}

/**
 * Index of the first entry that may be newer than `since` (ISO 8601); `null` without runs. The run that was the newest then may
 * have ended later, whatever its duration: an agent does not count its own start.
 */
export function firstIndexSince(turns: readonly Turn[], since: string): number | null {
  const sinceMs = Date.parse(since);
  const newest = turns.findLast(({ startedAt }) => Date.parse(startedAt) <= sinceMs) ?? turns[0];
  return newest?.firstIndex ?? null;
}

/** Collects what the entries of one session changed after a time. Add them in index order. */
export class ChangedFiles {
  readonly #since: string;
  readonly #files: SessionFiles;

  constructor(workDir: string, since: string) {
    this.#since = since;
    this.#files = new SessionFiles(workDir);
  }

  add(entry: NormalizedEntry): void {
    if (Date.parse(entry.timestamp) > Date.parse(this.#since)) this.#files.add(entry);
  }

  all(): readonly ChangedFile[] {
    return this.#files.all().flatMap(({ path, change, added, removed, counted }) => {
      return change === 'read' ? [] : [{ path, change, added, removed, counted }];
    });
  }
}
