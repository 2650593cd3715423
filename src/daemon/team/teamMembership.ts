import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { say } from '../../engine/failures/wording.ts';
import type { RunListener } from '../../coordinator/api.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import type { Answer } from '../../model/agent/request.ts';
import type { Run } from '../../model/session/session.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import { TeamError } from '../../team/errors.ts';
import { answerRequest } from '../../team/runs/requests.ts';
import type { UseDatabase } from './outbox.ts';
import { ServedRuns } from './runs/servedRuns.ts';
import type { TeamSide } from './runs/sharedQueue.ts';
import { TeamQueue } from './runs/teamQueue.ts';
import { TeamRunners } from './runs/teamRunners.ts';
import type { DaemonTeam, TeamDeps } from './team.ts';

/** A runner that the team hears nothing of for four times as long is lost. In ms. */
const beatMs = 5000;

interface MembershipDeps extends Omit<TeamDeps, 'onHint' | 'onConnected'> {
  readonly randomHex: (digits: number) => string;
}

/** The team of the store, joined or left while the daemon runs, and its queue. */
export class TeamMembership implements TeamSide {
  readonly queue: TeamQueue;
  readonly runners: TeamRunners;
  readonly #deps: TeamDeps;
  readonly #log: Log;
  readonly #served: ServedRuns;
  readonly #runs: Emitter<[run: Run]>;
  readonly #timer: NodeJS.Timeout;
  #opening: Promise<DaemonTeam | null>;
  #team: DaemonTeam | null = null;

  /** Connects in the background where the store belongs to a team. */
  constructor({ randomHex, ...deps }: MembershipDeps) {
    const { log, engine } = deps;
    this.#log = log;
    this.#runs = new Emitter(log);
    const use: UseDatabase = (work) => {
      if (this.#team !== null) return this.#team.use(work);
      return Promise.reject(new TeamError('unreachable', 'This store belongs to no team.', 'See "vitrine team".'));
    };
    const redactor = (): Redactor => this.#team?.redactor() ?? new Redactor(() => '');
    const isConnected = (): boolean => this.#team?.isConnected === true;
    const share = async (id: string): Promise<void> => this.#team?.shareRun(id);
    this.#served = new ServedRuns({ engine, use, redactor, share, log });
    this.runners = new TeamRunners({ use, isConnected, log });
    this.queue = new TeamQueue({
      ...{ runners: this.runners, use, isConnected, redactor, randomHex, log },
      onRun: (run) => this.#runs.fire(run),
      onClaimed: (run) => this.#served.begin(run),
      onEnded: (id) => this.#served.end(id),
    });
    this.#deps = {
      ...deps,
      onHint: ({ kind, id }) => {
        if (kind === 'run') void this.queue.changed(id);
        if (kind === 'budget') void this.queue.resume();
        if (kind === 'answer') this.#served.answered(id);
      },
      onConnected: () => {
        this.#served.resume();
        void this.queue.resume();
      },
    };
    this.#opening = this.#open(undefined);
    this.#timer = setInterval(() => void this.queue.beat(), beatMs);
    this.#timer.unref();
  }

  get isJoined(): boolean {
    return this.#team !== null;
  }

  onRun(listener: RunListener): Disposable {
    return this.#runs.on(listener);
  }

  async reload({ password }: ParamsOf<'reloadTeam'>): Promise<ResultOf<'reloadTeam'>> {
    this.#opening = this.#opening.then(async (team) => {
      this.#team = null;
      this.runners.forget();
      await team?.close();
      return this.#open(password);
    });
    return { joined: (await this.#opening) !== null };
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
    return (await (await this.#opening)?.open(id)) ?? null;
  }

  async deleted(id: string): Promise<void> {
    await (await this.#opening)?.deleted(id);
  }

  /** False: no machine of the team waits for this answer. */
  async answer(session: string, request: string, answer: Answer): Promise<boolean> {
    if (this.#team === null) return false;
    return this.#team.use((database) => answerRequest(database, session, request, answer));
  }

  /** Stops what runs in the session on another machine. */
  async stopSession(session: string): Promise<void> {
    if (this.#team !== null) await this.queue.stopSession(session);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.queue.flush();
    this.#served.dispose();
    await (await this.#opening)?.close();
  }

  async #joined(): Promise<DaemonTeam> {
    const team = await this.#opening;
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
      this.#team = await DaemonTeam.open(this.#deps, password);
      return this.#team;
    } catch (error) {
      this.#log.error(`The team of this store cannot be used: ${String(error)}`);
      return null;
    }
  }
}
