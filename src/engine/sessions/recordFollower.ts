import { isSessionLive } from '../../model/session/status.ts';
import type { Log } from '../api.ts';
import type { SessionState } from './sessionState.ts';

/** Between two looks at the record of a session that is running, and of one that may be resumed at any time. */
const liveEveryMs = 1000;
const restingEveryMs = 2500;

interface Followed {
  lookers: number;
  timer: NodeJS.Timeout | undefined;
  /** Why the last look failed; the same is not logged again. */
  problem: string | undefined;
}

/** Reads on, for sessions that someone looks at, what other windows write to their records. */
export class RecordFollower {
  readonly #log: Log;
  readonly #followed = new Map<SessionState, Followed>();
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns an unsubscribe function; call it once per subscriber. */
  follow(state: SessionState): () => void {
    if (this.#closed) return () => undefined;
    const followed = this.#followed.get(state) ?? this.#begin(state);
    followed.lookers += 1;
    return () => {
      followed.lookers -= 1;
      if (followed.lookers > 0) return;
      clearTimeout(followed.timer);
      this.#followed.delete(state);
    };
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#followed.values()) clearTimeout(timer);
    this.#followed.clear();
  }

  #begin(state: SessionState): Followed {
    const followed: Followed = { lookers: 0, timer: undefined, problem: undefined };
    this.#followed.set(state, followed);
    this.#lookLater(state, followed);
    return followed;
  }

  #lookLater(state: SessionState, followed: Followed): void {
    const every = isSessionLive(state.summary.status) ? liveEveryMs : restingEveryMs;
    followed.timer = setTimeout(() => void this.#look(state, followed), every);
    followed.timer.unref();
  }

  async #look(state: SessionState, followed: Followed): Promise<void> {
    try {
      await state.catchUp();
      followed.problem = undefined;
    } catch (error) {
      const problem = `${state.id}: ${String(error)}`;
      if (problem !== followed.problem) this.#log.warn(problem);
      followed.problem = problem;
    }
    if (this.#followed.get(state) === followed) this.#lookLater(state, followed);
  }
}
