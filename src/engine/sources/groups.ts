import type { StoreFormat, StorePart, StoreRoot } from '../../agents/stores/storeFormat.ts';
import {
  linesOf,
  findFiles,
  type FoundFiles,
  isMissing,
  readBytes,
  reasonOf,
  type StoreFile,
  type StoreProblem,
} from './files.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import type { CachedPart, FactsCache } from './reading/factsCache.ts';
import type { DatabaseFile } from '../sqlite/databaseFile.ts';
import { Pace } from '../pace.ts';
import { databaseSessions } from './databases.ts';

/** A file with its role. For a session in a database, `mtimeMs` is the session's last change, and `size` is 0. */
export interface PlacedFile extends StoreFile {
  readonly part: StorePart;
  /** Set if the records are database rows. */
  readonly database?: DatabaseFile;
}

/** The files of one session. */
export interface SessionFiles {
  readonly format: StoreFormat;
  readonly session: string;
  /** Sidecars, then main files, then files of subagents; each kind sorted by path. */
  readonly files: readonly PlacedFile[];
}

export interface Store {
  readonly format: StoreFormat;
  readonly roots: readonly StoreRoot[];
  /** By native id. */
  readonly sessions: ReadonlyMap<string, SessionFiles>;
  readonly shared: readonly PlacedFile[];
  readonly problems: readonly StoreProblem[];
  /** Scanned folders. */
  readonly folders: readonly string[];
}

const headBytes = 64 * 1024;
const roleOrder = { sidecar: 0, main: 1, subagent: 2, shared: 3, database: 3 } as const;

/** A file that belongs to no session. `problem`: the reason, if it is named like a session file. */
interface IgnoredFile {
  readonly role?: undefined;
  readonly problem: string | null;
}

function reasonOfNoSession({ leavesEmptyFiles }: StoreFormat, head: readonly string[]): string | null {
  const isEmpty = head.every((line) => line.trim() === '');
  if (!isEmpty) return 'Damaged or unknown: it has no readable session ID.';
  return leavesEmptyFiles === true ? null : 'The file is empty.';
}

/** Caches the roles of files by path, size and modification time, so that each is opened once. */
export class PartMemory {
  readonly #parts = new Map<string, { readonly key: string; readonly part: StorePart | IgnoredFile }>();
  readonly #changed = new Map<string, CachedPart>();
  readonly #cache: FactsCache | undefined;
  #loading: Promise<void> | undefined;
  readonly databases = new Map<string, DatabaseFile>();

  constructor(cache?: FactsCache) {
    this.#cache = cache;
  }

  /** Call before `partOf`. */
  load(): Promise<void> {
    return (this.#loading ??= (async () => {
      for (const [path, part] of (await this.#cache?.parts()) ?? []) this.#parts.set(path, part);
    })());
  }

  /** Stores new parts for other processes, and forgets those of deleted files. */
  async save(paths: { has(path: string): boolean }): Promise<void> {
    for (const path of this.#parts.keys()) if (!paths.has(path)) this.#parts.delete(path);
    const changed = new Map(this.#changed);
    this.#changed.clear();
    await this.#cache?.saveParts(changed, (path) => paths.has(path));
  }

  async partOf(format: StoreFormat, file: StoreFile): Promise<StorePart | IgnoredFile> {
    const placed = format.place(file.relative);
    if (placed !== 'head') return placed ?? { problem: null };
    const key = `${file.size < headBytes ? file.size : headBytes}`;
    const known = this.#parts.get(file.path);
    if (known?.key === key) return known.part;
    const head = await headLines(file.path);
    const seen = format.look?.(file.relative, head);
    const part: StorePart | IgnoredFile = seen ?? { problem: reasonOfNoSession(format, head) };
    this.#parts.set(file.path, { key, part });
    if (seen !== undefined) this.#changed.set(file.path, { key, part: seen });
    return part;
  }
}

/** The files below a store's roots. */
export interface StoreScan {
  readonly format: StoreFormat;
  readonly roots: readonly StoreRoot[];
  readonly files: readonly StoreFile[];
  readonly folders: readonly string[];
  readonly problems: readonly StoreProblem[];
}

export async function scanStore(format: StoreFormat, roots: readonly StoreRoot[]): Promise<StoreScan> {
  const found: FoundFiles[] = [];
  for (const root of roots) found.push(await findFiles(root, (relative) => format.place(relative) !== undefined));
  return {
    format,
    roots,
    files: found.flatMap((files) => files.files),
    folders: found.flatMap((files) => files.folders),
    problems: found.flatMap((files) => files.problems),
  };
}

/** Groups the files of a store into sessions. */
export async function readStore(scan: StoreScan, memory: PartMemory): Promise<Store> {
  const { format, roots, folders } = scan;
  const sessions = new Map<string, PlacedFile[]>();
  const problems = [...scan.problems];
  const [shared, databases]: [PlacedFile[], PlacedFile[]] = [[], []];
  const pace = new Pace();
  for (const file of scan.files) {
    await pace.step();
    try {
      const part = await memory.partOf(format, file);
      if (part.role === undefined) {
        if (part.problem !== null) problems.push({ path: file.path, reason: part.problem });
        continue;
      }
      const placed = { ...file, part };
      if (part.role === 'shared') shared.push(placed);
      else if (part.role === 'database') databases.push(placed);
      else {
        const known = sessions.get(part.session);
        if (known === undefined) sessions.set(part.session, [placed]);
        else known.push(placed);
      }
    } catch (error) {
      if (!isMissing(error)) problems.push({ path: file.path, reason: reasonOf(error) });
    }
  }
  for (const file of databases) {
    const { files, problem } = await databaseSessions(format, file, memory.databases);
    if (problem !== undefined) problems.push({ path: file.path, reason: problem });
    for (const { session, file: placed } of files) sessions.set(session, [...(sessions.get(session) ?? []), placed]);
  }
  return {
    format,
    roots,
    sessions: new Map(
      [...sessions]
        .filter(([, placed]) => placed.some(({ part }) => part.role !== 'sidecar'))
        .map(([session, placed]) => [session, { format, session, files: placed.sort(compareFiles) }]),
    ),
    shared,
    problems,
    folders,
  };
}

/** Sort order of `SessionFiles.files`. */
export function compareFiles(a: PlacedFile, b: PlacedFile): number {
  return roleOrder[a.part.role] - roleOrder[b.part.role] || a.relative.localeCompare(b.relative);
}

/** First lines of a file; the last one may be cut off. */
export async function headLines(file: string): Promise<string[]> {
  if (file.endsWith('.zst')) {
    for await (const lines of linesOf(file))
      return lines.flatMap((line) => ('text' in line ? [line.text] : [line.oversize.head]));
    return [];
  }
  return splitLines(await readBytes(file, 0, headBytes));
}

function splitLines(bytes: Uint8Array): string[] {
  const splitter = new LineSplitter();
  return [...splitter.push(bytes), ...splitter.end()].flatMap((line) => ('text' in line ? [line.text] : []));
}
