import { realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { Session } from '../../model/session/session.ts';
import type { UnreportedChange, UnreportedChanges } from '../../model/transcript/unreported.ts';
import type { EngineDeps } from '../engineDeps.ts';
import type { Log } from '../api.ts';
import { mapConcurrently } from './fileState.ts';
import { folderSnapshot } from './folderSnapshot.ts';
import { Git } from './gitProgram.ts';
import { gitSnapshot } from './gitSnapshot.ts';
import { ReportedChanges } from './reported.ts';
import { defaultLimits, longestCompared, SnapshotProblem, type Snapshot, type SnapshotLimits } from './snapshot.ts';

/** Maximum number of listed files; the rest is counted. */
const maxListed = 500;
/** Maximum number of files whose text is compared with the reported edits. */
const maxCompared = 200;
/** Maximum number of reported paths whose links are resolved. */
const maxFollowed = 5000;

export interface WatchDeps {
  readonly folder: string;
  /** Base of the agent's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly limits?: SnapshotLimits;
}

/** Active watches of this process. */
const activeWatches = new Set<FolderWatch>();

/** Watch for a run, if enabled. Recordings and remote servers do not change this folder. */
export function createWatch(
  { executor_type, project_dir = '' }: Session,
  { settings, environment, log }: Pick<EngineDeps, 'settings' | 'environment' | 'log'>,
): { watch?: FolderWatch } {
  const otherPlaces = executor_type === 'replay' || executor_type === 'acp-http';
  const { unreportedChanges, environment: own = environment } = settings(project_dir);
  if (otherPlaces || unreportedChanges === false) return {};
  return { watch: new FolderWatch({ folder: project_dir, environment: own, log }) };
}

/** Finds changes in a folder during a run that its tool calls did not report. Errors never fail the run. */
export class FolderWatch {
  readonly #deps: WatchDeps;
  readonly #reportedChanges: ReportedChanges;
  /** Watches of concurrent runs: their reported changes do not count as unreported. */
  readonly #neighbours = new Set<FolderWatch>();
  #snapshot: Promise<Snapshot | SnapshotProblem> | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#reportedChanges = new ReportedChanges(namesOf(deps.folder));
  }

  /** Takes the first snapshot. Await it before starting the agent. */
  async begin(): Promise<void> {
    this.#snapshot ??= this.#takeFirstSnapshot();
    await this.#snapshot;
  }

  #takeFirstSnapshot(): Promise<Snapshot | SnapshotProblem> {
    for (const other of activeWatches) {
      other.#neighbours.add(this);
      this.#neighbours.add(other);
    }
    activeWatches.add(this);
    return this.#takeSnapshot();
  }

  apply(updates: readonly EntryUpdate[]): void {
    this.#reportedChanges.apply(updates);
  }

  /** Call after the agent has exited. A text is the reason why the check failed. */
  async end(): Promise<UnreportedChanges | string> {
    this.leave();
    const snapshot = await (this.#snapshot ?? Promise.resolve(new SnapshotProblem('The run did not start.')));
    if (SnapshotProblem.is(snapshot)) return snapshot.message;
    try {
      const { changes, ...rest } = await snapshot.changes();
      await this.#followLinks(changes);
      const unreported = await this.#findUnreported(changes, snapshot);
      return { ...rest, changes: unreported.slice(0, maxListed), total: unreported.length };
    } catch (error) {
      return this.#toSnapshotProblem(error).message;
    }
  }

  /** Ends the watch without a comparison. */
  leave(): void {
    activeWatches.delete(this);
  }

  async #takeSnapshot(): Promise<Snapshot | SnapshotProblem> {
    const { folder, environment, limits = defaultLimits } = this.#deps;
    try {
      const git = await Git.find(folder, environment);
      const found = git === null ? null : await gitSnapshot(folder, git, limits);
      return found ?? (await folderSnapshot(folder, limits));
    } catch (error) {
      return this.#toSnapshotProblem(error);
    }
  }

  async #findUnreported(changes: readonly UnreportedChange[], snapshot: Snapshot): Promise<UnreportedChange[]> {
    const unreported: UnreportedChange[] = [];
    const otherPlaces = this.#pathsReportedByOthers();
    let compared = 0;
    for (const change of changes) {
      if (otherPlaces.has(change.path)) continue;
      if (!this.#reportedChanges.has(change.path)) unreported.push(change);
      // Edits of a file that something else created, for example by renaming another one.
      else if (change.kind === 'added' && !this.#reportedChanges.mayCreate(change.path))
        unreported.push({ ...change, besides: true });
      // Tool calls report the text of a file alone.
      else if (change.mode !== undefined) unreported.push({ ...change, besides: true });
      else if (compared++ < maxCompared && (await this.#differsFromReport(change.path, snapshot))) {
        unreported.push({ ...change, besides: true });
      }
    }
    return unreported;
  }

  /** Paths in this folder, by their names here. */
  #pathsReportedByOthers(): Set<string> {
    const own = namesOf(this.#deps.folder).at(-1) ?? '';
    const all = [...this.#neighbours].flatMap((other) => {
      const theirs = namesOf(other.#deps.folder).at(-1) ?? '';
      return other.#reportedChanges.paths.map((reported) => path.relative(own, path.resolve(theirs, reported)));
    });
    return new Set(all.map((name) => name.replaceAll(path.sep, '/')));
  }

  /** The agent may have reported a changed file by another path. */
  async #followLinks(changes: readonly UnreportedChange[]): Promise<void> {
    const changed = new Set(changes.map((change) => change.path));
    const others = this.#reportedChanges.paths.filter((reported) => !changed.has(reported));
    if (others.length === 0 || changed.size === 0) return;
    const folder = await realPath(this.#deps.folder);
    await mapConcurrently(others.slice(0, maxFollowed), async (reported) => {
      const real = path.relative(folder, await realPath(path.resolve(folder, reported)));
      const name = real.replaceAll(path.sep, '/');
      if (changed.has(name)) this.#reportedChanges.addRealPath(reported, name);
    });
  }

  /** Whether the file differs from the reported edits; false if that is uncertain. */
  async #differsFromReport(file: string, snapshot: Snapshot): Promise<boolean> {
    // An unreadable file does not hide the others.
    const before = await snapshot.textBefore(file).catch(() => undefined);
    if (before === undefined || !isComparable(before)) return false;
    const expected = this.#reportedChanges.textAfter(file, before);
    if (expected === undefined) return false;
    const found = await readTextNow(path.join(this.#deps.folder, file));
    if (found === undefined || !isComparable(found)) return false;
    return normalizeForComparison(found) !== normalizeForComparison(expected);
  }

  #toSnapshotProblem(error: unknown): SnapshotProblem {
    if (SnapshotProblem.is(error)) return error;
    this.#deps.log.warn(
      `Could not compare ${this.#deps.folder}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`,
    );
    return new SnapshotProblem('It could not be read.');
  }
}

function namesOf(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** Resolves the folder of a file that no longer exists. */
async function realPath(file: string): Promise<string> {
  const found = await realpath(file).catch(() => null);
  if (found !== null) return found;
  const folder = await realpath(path.dirname(file)).catch(() => path.dirname(file));
  return path.join(folder, path.basename(file));
}

/** `null` if there is no file, `undefined` if it cannot be read. */
async function readTextNow(file: string): Promise<string | null | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
  }
}

/** Other encodings, read as UTF-8, contain U+FFFD or NUL, and cannot be compared. */
function isComparable(text: string | null): boolean {
  return text === null || (text.length <= longestCompared && !/[\0\uFFFD]/.test(text));
}

/** Ignores line ends and the end of the file, which agents may change without reporting. */
function normalizeForComparison(text: string | null): string | null {
  return text === null
    ? null
    : text
        .replace(/^\uFEFF/, '')
        .replaceAll('\r\n', '\n')
        .trimEnd();
}
