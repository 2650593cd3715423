import type { Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { isSessionLive } from '../../model/session/status.ts';

/** Sessions with a run, each held open until it ends. */
export class RunningSessions {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #onRunCount: (count: number) => void;
  readonly #handles = new Map<string, SessionHandle>();

  constructor(engine: Engine, log: Log, onCount: (count: number) => void) {
    this.#engine = engine;
    this.#log = log;
    this.#onRunCount = onCount;
    // Also runs that no client started, such as those of child sessions.
    engine.onSummary((summary) => {
      if (isSessionLive(summary.status) && !this.#handles.has(summary.session_id)) void this.hold(summary.session_id);
    });
  }

  get count(): number {
    return this.#handles.size;
  }

  get(sessionId: string): SessionHandle | undefined {
    return this.#handles.get(sessionId);
  }

  all(): readonly SessionHandle[] {
    return [...this.#handles.values()];
  }

  #add(handle: SessionHandle): void {
    this.#handles.set(handle.id, handle);
    this.#onRunCount(this.#handles.size);
    void handle.done.then(() => {
      if (this.#handles.get(handle.id) === handle && !handle.isLive()) {
        this.#handles.delete(handle.id);
        handle.dispose();
      }
      this.#onRunCount(this.#handles.size);
    });
  }

  /** For a session with an active run. Never rejects. */
  async hold(sessionId: string): Promise<void> {
    try {
      const handle = await this.#engine.open(sessionId);
      if (this.#handles.has(sessionId) || !handle.isLive()) handle.dispose();
      else this.#add(handle);
    } catch (error) {
      this.#log.warn(`${sessionId} cannot be followed: ${String(error)}`);
    }
  }
}
