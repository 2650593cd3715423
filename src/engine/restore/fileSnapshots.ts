import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { type RestorePoint, restorePointSchema, type RestoreTarget } from '../../model/files/restore.ts';
import type { RestoreResult, RestorePreview } from '../../model/files/restore.ts';
import type { Log } from '../api.ts';
import { Deadline, SnapshotProblem } from '../snapshot/snapshot.ts';
import { applyRestore } from './applyRestore.ts';
import { restoreFailures } from './failures.ts';
import { FolderStore } from './folderStore.ts';
import { findDifferences, planRestore, type RestoreGoal, type RestorePlan } from './planRestore.ts';

/** Milliseconds that a prompt and the end of a run wait for their copy, and that everything else may take. */
const promptMs = 5000;
const endMs = 20_000;
const patientMs = 120_000;
const cleanMs = 600_000;
const keptDays = 30;
const maxLeft = 1000;

const pointMessageSchema = restorePointSchema.extend({ left: z.array(z.string()) });
/** A restore: the folder before and after it. */
const undoMessageSchema = z.object({ at: z.string(), before: z.string(), after: z.string() });

interface FileSnapshotsDeps {
  readonly storeDir: string;
  /** Environment of git for a folder. */
  readonly environment: (folder: string) => Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  readonly log: Log;
}

/** The session and its folder. */
export interface Restorable {
  readonly id: string;
  readonly folder: string;
}

/** Copies of the files of sessions' folders at their prompts, which can be restored. */
export class FileSnapshots {
  readonly #deps: FileSnapshotsDeps;
  /** The last use of each folder's store. */
  readonly #lastUses = new Map<string, Promise<unknown>>();
  readonly #cleanedFolders = new Set<string>();

  constructor(deps: FileSnapshotsDeps) {
    this.#deps = deps;
  }

