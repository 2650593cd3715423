import type { DaemonLink } from '../../client/reconnectingLink.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import type { AppliedLane, Race } from '../../model/race/race.ts';
import { isRaceOver } from '../../model/race/race.ts';
import type { GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';

const waitMs = 20_000;

interface Deps {
  readonly call: DaemonLink<EngineFailure>['call'];
  readonly contextOf: (folder: string) => Promise<ClientContext>;
}

interface PendingRace {
  readonly revision: number;
  readonly listeners: Set<() => void>;
}

/** The daemon's races, for this window. All calls throw EngineFailure. */
export class WindowRaces {
  readonly #call: Deps['call'];
  readonly #contextOf: Deps['contextOf'];
  readonly #pendingRaces = new Map<string, PendingRace>();

  constructor({ call, contextOf }: Deps) {
    this.#call = call;
    this.#contextOf = contextOf;
  }

  async start(request: GivenParams<'startRace'>['request']): Promise<Race> {
    return this.#call('startRace', { context: await this.#contextOf(request.cwd), request });
  }

  /** Newest first. */
  list(): Promise<Race[]> {
    return this.#call('races', {});
  }

  get(race_id: string): Promise<ResultOf<'race'>> {
    return this.#call('race', { race_id });
  }

  stop(race_id: string): Promise<Race> {
    return this.#call('stopRace', { race_id });
  }

  async compare(race: Race): Promise<ResultOf<'compareRace'>> {
    return this.#call('compareRace', await this.#paramsOf(race));
  }

  compareSessions(sessions: readonly string[]): Promise<ResultOf<'compareSessions'>> {
    return this.#call('compareSessions', { session_ids: [...sessions] });
  }

  async apply(race: Race, lane: string, how: AppliedLane['how']): Promise<AppliedLane> {
    return this.#call('applyRace', { ...(await this.#paramsOf(race)), lane, how });
  }

  /** Undoes the newest patch. */
  async undo(race: Race): Promise<readonly string[]> {
    return (await this.#call('undoRace', await this.#paramsOf(race))).files;
  }

  async clean(race: Race, force: boolean): Promise<ResultOf<'cleanRace'>> {
    return this.#call('cleanRace', { ...(await this.#paramsOf(race)), force });
  }

  /** Calls `changed` once, when the race differs from `revision`. */
  onChange(id: string, revision: number, changed: () => void): { dispose(): void } {
    const known = this.#pendingRaces.get(id);
    const waiting = known?.revision === revision ? known : { revision, listeners: new Set<() => void>() };
    waiting.listeners.add(changed);
    if (waiting !== known) {
      this.#pendingRaces.set(id, waiting);
      void this.#wait(id, waiting);
    }
    return { dispose: () => void waiting.listeners.delete(changed) };
  }

  /** The daemon answers when the race changes. */
  async #wait(id: string, waiting: PendingRace): Promise<void> {
    const { revision, listeners } = waiting;
    try {
      while (listeners.size > 0) {
        const next = await this.#call('race', { race_id: id, revision, wait_ms: waitMs });
        if (next.revision !== revision || isRaceOver(next.race)) break;
      }
    } catch {
      // The listener asks again and shows why that failed.
    }
    if (this.#pendingRaces.get(id) === waiting) this.#pendingRaces.delete(id);
    for (const listener of listeners) listener();
  }

  async #paramsOf({ race_id, folder }: Race): Promise<{ readonly race_id: string; readonly context: ClientContext }> {
    return { race_id, context: await this.#contextOf(folder) };
  }
}
