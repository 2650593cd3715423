import path from 'node:path';
import type { Comparison } from '../../model/race/comparison.ts';
import type { AppliedLane, Lane, Race } from '../../model/race/race.ts';
import type { Log, SessionHandle } from '../api.ts';
import { assertFolder } from '../files/assertFolder.ts';
import { ProcessLeases } from '../process/leases.ts';
import { stateOfHolder, thisMachine } from '../process/identity/holder.ts';
import { ownIdentity } from '../process/identity/identity.ts';
import { applyAsBranch, preparePatch, prepareUndo, type ApplyDeps } from './git/applyLane.ts';
import { unappliedWork, type UnappliedWork } from './git/cleanRace.ts';
import { compareRace } from './compare/compare.ts';
import { raceFailures } from './failures.ts';
import { LiveRace, type LiveRaceDeps, type RaceAgent, type RaceRequest } from './liveRace.ts';
import { freePorts } from './ports.ts';
import { RaceGit } from './git/raceGit.ts';
import { RaceStore } from './raceStore.ts';
import { findRaceBase, checkExtraPaths, removeRefs, removeWorktree } from './git/worktree.ts';

export interface RacesDeps {
  readonly storeDir: string;
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
  /** @throws EngineFailure if there is no such session */
  readonly open: (sessionId: string) => Promise<SessionHandle>;
  readonly stop: (sessionId: string) => Promise<void>;
  /** Gives a session the user's folder in place of its deleted worktree. */
  readonly relink: (sessionId: string, folder: string) => Promise<void>;
  /** Called with the number of races that run. */
  readonly onCount: (count: number) => void;
}

/** Where a call about a race comes from: how to start agents there, and its environment. */
export type RaceCaller = Pick<LiveRaceDeps, 'start' | 'environment'>;

/** Races of a store: several agents with the same prompt, each in its own git worktree. */
export class Races {
  readonly #deps: RacesDeps;
  readonly #store: RaceStore;
  readonly #leases: ProcessLeases;
  readonly #liveRaces = new Map<string, LiveRace>();
  /** Changes of one race happen one after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(deps: RacesDeps) {
    this.#deps = deps;
    this.#store = new RaceStore(deps.storeDir, deps.log);
    this.#leases = new ProcessLeases(path.join(deps.storeDir, 'leases'), deps.log);
  }

  /** Resolves when the race has begun; its worktrees may still be missing. @throws EngineFailure */
  async start(request: RaceRequest, { start, environment }: RaceCaller): Promise<Race> {
    await assertFolder(request.cwd);
    const { clock, randomHex, log, stop } = this.#deps;
    const git = await RaceGit.find(request.cwd, environment);
    const base = await findRaceBase(git, this.#store, request.withChanges === true);
    if (request.extra !== undefined) checkExtraPaths(base.repository, request.extra);
    const hex = randomHex(12);
    const race: Race = {
      race_id: `race_${hex}`,
      prompt: request.prompt,
      created_at: new Date(clock()).toISOString(),
      state: 'running',
      folder: request.cwd,
      repository: base.repository,
      base: base.commit,
      includes_changes: request.withChanges === true,
      ...(request.limits !== undefined && { limits: request.limits }),
      ...(request.setup !== undefined && { setup: request.setup }),
      ...(request.check !== undefined && { check: request.check }),
      lanes: await this.#createLanes(request, hex, base.prefix),
      applied: [],
      owner: { ...(await ownIdentity()), ...(await thisMachine()) },
    };
    await this.#store.write(race);
    const live = new LiveRace(race, request, git.at(base.repository), {
      ...{ store: this.#store, leases: this.#leases, clock, randomHex, log, stop, start, environment },
    });
    this.#liveRaces.set(race.race_id, live);
    this.#deps.onCount(this.#liveRaces.size);
    void live.done.then(() => {
      this.#liveRaces.delete(race.race_id);
      this.#deps.onCount(this.#liveRaces.size);
    });
    return live.race;
  }

  /** Newest first. */
  async list(): Promise<Race[]> {
    return Promise.all((await this.#store.list()).map((race) => this.#currentState(race)));
  }

  /** @throws EngineFailure */
  async get(id: string): Promise<Race> {
    return this.#liveRaces.get(id)?.race ?? this.#currentState(await this.#store.read(id));
  }

  /** Resolves when the race differs from `revision`, or after `ms`. A race that does not run never changes. */
  async next(id: string, revision: number, ms: number): Promise<{ readonly race: Race; readonly revision: number }> {
    const live = this.#liveRaces.get(id);
    if (live === undefined) return { race: await this.get(id), revision: 0 };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([live.change(revision), live.done, late]);
    clearTimeout(timer);
    return { race: live.race, revision: live.revision };
  }

  /** Resolves when all its agents and commands have ended. */
  async stop(id: string): Promise<Race> {
    await this.#liveRaces.get(id)?.stop();
    return this.get(id);
  }

  /** @throws EngineFailure */
  async compare(id: string, environment: RaceCaller['environment']): Promise<Comparison> {
    const race = await this.get(id);
    const git = await this.#gitOf(race, environment);
    return this.#store.withTemporaryFolder((temporary) => compareRace(race, { git, temporary, open: this.#deps.open }));
  }

  /** @throws EngineFailure `race_conflict` if a patch does not fit; nothing is changed then */
  apply(
    id: string,
    { lane: name, how }: { readonly lane: string; readonly how: AppliedLane['how'] },
    environment: RaceCaller['environment'],
  ): Promise<AppliedLane> {
    return this.#changeEndedRace(id, environment, async (race, deps) => {
      const lane = laneOf(race, name);
      if (lane.state === 'running' || lane.state === 'preparing') throw raceFailures.stillRunning(id);
      const note = (applied: AppliedLane) => this.#store.write({ ...race, applied: [...race.applied, applied] });
      if (how === 'branch') {
        const applied = await applyAsBranch(race, lane, deps);
        await note(applied);
        return applied;
      }
      const patch = await preparePatch(race, lane, deps);
      // Before the files: what was written halfway can be undone.
      await note(patch.appliedLane);
      try {
        await patch.write();
      } catch (error) {
        await this.#store.write(race);
        throw error;
      }
      return patch.appliedLane;
    });
  }

  /** Undoes the newest patch of a race. Returns its files. @throws EngineFailure `race_conflict` if later edits prevent it */
  undo(id: string, environment: RaceCaller['environment']): Promise<readonly string[]> {
    return this.#changeEndedRace(id, environment, async (race, deps) => {
      const last = race.applied.findLast(({ how, undone }) => how === 'patch' && undone !== true);
      if (last === undefined) throw raceFailures.nothingToUndo();
      const write = await prepareUndo(last, deps);
      await write();
      const applied = race.applied.map((application) =>
        application === last ? { ...application, undone: true } : application,
      );
      await this.#store.write({ ...race, applied });
      return last.files;
    });
  }