  /** Copies the files before a prompt, or after a run. Logs problems; never rejects. */
  async take({ id, folder }: Restorable, point: Omit<RestorePoint, 'at'>): Promise<void> {
    const deadline = new Deadline(point.kind === 'prompt' ? promptMs : endMs);
    try {
      await this.#withStore(folder, deadline, async (store) => {
        const { root, left } = await store.takeSnapshot(deadline);
        const message = { ...point, at: this.#now(), left: [...left.keys()].slice(0, maxLeft) };
        await this.#save(store, refOf(id, `${point.kind}-${point.entry}`), { root, message }, deadline);
      });
    } catch (error) {
      this.#deps.log.warn(`${id}: the files were not copied at entry ${point.entry}: ${String(error)}`);
    }
    if (point.kind === 'end') void this.#clean(folder);
  }

  /** Points to which the files can be restored, oldest first. @throws EngineFailure */
  points({ id, folder }: Restorable): Promise<RestorePoint[]> {
    return this.#translateErrors(async () => {
      const deadline = new Deadline(patientMs);
      const found = await this.#withStore(folder, deadline, (store) => this.#readPoints(store, id, deadline));
      return found.map(({ entry, kind, at }) => ({ entry, kind, at }));
    });
  }

  /** What a restore would change. @throws EngineFailure */
  preview(session: Restorable, target: RestoreTarget): Promise<RestorePreview> {
    return this.#translateErrors(() => {
      const deadline = new Deadline(patientMs);
      return this.#withStore(session.folder, deadline, async (store) => {
        const { plan, at } = await this.#planRestore(store, session, target, deadline);
        const { now, changes, skipped } = plan;
        return { folder: session.folder, now: now.root, at, changes, skipped };
      });
    });
  }

  /** `now`: of the preview; nothing is restored if files changed since. @throws EngineFailure */
  restore(session: Restorable, target: RestoreTarget, now: string | undefined): Promise<RestoreResult> {
    return this.#translateErrors(() => {
      const deadline = new Deadline(patientMs);
      return this.#withStore(session.folder, deadline, async (store) => {
        const { plan } = await this.#planRestore(store, session, target, deadline);
        const { changes, skipped, goal } = plan;
        if (now !== undefined && plan.now.root !== now) throw restoreFailures.filesChanged();
        if (changes.length === 0) return { changes: [], skipped, failed: [] };
        const at = this.#now();
        const message = { at, before: plan.now.root, after: goal.root };
        // Before anything changes, so that a crash can be undone too.
        const name = `undo-${this.#deps.clock()}`;
        await this.#save(store, refOf(session.id, name), { root: plan.now.root, message }, deadline);
        await this.#save(store, refOf(session.id, `${name}-goal`), { root: goal.root, message }, deadline);
        const failed = await applyRestore(store, plan, deadline).catch(async (error: unknown) => {
          const left = await store.takeSnapshot(deadline);
          const refs = ['', '-goal'].map((end) => refOf(session.id, `${name}${end}`));
          if (left.root === plan.now.root) await deleteRefs(store, refs, deadline);
          throw error;
        });
        return { changes, skipped, failed };
      });
    });
  }

  /** A file of a preview, by git's name of its content. `null` if there is none. @throws EngineFailure */
  content({ folder }: Restorable, object: string): Promise<string | null> {
    return this.#translateErrors(() => {
      const deadline = new Deadline(patientMs);
      return this.#withStore(folder, deadline, async ({ git }) => {
        if (!/^[0-9a-f]{40,64}$/.test(object)) return null;
        const text = await git.run(['cat-file', 'blob', object], deadline).catch(() => null);
        return text === null || text.includes('\0') ? null : text;
      });
    });
  }

  /** Deletes the copies of a deleted session. Never rejects. */
  async forget({ id, folder }: Restorable): Promise<void> {
    try {
      const parent = path.join(this.#deps.storeDir, 'snapshots');
      const place = FolderStore.place(await realPath(folder), parent);
      if ((await stat(place).catch(() => null)) === null) return;
      const deadline = new Deadline(patientMs);
      await this.#withStore(folder, deadline, async (store) => {
        const names = await store.git.run(['for-each-ref', '--format=%(refname)', refOf(id, '')], deadline);
        await deleteRefs(store, names.split('\n').filter(Boolean), deadline);
      });
    } catch (error) {
      this.#deps.log.warn(`${id}: the copies of its files were not deleted: ${String(error)}`);
    }
  }

  async #planRestore(
    store: FolderStore,
    { id }: Restorable,
    target: RestoreTarget,
    deadline: Deadline,
  ): Promise<{ readonly plan: RestorePlan; readonly at: string }> {
    if ('undo' in target) {
      const undo = (await this.#readMessages(store, `${refOf(id, '')}undo-*[0-9]`, undoMessageSchema, deadline)).at(-1);
      if (undo === undefined) throw restoreFailures.nothingToUndo();
      const [before, after] = await Promise.all([store.read(undo.before, deadline), store.read(undo.after, deadline)]);
      const paths = new Set(
        (await findDifferences(store, before, after, deadline)).map((difference) => difference.path),
      );
      for (const name of new Set([...Object.keys(before.modes.others), ...Object.keys(after.modes.others)]))
        if (before.modes.others[name] !== after.modes.others[name]) paths.add(name);
      return { plan: await planRestore(store, { ...before, left: [] }, deadline, paths), at: undo.at };
    }
    const points = await this.#readPoints(store, id, deadline);
    const point =
      points.find(({ entry, kind }) => entry === target.entry && kind === 'prompt') ??
      points.find(({ entry }) => entry === target.entry);
    if (point === undefined) throw restoreFailures.noSnapshot(target.entry);
    const root = await store.git.line(
      ['rev-parse', '--verify', `${refOf(id, `${point.kind}-${point.entry}`)}^{tree}`],
      deadline,
    );
    const goal: RestoreGoal = { ...(await store.read(root, deadline)), left: point.left };
    return { plan: await planRestore(store, goal, deadline), at: point.at };
  }

  async #readPoints(store: FolderStore, id: string, deadline: Deadline) {
    const points = [
      ...(await this.#readMessages(store, `${refOf(id, '')}prompt-*`, pointMessageSchema, deadline)),
      ...(await this.#readMessages(store, `${refOf(id, '')}end-*`, pointMessageSchema, deadline)),
    ];
    return points.sort((a, b) => a.entry - b.entry || (a.at < b.at ? -1 : 1));
  }

  /** Messages of all references that match a pattern, in the order of their numbers. */
  async #readMessages<T>(store: FolderStore, pattern: string, schema: z.ZodType<T>, deadline: Deadline): Promise<T[]> {
    const args = ['for-each-ref', '--sort=version:refname', '--format=%(contents)', pattern];
    const lines = (await store.git.run(args, deadline)).split('\n').filter((line) => line !== '');
    return lines.flatMap((line) => schema.safeParse(JSON.parse(line)).data ?? []);
  }

  async #save(
    { git }: FolderStore,
    ref: string,
    { root, message }: { readonly root: string; readonly message: unknown },
    deadline: Deadline,
  ): Promise<void> {
    const input = JSON.stringify(message);
    const commit = await git.line(['commit-tree', root], deadline, { input });
    await git.run(['update-ref', ref, commit], deadline);
  }

  /** Deletes old copies and packs the rest, once per folder. Git allows that at any time, so nothing waits for it. */
  async #clean(projectDir: string): Promise<void> {
    const folder = await realPath(projectDir);
    if (this.#cleanedFolders.has(folder)) return;
    this.#cleanedFolders.add(folder);
    const deadline = new Deadline(cleanMs);
    try {
      const store = await this.#open(folder, projectDir, deadline);
      if (store !== null) {
        const format = '--format=%(creatordate:unix) %(refname)';
        const lines = (await store.git.run(['for-each-ref', format], deadline)).split('\n').filter(Boolean);
        const oldest = this.#deps.clock() / 1000 - keptDays * 24 * 3600;
        const old = lines.filter((line) => Number(line.split(' ', 1)[0]) < oldest);
        await deleteRefs(
          store,
          old.map((line) => line.slice(line.indexOf(' ') + 1)),
          deadline,
        );
        await store.git.run(['-c', 'gc.pruneExpire=1.day.ago', 'gc', '--auto', '--quiet'], deadline);
      }
    } catch (error) {
      this.#deps.log.warn(`Old copies of ${folder} were not deleted: ${String(error)}`);
    }
  }

  /** One use of a folder's store at a time. @throws SnapshotProblem, EngineFailure */
  async #withStore<T>(projectDir: string, deadline: Deadline, work: (store: FolderStore) => Promise<T>): Promise<T> {
    const folder = await realPath(projectDir);
    const before = this.#lastUses.get(folder) ?? Promise.resolve();
    const use = before.then(async () => {
      const store = await this.#open(folder, projectDir, deadline);
      if (store === null) throw restoreFailures.gitMissing();
      return work(store);
    });
    const settled = use.catch(() => undefined);
    this.#lastUses.set(folder, settled);
    try {
      return await use;
    } finally {
      if (this.#lastUses.get(folder) === settled) this.#lastUses.delete(folder);
    }
  }

  #open(folder: string, projectDir: string, deadline: Deadline): Promise<FolderStore | null> {
    const { storeDir, environment } = this.#deps;
    return FolderStore.open(folder, path.join(storeDir, 'snapshots'), environment(projectDir), deadline);
  }

  async #translateErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw SnapshotProblem.is(error) ? restoreFailures.failed(error.message) : error;
    }
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}

function refOf(session: string, name: string): string {
  return `refs/vitrine/${session}/${name}`;
}

async function deleteRefs({ git }: FolderStore, names: readonly string[], deadline: Deadline): Promise<void> {
  if (names.length === 0) return;
  await git.run(['update-ref', '--stdin'], deadline, { input: names.map((name) => `delete ${name}\n`).join('') });
}

async function realPath(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}
