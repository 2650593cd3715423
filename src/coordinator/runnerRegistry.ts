import type { ListedRunner, Runner } from '../model/session/runner.ts';
import type * as z from 'zod';
import type { registrationSchema, RunnerRef } from './api.ts';
import { CoordinatorError } from './errors.ts';

/** Interval of heartbeats in ms, much shorter than the times until a runner is `stale` or given up. */
export const heartbeatMs = 5_000;
export const staleMs = 20_000;
export const lostMs = 120_000;

const maxRunners = 256;

/** A runner with its limits. */
export interface RegisteredRunner {
  readonly runner: Runner;
  readonly limit: number;
  readonly within?: readonly string[] | undefined;
}

interface ConnectedRunner extends RegisteredRunner {
  readonly instance: string;
  /** Monotonic time. */
  heartbeatAt: number;
  /** The process has ended. */
  hasExited: boolean;
}

/** Registered runners. Times in `now` are monotonic, times in `at` are ISO 8601. */
export class RunnerRegistry {
  readonly #runners = new Map<string, ConnectedRunner>();

  /**
   * `idOf` returns the id of the first, second, … runner with this identity. `hasReplacedInstance`: another
   * process, which has ended, had the id.
   * @throws CoordinatorError `full`
   */
  register(
    idOf: (place: number) => string,
    { hostname, project_dir, executor_type, tags, limit, within, instance }: z.infer<typeof registrationSchema>,
    { now, at }: { readonly now: number; readonly at: string },
  ): { readonly registered: RegisteredRunner; readonly hasReplacedInstance: boolean } {
    const runnerId = this.#idFor(instance, idOf, now);
    const before = this.#runners.get(runnerId);
    const isSameInstance = before?.instance === instance;
    if (before === undefined && this.#runners.size >= maxRunners) {
      throw new CoordinatorError('full', `Too many runners: at most ${maxRunners} are allowed.`);
    }
    const registered_at = isSameInstance ? before.runner.registered_at : at;
    const runner = {
      runner_id: runnerId,
      registered_at,
      last_heartbeat: at,
      hostname,
      project_dir,
      executor_type,
      tags,
    };
    const connected = { runner, instance, limit, within, heartbeatAt: now, hasExited: false };
    this.#runners.set(runnerId, connected);
    return { registered: connected, hasReplacedInstance: before !== undefined && !isSameInstance };
  }

  heartbeat(
    { runner_id, instance }: RunnerRef,
    { now, at }: { readonly now: number; readonly at: string },
  ): RegisteredRunner {
    const connected = this.#runners.get(runner_id);
    if (connected === undefined || connected.instance !== instance || connected.hasExited) {
      throw new CoordinatorError('unknown_runner', `Runner ${runner_id} is not registered by this process.`);
    }
    const updated = { ...connected, runner: { ...connected.runner, last_heartbeat: at }, heartbeatAt: now };
    this.#runners.set(runner_id, updated);
    return updated;
  }

  /** Marks a runner as gone. Returns whether its process was registered. */
  unregister({ runner_id, instance }: RunnerRef): boolean {
    const connected = this.#runners.get(runner_id);
    if (connected === undefined || connected.instance !== instance || connected.hasExited) return false;
    connected.hasExited = true;
    return true;
  }

  /** Removes runners without a heartbeat for so long that their runs are given up. */
  removeLost(now: number): readonly string[] {
    const lost = [...this.#runners.values()].filter(
      ({ heartbeatAt, hasExited }) => hasExited || now - heartbeatAt >= lostMs,
    );
    for (const { runner } of lost) this.#runners.delete(runner.runner_id);
    return lost.map(({ runner }) => runner.runner_id);
  }

  /** When `removeLost` will remove each runner, unless a heartbeat arrives before. */
  expiries(): readonly number[] {
    return [...this.#runners.values()].map(({ heartbeatAt, hasExited }) =>
      hasExited ? heartbeatAt : heartbeatAt + lostMs,
    );
  }

  /** Excludes a time in which no heartbeat could arrive. */
  excludeTime(ms: number): void {
    for (const connected of this.#runners.values()) connected.heartbeatAt += ms;
  }

  /** Connected runners. */
  onlineRunners(now: number): readonly RegisteredRunner[] {
    return [...this.#runners.values()].filter((connected) => this.#isOnline(connected, now));
  }

  /** `load`: number of runs that a runner has. */
  list(now: number, load: (runnerId: string) => number): readonly ListedRunner[] {
    return [...this.#runners.values()].map((connected) => ({
      ...connected.runner,
      status: this.#isOnline(connected, now) ? 'online' : 'stale',
      seconds_since_heartbeat: Math.max(0, Math.floor((now - connected.heartbeatAt) / 1000)),
      limit: connected.limit,
      running: load(connected.runner.runner_id),
      ...(connected.within !== undefined && { within: [...connected.within] }),
    }));
  }

  /** The previous id when a process registers again, else the first one that is free. */
  #idFor(instance: string, idOf: (place: number) => string, now: number): string {
    const ids = Array.from({ length: this.#runners.size + 1 }, (_, place) => idOf(place));
    const isFree = (id: string): boolean => {
      const known = this.#runners.get(id);
      return known === undefined || !this.#isOnline(known, now);
    };
    return ids.find((id) => this.#runners.get(id)?.instance === instance) ?? ids.find(isFree) ?? idOf(ids.length);
  }

  #isOnline({ heartbeatAt, hasExited }: ConnectedRunner, now: number): boolean {
    return !hasExited && now - heartbeatAt < staleMs;
  }
}
