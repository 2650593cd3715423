import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { isSessionLive } from '../../model/session/status.ts';
import type { Log } from '../api.ts';
import type { SessionState } from './sessionState.ts';

/**
 * Between two looks at the record of a session that another process runs, whose end may leave no trace in a file, and of
 * one that rests: its folder is watched, but not every file system tells what other machines write.
 */
const liveEveryMs = 1000;
const restingEveryMs = 30_000;
/** Without a watch. */
const unwatchedEveryMs = 2500;
/** After a change of the folder: more come at once. */
const settleMs = 50;

interface Followed {
  lookers: number;
  timer: NodeJS.Timeout | undefined;
  watcher: FSWatcher | undefined;
  /** The folder has changed, and the next look is near. */
  isSoon: boolean;
  /** Why the last look failed; the same is not logged again. */
  problem: string | undefined;
}

/** Reads on, for sessions that someone looks at, what other windows write to their records. */
export class RecordFollower {
  readonly #log: Log;
  readonly #recordPath: (sessionId: string) => string;
  readonly #followed = new Map<SessionState, Followed>();
  #closed = false;

  constructor(log: Log, recordPath: (sessionId: string) => string) {
    this.#log = log;
    this.#recordPath = recordPath;
  }

  /** Returns an unsubscribe function; call it once per subscriber. */
  follow(state: SessionState): () => void {
    if (this.#closed) return () => undefined;
    const followed = this.#followed.get(state) ?? this.#begin(state);
    followed.lookers += 1;
    return () => {
      followed.lookers -= 1;
      if (followed.lookers > 0) return;
      end(followed);
      this.#followed.delete(state);
    };
  }

  close(): void {
    this.#closed = true;
    for (const followed of this.#followed.values()) end(followed);
    this.#followed.clear();
  }

  #begin(state: SessionState): Followed {
    const followed: Followed = { lookers: 0, timer: undefined, watcher: undefined, isSoon: false, problem: undefined };
    this.#followed.set(state, followed);
    this.#watch(state, followed);
    this.#lookLater(state, followed);
    return followed;
  }

  #watch(state: SessionState, followed: Followed): void {
    try {
      const folder = path.dirname(this.#recordPath(state.id));
      const watcher = watch(folder, { persistent: false }, () => {
        if (followed.isSoon) return;
        followed.isSoon = true;
        this.#lookLater(state, followed, settleMs);
      });
      watcher.on('error', () => {
        watcher.close();
        followed.watcher = undefined;
      });
      followed.watcher = watcher;
    } catch {
      // There are no watches left, or the folder is gone: it is looked at more often.
    }
  }

  #lookLater(state: SessionState, followed: Followed, after?: number): void {
    if (this.#followed.get(state) !== followed) return;
    const resting = followed.watcher === undefined ? unwatchedEveryMs : restingEveryMs;
    const every = after ?? (isSessionLive(state.summary.status) ? liveEveryMs : resting);
    clearTimeout(followed.timer);
    followed.timer = setTimeout(() => void this.#look(state, followed), every);
    followed.timer.unref();
  }

  async #look(state: SessionState, followed: Followed): Promise<void> {
    followed.isSoon = false;
    try {
      await state.catchUp();
      followed.problem = undefined;
    } catch (error) {
      const problem = `${state.id}: ${String(error)}`;
      if (problem !== followed.problem) this.#log.warn(problem);
      followed.problem = problem;
    }
    this.#lookLater(state, followed);
  }
}

function end({ timer, watcher }: Followed): void {
  clearTimeout(timer);
  watcher?.close();
}
