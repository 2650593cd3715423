import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LineOf } from '../../formats/record.ts';
import type { RestorePoint, RestoreResult, RestorePreview, RestoreTarget } from '../../model/files/restore.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { hasWriter } from '../record/write/writerLease.ts';
import type { RecordReader } from '../record/contract.ts';
import { restoreFailures } from './failures.ts';
import type { FileSnapshots, Restorable } from './fileSnapshots.ts';

interface SessionRestoresDeps {
  readonly snapshots: FileSnapshots;
  readonly clock: () => number;
  readonly openReader: (id: string) => Promise<Pick<RecordReader, 'summary' | 'close'>>;
  readonly list: () => Promise<readonly SessionSummary[]>;
  /** The session's record file. */
  readonly recordPath: (id: string) => string;
  readonly decide: (id: string, decision: LineOf<'decision'>['decision']) => Promise<void>;
}

/** Restores the files of a session's folder, and records it in the session. */
export class SessionRestores {
  readonly #deps: SessionRestoresDeps;

  constructor(deps: SessionRestoresDeps) {
    this.#deps = deps;
  }

  /** @throws EngineFailure */
  async points(id: string): Promise<RestorePoint[]> {
    return this.#deps.snapshots.points(await this.#findRestorable(id));
  }

  /** @throws EngineFailure */
  async preview(id: string, target: RestoreTarget): Promise<RestorePreview> {
    return this.#deps.snapshots.preview(await this.#findRestorable(id), target);
  }

  /** Text of a file in a preview, by its name there; `null`: none, or not text. @throws EngineFailure */
  async content(id: string, object: string): Promise<string | null> {
    return this.#deps.snapshots.content(await this.#findRestorable(id), object);
  }

  /** `now`: of the preview that the user saw. @throws EngineFailure */
  async restore(id: string, target: RestoreTarget, now?: string): Promise<RestoreResult> {
    const session = await this.#findRestorable(id);
    await this.#assertFree(session.folder);
    const restored = await this.#deps.snapshots.restore(session, target, now);
    const { changes, skipped, failed } = restored;
    if (changes.length === 0) return restored;
    const count = (kind: string): number => changes.filter((change) => change.kind === kind).length;
    await this.#deps.decide(id, {
      type: 'restore',
      at: new Date(this.#deps.clock()).toISOString(),
      ...target,
      changed: count('changed'),
      created: count('created'),
      deleted: count('deleted'),
      skipped: skipped.length,
      failed: failed.length,
    });
    return restored;
  }

  async #findRestorable(id: string): Promise<Restorable> {
    const reader = await this.#deps.openReader(id);
    const { project_dir: folder = '' } = reader.summary;
    await reader.close();
    return { id, folder };
  }

  /** An agent that works in the folder would not notice, and its own changes would be mixed in. */
  async #assertFree(folder: string): Promise<void> {
    const place = await realPath(folder);
    for (const { session_id, status, project_dir, title = session_id } of await this.#deps.list()) {
      if (!isSessionLive(status) || project_dir === undefined || (await realPath(project_dir)) !== place) continue;
      // Without a writer, the run was cut off.
      const isRunning = await hasWriter(path.dirname(this.#deps.recordPath(session_id)), this.#deps.clock);
      if (isRunning) throw restoreFailures.folderInUse(title);
    }
  }
}

async function realPath(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}
