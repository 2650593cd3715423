import type { AgentOptions } from '../../agents/adapter.ts';
import type { Lane, Race } from '../../model/race/race.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { Limits } from '../../model/usage/budget.ts';
import type { Log, SessionHandle, StartRequest } from '../api.ts';
import { EngineFailure } from '../failures/failures.ts';
import { runId } from '../ids.ts';
import type { ProcessLeases } from '../process/leases.ts';
import type { RecallResult } from '../recall/types.ts';
import { runShell } from './command.ts';
import type { RaceGit } from './git/raceGit.ts';
import type { RaceStore } from './raceStore.ts';
import { addExtraPaths, addWorktree, baseRef, type ExtraPaths } from './git/worktree.ts';

/** Time limit of a setup or check command. */
export const commandMs = 60 * 60_000;

export interface RaceAgent {
  readonly agent: ExecutorType;
  readonly profile?: string;
  readonly options?: AgentOptions;
}

export interface RaceRequest {
  readonly prompt: string;
  /** Absolute path of the user's folder. */
  readonly cwd: string;
  readonly agents: readonly RaceAgent[];
  /** For all agents together, with the sessions that they start. */
  readonly limits?: Limits;
  readonly setup?: string;
  readonly check?: string;
  /** Begin with the user's uncommitted work. */
  readonly withChanges?: boolean;
  /** Context from earlier sessions, for all agents. */
  readonly recall?: RecallResult;
  readonly extra?: ExtraPaths;
  /** Folder for the worktrees; default: in the store. */
  readonly worktrees?: string;
  readonly interactive?: boolean;
}