  /** Removes worktrees, branches and refs. If work would be lost, removes nothing without `force`. @throws EngineFailure */
  clean(
    id: string,
    { force }: { readonly force: boolean },
    environment: RaceCaller['environment'],
  ): Promise<{ readonly removed: boolean; readonly losses: readonly UnappliedWork[] }> {
    return this.#changeEndedRace(id, environment, async (race, { git, temporary }) => {
      const losses = await unappliedWork(race, git, temporary);
      if (losses.length > 0 && !force) return { removed: false, losses };
      for (const lane of race.lanes) {
        await removeWorktree(git, lane);
        if (lane.session_id !== undefined)
          await this.#deps.relink(lane.session_id, race.folder).catch((error: unknown) => {
            this.#deps.log.warn(`${lane.session_id ?? ''} keeps its folder: ${String(error)}`);
          });
      }
      await removeRefs(git, id);
      await this.#store.remove(id);
      return { removed: true, losses };
    });
  }

  /** Stops all races. */
  async close(): Promise<void> {
    await Promise.all([...this.#liveRaces.values()].map((live) => live.stop()));
  }

  /** One change of a race that does not run. */
  #changeEndedRace<T>(
    id: string,
    environment: RaceCaller['environment'],
    work: (race: Race, deps: ApplyDeps) => Promise<T>,
  ): Promise<T> {
    const change = async (): Promise<T> => {
      const race = await this.get(id);
      if (race.state === 'running') throw raceFailures.stillRunning(id);
      const git = await this.#gitOf(race, environment);
      const at = new Date(this.#deps.clock()).toISOString();
      return this.#store.withTemporaryFolder((temporary) => work(race, { git, temporary, at }));
    };
    const earlier = this.#changes.get(id) ?? Promise.resolve();
    const result = earlier.then(change);
    const settled = result.catch(() => undefined);
    this.#changes.set(id, settled);
    void settled.then(() => {
      if (this.#changes.get(id) === settled) this.#changes.delete(id);
    });
    return result;
  }

  async #gitOf({ repository, owner }: Race, environment: RaceCaller['environment']): Promise<RaceGit> {
    if ((await stateOfHolder(owner)) === 'elsewhere') throw raceFailures.otherMachine(owner.hostname);
    return RaceGit.find(repository, environment);
  }

  /** A race whose process has ended was interrupted. */
  async #currentState(race: Race): Promise<Race> {
    const live = this.#liveRaces.get(race.race_id);
    if (live !== undefined) return live.race;
    if (race.state !== 'running' || (await stateOfHolder(race.owner)) === 'alive') return race;
    return { ...race, state: 'interrupted' };
  }

  async #createLanes(request: RaceRequest, hex: string, prefix: string): Promise<Lane[]> {
    const { agents, worktrees } = request;
    const ports = await freePorts(agents.length);
    const folder = worktrees ?? this.#store.folder(`race_${hex}`);
    const names = laneNames(agents);
    return agents.map(({ agent, profile, options }, at): Lane => {
      const name = names[at] ?? '';
      // Also the name of git's own entry, so it must differ from that of any other race.
      const worktree = path.join(folder, `race-${hex}-${name}`);
      return {
        name,
        agent,
        ...(profile !== undefined && { profile }),
        ...(options?.model !== undefined && { model: options.model }),
        worktree,
        folder: path.join(worktree, prefix),
        branch: `vitrine/race-${hex}-${name}`,
        port: ports[at] ?? 1,
        state: 'waiting',
        started: false,
      };
    });
  }
}

function laneOf({ lanes }: Race, name: string): Lane {
  const lane = lanes.find((candidate) => candidate.name === name || candidate.session_id === name);
  if (lane === undefined)
    throw raceFailures.laneMissing(
      name,
      lanes.map((candidate) => candidate.name),
    );
  return lane;
}

/** Named by agent; a number distinguishes several of the same agent. */
function laneNames(agents: readonly RaceAgent[]): string[] {
  const names: string[] = [];
  for (const { agent, profile } of agents) {
    const own = profile
      ?.toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40);
    const name = own === undefined || own === '' ? agent : own;
    let unique: string = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name}-${number}`;
    names.push(unique);
  }
  return names;
}
