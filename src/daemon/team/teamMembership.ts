import type { Log, SessionHandle } from '../../engine/api.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { say } from '../../engine/failures/wording.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import type { DaemonTeam, TeamDeps } from './team.ts';

/** The team of the store, joined or left while the daemon runs. */
export class TeamMembership {
  readonly #deps: TeamDeps;
  readonly #log: Log;
  #team: Promise<DaemonTeam | null>;

  /** Connects in the background where the store belongs to a team. */
  constructor(deps: TeamDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    this.#team = this.#open(undefined);
  }

  async reload({ password }: ParamsOf<'reloadTeam'>): Promise<ResultOf<'reloadTeam'>> {
    const before = this.#team;
    this.#team = before.then(async (team) => {
      await team?.close();
      return this.#open(password);
    });
    return { joined: (await this.#team) !== null };
  }

  async shareSession({ session_id, share }: ParamsOf<'shareSession'>): Promise<ResultOf<'shareSession'>> {
    await (await this.#joined()).share(session_id, share);
    return {};
  }

  async shareFolder({ folder, share }: ParamsOf<'shareFolder'>): Promise<ResultOf<'shareFolder'>> {
    await (await this.#joined()).shareFolder(folder, share);
    return {};
  }

  async open(id: string): Promise<SessionHandle | null> {
    return (await (await this.#team)?.open(id)) ?? null;
  }

  async deleted(id: string): Promise<void> {
    await (await this.#team)?.deleted(id);
  }

  async close(): Promise<void> {
    await (await this.#team)?.close();
  }

  async #joined(): Promise<DaemonTeam> {
    const team = await this.#team;
    if (team !== null) return team;
    throw new EngineFailure('team_missing', {
      message: say`This store belongs to no team.`,
      detail: say`Join one: vitrine team join URL`,
    });
  }

  /** Never rejects. */
  async #open(password: string | undefined): Promise<DaemonTeam | null> {
    try {
      const { isInTeam } = await import('../../team/teamFile.ts');
      if (!(await isInTeam(this.#deps.storeDir))) return null;
      const { DaemonTeam } = await import('./team.ts');
      return await DaemonTeam.open(this.#deps, password);
    } catch (error) {
      this.#log.error(`The team of this store cannot be used: ${String(error)}`);
      return null;
    }
  }
}
