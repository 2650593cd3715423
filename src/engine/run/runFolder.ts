import type { RecordLine } from '../../formats/record.ts';
import type { RestorePoint } from '../../model/files/restore.ts';
import type { Session } from '../../model/session/session.ts';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { EngineDeps } from '../engineDeps.ts';
import type { FileSnapshots } from '../restore/fileSnapshots.ts';
import { unreportedChanges } from '../snapshot/note.ts';
import { createWatch, type FolderWatch } from '../snapshot/watch.ts';
import type { Note } from './note.ts';

interface RunFolderContents {
  readonly lines: readonly RecordLine[];
  readonly notes: readonly Note[];
}

/** The folder of one run: what changes in it, and copies of its files at each prompt. */
export class RunFolder {
  readonly #watch: FolderWatch | undefined;
  readonly #copy: ((point: Omit<RestorePoint, 'at'>) => Promise<void>) | undefined;
  #prompt = 0;

  constructor(
    session: Session,
    deps: Pick<EngineDeps, 'settings' | 'environment' | 'log'>,
    snapshots: FileSnapshots | undefined,
  ) {
    const { session_id: id, project_dir: folder = '', executor_type } = session;
    this.#watch = createWatch(session, deps).watch;
    const isElsewhere = executor_type === 'replay' || executor_type === 'acp-http';
    const isOff = deps.settings(folder).unreportedChanges === false;
    if (snapshots !== undefined && !isElsewhere && !isOff)
      this.#copy = (point) => snapshots.take({ id, folder }, point);
  }

  /** Call before the agent starts. */
  async begin(): Promise<void> {
    await this.#watch?.begin();
  }

  apply(updates: readonly EntryUpdate[]): void {
    this.#watch?.apply(updates);
    for (const update of updates) {
      if (update.op !== 'put') continue;
      const { index, type, origin, metadata } = update.entry;
      const isPrompt = type.kind === 'user_message' && origin !== 'subagent' && metadata?.parentCallId === undefined;
      if (isPrompt) this.#prompt = Math.max(this.#prompt, index);
    }
  }

  get copiesFiles(): boolean {
    return this.#copy !== undefined;
  }

  /** Copies the files before the agent gets the newest prompt. Never rejects. */
  async copyAtPrompt(): Promise<void> {
    await this.#copy?.({ entry: this.#prompt, kind: 'prompt' });
  }

  /** Copies the files after the run. `entry`: number of entries. Never rejects. */
  async copyAtEnd(entry: number): Promise<void> {
    await this.#copy?.({ entry, kind: 'end' });
  }

  /** Changes that no tool call reported. `isWanted`: the agent ran, and there is time to look. */
  async changes(runId: string, isWanted: boolean, now: () => string): Promise<RunFolderContents> {
    try {
      if (this.#watch === undefined || !isWanted) return { lines: [], notes: [] };
      const { line, note } = await unreportedChanges(this.#watch, runId, now);
      return { lines: [line], notes: note === null ? [] : [note] };
    } finally {
      this.#watch?.leave();
    }
  }
}
