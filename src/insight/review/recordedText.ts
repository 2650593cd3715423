import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { normalPath } from '../citations/sources/pathNames.ts';
import { fileEvents } from './fileEvents.ts';
import { plainLines } from './fileText.ts';
import type { FoundFile, DeletedFile } from './renames.ts';
import { Replay } from './replay.ts';
import { initialText } from './initialText.ts';

interface FileEntries {
  readonly path: string;
  readonly workDir: string;
  /** Settled entries that involve the file, in index order. */
  readonly entries: readonly NormalizedEntry[];
}

/** A missing file as the session left it. Who deleted it, and how, does not matter. */
export function deletedFile({ path, workDir, entries }: FileEntries): DeletedFile {
  const names = [normalPath(path, workDir)];
  const events = entries
    .flatMap((entry) => fileEvents(entry, names, workDir))
    .filter(({ kind }) => kind !== 'deleted' && kind !== 'lost');
  const leftFrom = (now: readonly string[] | null) => {
    const began = initialText(events, now);
    const replay = new Replay(began.lines, began.hasUnknownEnd);
    for (const event of events) replay.add(event);
    const { trail, exists, isExact } = replay.end();
    return { lines: exists ? trail.texts : null, isExact };
  };
  const isConsistentWith = (now: readonly string[]): boolean => {
    const left = leftFrom(now);
    return events.length > 0 && left.isExact && left.lines?.join('\n') === now.join('\n');
  };
  return { path, lines: leftFrom(null).lines, isConsistentWith, last: entries.at(-1)?.index ?? -1 };
}

/**
 * A file with this text as the session first knew it. `isNew`: it is known that it did not exist before. `later`: names that the file got since;
 * `entries` involve them, too.
 */
export function foundFile(
  { path, workDir, entries }: FileEntries,
  now: string,
  isNew: boolean,
  later: readonly string[] = [],
): FoundFile {
  const names = [path, ...later].map((name) => normalPath(name, workDir));
  const events = entries
    .flatMap((entry) => fileEvents(entry, names, workDir))
    .filter(({ kind }) => later.length === 0 || kind !== 'deleted');
  const [first] = events;
  const lines = first?.kind === 'written' ? first.lines : initialText(events, plainLines(now)).lines;
  const whole = events.findIndex(({ kind }) => kind === 'written' || kind === 'seen' || kind === 'deleted');
  const edits = events.slice(0, whole === -1 ? events.length : whole);
  const appliesTo = (start: readonly string[]): boolean => {
    const replay = new Replay(start, false);
    for (const event of edits) replay.add(event);
    return edits.length > 0 && replay.end().isExact;
  };
  const isCreated = isNew || (first?.kind === 'written' && first.isNewFile);
  return {
    path,
    lines: lines ?? plainLines(now),
    appliesTo,
    ...(!isCreated && { since: entries[0]?.index ?? -1 }),
  };
}
