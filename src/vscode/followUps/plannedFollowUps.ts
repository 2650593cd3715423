import { type Disposable, Listeners } from '../../client/listeners.ts';
import type { FollowUpsState } from '../../protocol/daemon/followUps.ts';

/** A follow-up that the daemon will send. */
export type DueFollowUp = FollowUpsState['due'][number];

interface FollowUpCalls {
  readonly cancel: (sessionId: string) => Promise<void>;
  readonly turn: (sessionId: string, on: boolean) => Promise<void>;
  readonly pause: (paused: boolean) => Promise<void>;
}

/** Planned follow-ups, as last reported by the daemon. */
export class PlannedFollowUps {
  /** Cancels the due follow-up. */
  readonly cancel: FollowUpCalls['cancel'];
  readonly turn: FollowUpCalls['turn'];
  readonly pause: FollowUpCalls['pause'];
  readonly #changed = new Listeners<[]>();
  #state: FollowUpsState = { due: [], paused: false };

  constructor({ cancel, turn, pause }: FollowUpCalls) {
    this.cancel = cancel;
    this.turn = turn;
    this.pause = pause;
  }

  /** Soonest first. */
  due(): readonly DueFollowUp[] {
    return this.#state.due;
  }

  get paused(): boolean {
    return this.#state.paused;
  }

  onChange(listener: () => void): Disposable {
    return this.#changed.on(listener);
  }

  update(state: FollowUpsState): void {
    this.#state = state;
    this.#changed.fire();
  }
}
