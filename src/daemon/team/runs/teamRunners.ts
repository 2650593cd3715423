import type { Registration, RunnerRef } from '../../../coordinator/api.ts';
import { normalizeDriveLetter } from '../../../coordinator/demands.ts';
import type { Log } from '../../../engine/api.ts';
import { runnerId } from '../../../engine/ids.ts';
import { TeamError } from '../../../team/errors.ts';
import { heartbeat, leaveRunner, registerRunner, type RunClaim } from '../../../team/runs/teamRuns.ts';
import type { UseDatabase } from '../outbox.ts';

interface RegisteredRunner {
  readonly registration: Registration;
  /** Id of the runner in the queue of this daemon. */
  readonly localId: string;
  isRegistered: boolean;
  /** When the team last took it to be alive, on the clock of this process; in ms. */
  seenAt: number;
}

export interface TeamRunnersDeps {
  readonly use: UseDatabase;
  readonly isConnected: () => boolean;
  /** Monotonic milliseconds, because the time of day can jump. */
  readonly monotonic: () => number;
  readonly log: Log;
}

/** The runners of this daemon, as the team knows them. */
export class TeamRunners {
  readonly #deps: TeamRunnersDeps;
  readonly #runners = new Map<string, RegisteredRunner>();
  #registrations = 0;

  constructor(deps: TeamRunnersDeps) {
    this.#deps = deps;
  }

  /** How often the team took one in. */
  get registrations(): number {
    return this.#registrations;
  }

  isRegistered(instance: string): boolean {
    return this.#runners.get(instance)?.isRegistered === true;
  }

  /** `undefined`: the runner belongs to another process. */
  localId(instance: string): string | undefined {
    return this.#runners.get(instance)?.localId;
  }

  /** For how long the team has not known that the runner is alive, in ms. It may be less, never more. */
  silentMs(instance: string): number {
    return this.#deps.monotonic() - (this.#runners.get(instance)?.seenAt ?? -Infinity);
  }

  /** Offers the runner to the team, now or when there is a connection. */
  async add(registration: Registration, localId: string): Promise<void> {
    const runner = { registration, localId, isRegistered: false, seenAt: -Infinity };
    this.#runners.set(registration.instance, runner);
    await this.#register(runner);
  }

  async remove({ instance }: RunnerRef): Promise<void> {
    const runner = this.#runners.get(instance);
    this.#runners.delete(instance);
    if (runner?.isRegistered !== true || !this.#deps.isConnected()) return;
    await this.#tryAndLog(() =>
      this.#deps.use((database) => leaveRunner(database, instance, 'The runner stopped during this run.')),
    );
  }

  /** Tells that they live. Returns, of each that the team answered for, its runs with the numbers of their claims. */
  async sendHeartbeats(): Promise<ReadonlyMap<string, ReadonlyMap<string, RunClaim>>> {
    const answers = new Map<string, ReadonlyMap<string, RunClaim>>();
    for (const [instance, runner] of this.#runners) {
      if (!runner.isRegistered) await this.#register(runner);
      if (!runner.isRegistered) continue;
      const sentAt = this.#deps.monotonic();
      try {
        const runs = await this.#deps.use((database) => heartbeat(database, instance));
        runner.seenAt = sentAt;
        answers.set(instance, new Map(runs.map((run) => [run.run_id, run])));
      } catch (error) {
        if (TeamError.is(error, 'unregistered')) {
          // It was taken to be lost, and its runs were given up.
          runner.isRegistered = false;
          answers.set(instance, new Map());
          await this.#register(runner);
        } else if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Heartbeat: ${String(error)}`);
      }
    }
    return answers;
  }

  /** The database may be another one. */
  forget(): void {
    for (const runner of this.#runners.values()) runner.isRegistered = false;
  }

  async #register(runner: RegisteredRunner): Promise<void> {
    if (!this.#deps.isConnected()) return;
    const { registration } = runner;
    const { hostname, project_dir, executor_type } = registration;
    const idOf = (place: number): string => runnerId(hostname, normalizeDriveLetter(project_dir), executor_type, place);
    await this.#tryAndLog(async () => {
      const sentAt = this.#deps.monotonic();
      await this.#deps.use((database) => registerRunner(database, registration, idOf));
      runner.seenAt = sentAt;
      runner.isRegistered = true;
      this.#registrations += 1;
    });
  }

  async #tryAndLog(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Team runner: ${String(error)}`);
    }
  }
}
