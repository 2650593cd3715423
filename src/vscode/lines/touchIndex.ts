import type { SessionHandle } from '../engine/windowEngine.ts';
import { type SessionFile, SessionFiles } from '../../insight/files/files.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { SessionRow } from '../sessionRow.ts';

/** Sessions that are looked through, the newest ones, and entries of all of them together. */
const mostSessions = 200;
const mostEntries = 250_000;
/** Entries read at once. */
const chunk = 500;

export interface TouchSource {
  /** Sessions of this workspace. */
  rows(): Promise<readonly SessionRow[]>;
  open(id: string): Promise<SessionHandle>;
}

/** A file as one session touched it. */
export interface Touch {
  readonly session: string;
  readonly projectDir: string;
  readonly file: SessionFile;
}

interface Known {
  readonly updatedAt: string;
  readonly projectDir: string;
  readonly files: SessionFiles;
  /** Entries that hold what the agent was told, ascending. */
  readonly prompts: number[];
  /** The first entry that was not settled when this was read. */
  next: number;
}

/**
 * Which sessions of this workspace touched which files. Reads records when it is first asked, newest first, and from then on
 * only what was added to them. Recordings are left out: playing one writes no file.
 */
export class TouchIndex {
  readonly #source: TouchSource;
  readonly #log: { info(message: string): void };
  readonly #known = new Map<string, Known>();
  /** Newest first. */
  #order: readonly string[] = [];
  #left = 0;
  #reading: Promise<void> | undefined;

  constructor(source: TouchSource, log: { info(message: string): void }) {
    this.#source = source;
    this.#log = log;
  }

  /** Sessions that were looked through. */
  get sessions(): number {
    return this.#order.length;
  }

  /** Sessions that were not: too many, too long, or unreadable. */
  get left(): number {
    return this.#left;
  }

  /** Who touched the file with this absolute path, as far as records tell now; the newest session first. */
  async of(path: string): Promise<readonly Touch[]> {
    this.#reading ??= this.#catchUp().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#order.flatMap((session) => {
      const known = this.#known.get(session);
      const file = known?.files.get(path);
      return known === undefined || file === undefined ? [] : [{ session, projectDir: known.projectDir, file }];
    });
  }

  /** The entry by which the agent was told to do what it did there. */
  promptOf(session: string, entryIndex: number): number | undefined {
    return this.#known.get(session)?.prompts.findLast((prompt) => prompt <= entryIndex);
  }

  /** As in the gutter of the transcript. */
  numberOf(session: string, entryIndex: number): string | undefined {
    return this.#known.get(session)?.files.numberOf(entryIndex);
  }

  async #catchUp(): Promise<void> {
    const rows = [...(await this.#source.rows())].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
    const order: string[] = [];
    let room = mostEntries;
    for (const { session_id: id, updated_at: updatedAt } of rows.slice(0, mostSessions)) {
      const before = this.#known.get(id);
      const known = before?.updatedAt === updatedAt ? before : await this.#read(id, updatedAt, before, room);
      if (known === undefined) continue;
      this.#known.set(id, known);
      room -= known.next;
      order.push(id);
    }
    for (const id of this.#known.keys()) if (!order.includes(id)) this.#known.delete(id);
    this.#order = order;
    this.#left = rows.length - order.length;
  }

  async #read(id: string, updatedAt: string, before: Known | undefined, room: number): Promise<Known | undefined> {
    try {
      const handle = await this.#source.open(id);
      try {
        return await readOn(handle, updatedAt, before, room);
      } finally {
        handle.dispose();
      }
    } catch (error) {
      this.#log.info(`Lines: ${id} is left out: ${String(error)}`);
      return undefined;
    }
  }
}

async function readOn(
  handle: SessionHandle,
  updatedAt: string,
  before: Known | undefined,
  room: number,
): Promise<Known | undefined> {
  const { project_dir: projectDir = '', recording } = handle.summary();
  const known: Known =
    before === undefined
      ? { updatedAt, projectDir, files: new SessionFiles(projectDir), prompts: [], next: 0 }
      : { ...before, updatedAt };
  const total = recording ? 0 : handle.total();
  if (total > room) return undefined;
  const settled = Math.min(total, ...handle.open());
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
