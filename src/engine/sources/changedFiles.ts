import path from 'node:path';
import { fileAt, findFiles, isMissing, reasonOf, reasonOfNoFile, type StoreFile, type StoreProblem } from './files.ts';
import { compareFiles, type PartMemory, type PlacedFile, type SessionFiles, type Store } from './groups.ts';

/** A store after a change. `sessions`: native ids of the sessions with changed files. */
interface ChangedStore {
  readonly store: Store;
  readonly sessions: ReadonlySet<string>;
}

const walEnding = '-wal';

/** Rescans only the changed paths of a store; `null` if the whole store must be read, as with databases. */
export async function rescanChanged(
  store: Store,
  paths: ReadonlySet<string>,
  memory: PartMemory,
): Promise<ChangedStore | null> {
  const { format, roots } = store;
  const isWanted = (relative: string): boolean => format.place(relative) !== undefined;
  const sessions = new Map(store.sessions);
  const changed = new Set<string>();
  const folders = new Set(store.folders);
  const problems = new Map(store.problems.map((problem) => [problem.path, problem]));
  const add = (path: string, reason: string): void => void problems.set(path, { path, reason });
  for (const touched of paths) {
    // Databases write to their write-ahead log first.
    const changedPath = touched.endsWith(walEnding) ? touched.slice(0, -walEnding.length) : touched;
    const root = roots.find(
      (storeRoot) => changedPath === storeRoot.path || changedPath.startsWith(storeRoot.path + path.sep),
    );
    if (root === undefined) continue;
    const relative = path.relative(root.path, changedPath).split(path.sep).join('/');
    if (relative === '') return null;
    removeProblemsBelow(problems, changedPath);
    const file = isWanted(relative) ? await fileAt(changedPath, relative) : undefined;
    let files: readonly StoreFile[] = file === undefined ? [] : [file];
    if (file === undefined && !isWanted(relative)) {
      const found = await findFiles(root, isWanted, relative);
      files = found.files;
      for (const folder of found.folders) folders.add(folder);
      for (const { path, reason } of found.problems) add(path, reason);
    } else if (file === undefined) {
      const reason = await reasonOfNoFile(changedPath);
      if (reason !== null) add(changedPath, reason);
    }
    if (files.length === 0) removeBelow(sessions, changedPath, changed);
    for (const storeFile of files) {
      try {
        const part = await memory.partOf(format, storeFile);
        if (part.role === undefined) {
          if (part.problem !== null) add(storeFile.path, part.problem);
          continue;
        }
        if (part.role === 'shared' || part.role === 'database') return null;
        addFile(sessions, store, { ...storeFile, part }, part.session);
        changed.add(part.session);
      } catch (error) {
        if (!isMissing(error)) add(storeFile.path, reasonOf(error));
      }
    }
  }
  return { store: { ...store, sessions, problems: [...problems.values()], folders: [...folders] }, sessions: changed };
}

function removeProblemsBelow(problems: Map<string, StoreProblem>, changed: string): void {
  for (const known of problems.keys()) {
    if (known === changed || known.startsWith(changed + path.sep)) problems.delete(known);
  }
}

function addFile(sessions: Map<string, SessionFiles>, { format }: Store, file: PlacedFile, session: string): void {
  const others = (sessions.get(session)?.files ?? []).filter((placedFile) => placedFile.path !== file.path);
  sessions.set(session, { format, session, files: [...others, file].sort(compareFiles) });
}

/** Removes a path and everything below it. A session without files other than sidecars is removed. */
function removeBelow(sessions: Map<string, SessionFiles>, gone: string, changed: Set<string>): void {
  for (const [session, found] of sessions) {
    const left = found.files.filter((file) => file.path !== gone && !file.path.startsWith(gone + path.sep));
    if (left.length === found.files.length) continue;
    changed.add(session);
    if (left.some(({ part }) => part.role !== 'sidecar')) sessions.set(session, { ...found, files: left });
    else sessions.delete(session);
  }
}