export interface LiveRaceDeps {
  readonly store: RaceStore;
  readonly leases: ProcessLeases;
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** Starts an agent with these variables in addition to the client's. @throws EngineFailure */
  readonly start: (
    request: StartRequest,
    variables: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<SessionHandle>;
  readonly stop: (sessionId: string) => Promise<void>;
  /** Environment of the user's commands. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A race that runs in this process. */
export class LiveRace {
  /** Settles when everything has ended. Never rejects. */
  readonly done: Promise<void>;
  readonly #git: RaceGit;
  readonly #request: RaceRequest;
  readonly #deps: LiveRaceDeps;
  readonly #stopping = new AbortController();
  readonly #changeWaiters = new Set<() => void>();
  #race: Race;
  #revision = 0;
  #pendingWrite: Promise<void> = Promise.resolve();

  /** `race` is in its file. */
  constructor(race: Race, request: RaceRequest, git: RaceGit, deps: LiveRaceDeps) {
    this.#race = race;
    this.#request = request;
    this.#git = git;
    this.#deps = deps;
    this.done = this.#run();
  }

  get race(): Race {
    return this.#race;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Resolves when the race differs from this revision. */
  async change(revision: number): Promise<void> {
    if (revision !== this.#revision) return;
    await new Promise<void>((resolve) => this.#changeWaiters.add(resolve));
  }

  /** Resolves when all agents and commands have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const running = this.#race.lanes.filter(({ state, session_id: id }) => state === 'running' && id !== undefined);
    await Promise.all(running.map(({ session_id: id = '' }) => this.#deps.stop(id).catch(() => undefined)));
    await this.done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, log } = this.#deps;
    try {
      const { race_id: id, base } = this.#race;
      // Nothing else keeps a commit with uncommitted work.
      await this.#git.run(['update-ref', baseRef(id), base]);
      for (const lane of this.#race.lanes) await this.#failLaneOnError(lane, () => this.#prepare(lane));
      const prepared = this.#race.lanes.filter(({ state }) => state !== 'failed');
      await Promise.all(prepared.map((lane) => this.#failLaneOnError(lane, () => this.#runLane(lane))));
    } catch (error) {
      log.error(`${this.#race.race_id}: ${String(error)}`);
    } finally {
      const state = signal.aborted ? 'stopped' : 'finished';
      await this.#set({ state, ended_at: new Date(clock()).toISOString() }).catch((error: unknown) =>
        log.error(`${this.#race.race_id} cannot be written: ${String(error)}`),
      );
    }
  }

  async #failLaneOnError({ name }: Lane, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const why = EngineFailure.is(error) ? `${error.message} ${error.detail}` : String(error);
      await this.#setLane(name, { state: 'failed', error: why });
    }
  }

  async #prepare(lane: Lane): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#setLane(lane.name, { state: 'failed', error: stopped });
    await this.#setLane(lane.name, { state: 'preparing' });
    await addWorktree(this.#git, this.#race, lane);
    if (this.#request.extra !== undefined)
      await addExtraPaths(this.#race.repository, lane.worktree, this.#request.extra);
  }

  async #runLane(lane: Lane): Promise<void> {
    const { setup, check } = this.#race;
    if (setup !== undefined) {
      const result = await this.#runCommand(setup, lane);
      await this.#setLane(lane.name, { setup: result });
      if (result.exit_code !== 0) {
        const error = this.#stopping.signal.aborted ? stopped : 'The setup command failed.';
        return this.#setLane(lane.name, { state: 'failed', error });
      }
    }
    await this.#setLane(lane.name, { state: 'running', started: true });
    const began = this.#deps.clock();
    const handle = await this.#deps.start(this.#startRequest(lane), this.#laneVariables(lane), this.#stopping.signal);
    try {
      await this.#setLane(lane.name, { session_id: handle.id });
      if (this.#stopping.signal.aborted) await this.#deps.stop(handle.id);
      await handle.done;
      await this.#setLane(lane.name, { run_ms: Math.max(0, this.#deps.clock() - began) });
    } finally {
      handle.dispose();
    }
    if (check === undefined || this.#stopping.signal.aborted) return this.#setLane(lane.name, { state: 'done' });
    await this.#setLane(lane.name, { state: 'checking' });
    await this.#setLane(lane.name, { state: 'done', check: await this.#runCommand(check, lane) });
  }

  #startRequest(lane: Lane): StartRequest {
    const { race_id: id, lanes, limits } = this.#race;
    const { prompt, agents, interactive, recall } = this.#request;
    const { options } = agents[lanes.findIndex(({ name }) => name === lane.name)] ?? {};
    return {
      agent: lane.agent,
      ...(lane.profile !== undefined && { profile: lane.profile }),
      ...(options !== undefined && { options }),
      ...(interactive !== undefined && { interactive }),
      ...(recall !== undefined && { recall }),
      prompt,
      cwd: lane.folder,
      race: { id, ...(limits !== undefined && { limits }) },
    };
  }

  #laneVariables({ name, port, worktree }: Lane): Record<string, string> {
    return {
      VITRINE_RACE: this.#race.race_id,
      VITRINE_LANE: name,
      VITRINE_PORT: String(port),
      VITRINE_WORKTREE: worktree,
      VITRINE_REPOSITORY: this.#race.repository,
    };
  }

  #runCommand(command: string, lane: Lane): ReturnType<typeof runShell> {
    const { environment, randomHex } = this.#deps;
    const request = {
      command,
      cwd: lane.folder,
      env: { ...environment, ...this.#laneVariables(lane) },
      runId: runId(randomHex),
      sessionId: lane.session_id ?? `ses_${this.#race.race_id.slice('race_'.length)}`,
      timeoutMs: commandMs,
      signal: this.#stopping.signal,
    };
    return runShell(request, this.#deps);
  }

  #setLane(name: string, change: Partial<Lane>): Promise<void> {
    return this.#set({ lanes: this.#race.lanes.map((lane) => (lane.name === name ? { ...lane, ...change } : lane)) });
  }

  /** Resolves when the change is in the file. */
  #set(change: Partial<Race>): Promise<void> {
    this.#race = { ...this.#race, ...change };
    const race = this.#race;
    const written = this.#pendingWrite.then(() => this.#deps.store.write(race));
    this.#pendingWrite = written.catch(() => undefined);
    this.#revision += 1;
    for (const resolve of this.#changeWaiters) resolve();
    this.#changeWaiters.clear();
    return written;
  }
}

const stopped = 'The race was stopped.';
