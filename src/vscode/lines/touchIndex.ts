import type { SessionHandle } from '../engine/windowEngine.ts';
import { type SessionFile, SessionFiles } from '../../insight/files/files.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';

/** Maximum number of sessions to read per file, newest first, and of entries per session. */
const maxSessions = 50;
const maxEntries = 250_000;
/** Maximum number of cached sessions. */
const maxCachedSessions = 200;
/** Entries read at once. */
const chunk = 500;

export interface TouchSource {
  /** Sessions of this workspace that read or changed the file, and the number of searched sessions. */
  findSessionsTouching(path: string): Promise<{
    readonly sessions: readonly Pick<SessionRow, 'session_id' | 'updated_at'>[];
    readonly searched: number;
  }>;
  open(id: string): Promise<SessionHandle>;
}

/** What one session did to a file. */
export interface Touch {
  readonly session: string;
  readonly projectDir: string;
  readonly file: SessionFile;
}

interface SessionTouches {
  readonly updatedAt: string;
  readonly projectDir: string;
  readonly files: SessionFiles;
  /** Entries with prompts, ascending. */
  readonly prompts: number[];
  /** The first entry that was not settled when this was read. */
  next: number;
}

/**
 * Which sessions of this workspace touched which files. The catalogue says which sessions to read; each is read once,
 * and later only what was added. Excludes recordings, which write no files.
 */
export class TouchIndex {
  readonly #source: TouchSource;
  readonly #log: { info(message: string): void };
  readonly #bySession = new Map<string, SessionTouches>();
  #sessions = 0;
  #skippedSessions = 0;
  /** Serializes searches, which would otherwise read the same sessions. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: TouchSource, log: { info(message: string): void }) {
    this.#source = source;
    this.#log = log;
  }

  /** Number of sessions searched for the last file. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Number of sessions that touched it but were not read: too many, too long, or unreadable. */
  get skipped(): number {
    return this.#skippedSessions;
  }

  /** Sessions that touched the file with this absolute path, newest first. */
  touchesOf(path: string): Promise<readonly Touch[]> {
    const found = this.#last.then(() => this.#readTouches(path));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #readTouches(path: string): Promise<readonly Touch[]> {
    const { sessions, searched } = await this.#source.findSessionsTouching(path);
    const newest = [...sessions].sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, maxSessions);
    const touches: Touch[] = [];
    let read = 0;
    for (const { session_id: session, updated_at: updatedAt } of newest) {
      const before = this.#bySession.get(session);
      const known = before?.updatedAt === updatedAt ? before : await this.#read(session, updatedAt, before);
      if (known === undefined) continue;
      read += 1;
      this.#keep(session, known);
      const file = known.files.get(path);
      if (file !== undefined) touches.push({ session, projectDir: known.projectDir, file });
    }
    this.#sessions = searched;
    this.#skippedSessions = sessions.length - read;
    return touches;
  }

  #keep(session: string, known: SessionTouches): void {
    this.#bySession.delete(session);
    this.#bySession.set(session, known);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > maxCachedSessions && oldest !== undefined) this.#bySession.delete(oldest);
  }

  /** Entry of the prompt that led to this entry. */
  promptOf(session: string, entryIndex: number): number | undefined {
    return this.#bySession.get(session)?.prompts.findLast((prompt) => prompt <= entryIndex);
  }

  /** Number of the step, as in the gutter of the transcript. */
  numberOf(session: string, entryIndex: number): string | undefined {
    return this.#bySession.get(session)?.files.numberOf(entryIndex);
  }

  async #read(id: string, updatedAt: string, before: SessionTouches | undefined): Promise<SessionTouches | undefined> {
    try {
      const handle = await this.#source.open(id);
      try {
        return await readNewTouches(handle, updatedAt, before);
      } finally {
        handle.dispose();
      }
    } catch (error) {
      this.#log.info(`Lines: ${id} is left out: ${String(error)}`);
      return undefined;
    }
  }
}

async function readNewTouches(
  handle: SessionHandle,
  updatedAt: string,
  before: SessionTouches | undefined,
): Promise<SessionTouches | undefined> {
  const { project_dir: projectDir = '', recording } = handle.summary();
  const known: SessionTouches =
    before === undefined
      ? { updatedAt, projectDir, files: new SessionFiles(projectDir), prompts: [], next: 0 }
      : { ...before, updatedAt };
  const total = recording ? 0 : handle.entryCount();
  if (total > maxEntries) return undefined;
  const settled = Math.min(total, ...handle.openIndexes());
  for (let from = known.next; from < settled; from += chunk) {
    for (const entry of await handle.read(from, Math.min(from + chunk, settled))) {
      known.files.add(entry);
      if (isPrompt(entry)) known.prompts.push(entry.index);
    }
  }
  known.next = Math.max(known.next, settled);
  return known;
}

function isPrompt({ type, metadata, origin }: NormalizedEntry): boolean {
  return type.kind === 'user_message' && origin !== 'subagent' && metadata?.parentCallId === undefined;
}
