import { storeFormats } from '../../agents/stores/formats.ts';
import type { FollowedSession } from '../../engine/sources/foundSession.ts';
import type { Notes } from '../../engine/sources/reading/sessionReader.ts';
import { DatabaseFile } from '../../engine/sqlite/databaseFile.ts';
import type { SentSession } from './messages.ts';

const noteNumbers = new WeakMap<Notes, number>();
let lastNoteNumber = 0;

/** Omits the functions of the format and open databases, which the other thread has itself. */
export function packSession({ files: { format, session, files }, ...found }: FollowedSession): SentSession {
  const sent = files.map(({ database, ...file }) => ({ ...file, isDatabase: database !== undefined }));
  return { ...found, noteNumber: noteNumberOf(found.notes), files: { agent: format.agent, session, files: sent } };
}

/** Number that identifies the notes to the other thread. */
function noteNumberOf(notes: Notes): number {
  const known = noteNumbers.get(notes);
  if (known !== undefined) return known;
  lastNoteNumber += 1;
  noteNumbers.set(notes, lastNoteNumber);
  return lastNoteNumber;
}

/** Restores sessions from copies, including the objects that copies share. */
export class SessionUnpacker {
  /** Databases that are open in this thread, by path. */
  readonly #databases = new Map<string, DatabaseFile>();
  /** The last notes by agent, because a reader starts over when it gets a different object. */
  readonly #notes = new Map<string, { readonly number: number; readonly notes: Notes }>();

  unpack({ files: { agent, session, files }, noteNumber, ...found }: SentSession): FollowedSession {
    const format = storeFormats.find((storeFormat) => storeFormat.agent === agent);
    if (format === undefined) throw new Error(`There is no store of ${agent}.`);
    const here = files.map(({ isDatabase, ...file }) => {
      if (!isDatabase) return file;
      const database = this.#databases.get(file.path) ?? new DatabaseFile(file.path);
      this.#databases.set(file.path, database);
      return { ...file, database };
    });
    const known = this.#notes.get(agent);
    const notes = known?.number === noteNumber ? known.notes : found.notes;
    this.#notes.set(agent, { number: noteNumber, notes });
    return { ...found, notes, files: { format, session, files: here } };
  }

  /** Call when the other thread has ended, because the next one starts counting again. */
  forgetNotes(): void {
    this.#notes.clear();
  }
}
