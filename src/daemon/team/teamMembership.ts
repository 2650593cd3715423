import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import { teamMissing } from '../../engine/failures/teamFailures.ts';
import type { RunListener } from '../../coordinator/api.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import type { Answer } from '../../model/agent/request.ts';
import type { Run } from '../../model/session/session.ts';
import type { ParamsOf, ResultOf } from '../../protocol/daemon/calls.ts';
import { TeamError } from '../../team/errors.ts';
import { isInTeam } from '../../team/teamFile.ts';
import { answerRequest } from '../../team/runs/requests.ts';
import { TeamChildren } from './children/teamChildren.ts';
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
  /** Runners of other machines, the team or the connection to it changed. */
  readonly onChange: () => void;
  /** Sessions that other machines run for this one; the daemon stays for them. */
  readonly onChildCount: (count: number) => void;
  /** The team has what the machine of such a session records. */
  readonly onChildShown: (sessionId: string) => void;
}

/** The team of the store, joined or left while the daemon runs, and its queue. */
export class TeamMembership implements TeamSide {
  readonly queue: TeamQueue;
  /** Child sessions of this machine that others run. */
  readonly children: TeamChildren;
  readonly runners: TeamRunners;
  readonly #deps: TeamDeps;
  readonly #log: Log;
  readonly #onChange: () => void;
  readonly #servedRuns: ServedRuns;
  readonly #runs: Emitter<[run: Run]>;
  /** While the store belongs to a team. */
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<DaemonTeam | null>;
  #team: DaemonTeam | null = null;

  /** Connects in the background where the store belongs to a team. */
  constructor({ randomHex, onChange, onChildCount, onChildShown, ...deps }: MembershipDeps) {
    const { log, engine } = deps;
    this.#log = log;
    this.#onChange = onChange;
    this.#runs = new Emitter(log);
    const use: UseDatabase = async (work) => {
      // The first command of a machine may come before the team is opened.
      const joined = this.#team ?? (await this.#opening);
      if (joined !== null) return joined.use(work);
      throw new TeamError('unreachable', 'This store does not belong to a team.', 'See "vitrine team".');
    };
    const redactor = (): Redactor => this.#team?.redactor() ?? new Redactor(() => '');
    const isConnected = (): boolean => this.#team?.isConnected === true;
    const share = async (id: string): Promise<void> => this.#team?.shareRun(id);
    this.#servedRuns = new ServedRuns({ engine, use, redactor, share, log });
    this.runners = new TeamRunners({ use, isConnected, monotonic: () => performance.now(), log });
    this.queue = new TeamQueue({
      ...{ runners: this.runners, use, isConnected, redactor, randomHex, log },
      onRun: (run) => {
        this.#runs.fire(run);
        this.children.handleChange(run.session_id);
      },
      onClaimed: (run) => this.#servedRuns.begin(run),
      onEnded: (id) => this.#servedRuns.end(id),
    });
    const team = (): DaemonTeam | null => this.#team;
    this.children = new TeamChildren({
      ...{ engine, queue: this.queue, use, isConnected, team, randomHex, onChildCount: onChildCount, log },
      onShown: onChildShown,
      isInTeam: () => isInTeam(deps.storeDir),
    });
    this.#deps = {
      ...deps,
      onHint: ({ kind, id }) => {
        this.children.handleChange(id);
        if (kind === 'runner') onChange();
        if (kind === 'run') void this.queue.handleChange(id);
        if (kind === 'budget') void this.queue.resume();
        if (kind === 'answer') this.#servedRuns.handleAnswer(id);
      },
      onConnected: () => {
        onChange();
        this.#servedRuns.resume();
        void this.queue.resume();
        this.children.resume();
      },
    };
    this.#opening = this.#open(undefined);
  }

  get isJoined(): boolean {
    return this.#team !== null;
  }

  onRun(listener: RunListener): Disposable {
    return this.#runs.on(listener);
  }

  async reload({ password }: ParamsOf<'reloadTeam'>): Promise<ResultOf<'reloadTeam'>> {
    return { joined: (await this.#reopen(password)) !== null };
  }

  async state(): Promise<ResultOf<'teamState'>> {
    return { team: (await this.#opening)?.state() ?? null };
  }

  /** Empty if the store belongs to no team. */
  async sharedSessions(): Promise<ResultOf<'sharedSessions'>> {
    const team = await this.#opening;
    // A new client does not know the waiting requests of these sessions yet.
    this.children.resume();
    if (team !== null) return team.sharedSessions();
    return { sessions: [], is_connected: false, is_complete: true, as_of: new Date().toISOString(), own: [] };
  }

  async pullShared(): Promise<ResultOf<'pullShared'>> {
    return { copies: (await (await this.#opening)?.pullShared()) ?? null };
  }

  /** @throws EngineFailure `team_refused` */
  async join(request: ParamsOf<'joinTeam'>): Promise<ResultOf<'joinTeam'>> {
    const { join } = await import('./joining.ts');
    const joined = await join(this.#deps.storeDir, request, this.#deps.environment);
    await this.#reopen(request.password);
    return joined;
  }

  /** @throws EngineFailure `team_refused`, `team_missing` */
  async leave({ delete_mine }: ParamsOf<'leaveTeam'>): Promise<ResultOf<'leaveTeam'>> {
    const { forget, leave } = await import('./joining.ts');
    const deleted = await leave((await this.#requireTeam()).login, delete_mine);
    await this.#reopen(undefined, () => forget(this.#deps.storeDir));
    return { deleted };
  }

  async shareSession({ session_id, share }: ParamsOf<'shareSession'>): Promise<ResultOf<'shareSession'>> {
    await (await this.#requireTeam()).share(session_id, share);
    return {};
  }

  async shareFolder({ folder, share }: ParamsOf<'shareFolder'>): Promise<ResultOf<'shareFolder'>> {
    await (await this.#requireTeam()).shareFolder(folder, share);
    return {};
  }

  async open(id: string): Promise<SessionHandle | null> {
    return (await (await this.#opening)?.open(id)) ?? null;
  }

  async deleted(id: string): Promise<void> {
    await (await this.#opening)?.deleted(id);
  }

  /** False: no machine in the team waits for this answer. */
  async answer(session: string, request: string, answer: Answer): Promise<boolean> {
    if (this.#team === null) return false;
    return this.#team.use((database) => answerRequest(database, session, request, answer));
  }

  /** Stops what runs in the session on another machine. */
  async stopSession(session: string): Promise<void> {
    if (this.#team !== null) await this.queue.stopSession(session);
  }

  async close(): Promise<void> {
    const team = await this.#opening;
    clearInterval(this.#timer);
    await this.children.close();
    await this.queue.flush();
    this.#servedRuns.dispose();
    await team?.close();
  }

  /** `between`: after the old connection was closed. */
  #reopen(password: string | undefined, between?: () => Promise<void>): Promise<DaemonTeam | null> {
    this.#opening = this.#opening.then(async (team) => {
      this.#team = null;
      clearInterval(this.#timer);
      this.runners.forget();
      await team?.close();
      await between?.();
      // After leaving the team, the machine ends everything that it did for it.
      if (!(await isInTeam(this.#deps.storeDir))) {
        this.queue.abandon();
        await this.children.abandon();
        team?.forgetShares();
      }
      const opened = await this.#open(password);
      this.#onChange();
      return opened;
    });
    return this.#opening;
  }

  async #requireTeam(): Promise<DaemonTeam> {
    const team = await this.#opening;
    if (team !== null) return team;
    throw teamMissing();
  }

  /** Never rejects. */
  async #open(password: string | undefined): Promise<DaemonTeam | null> {
    try {
      if (!(await isInTeam(this.#deps.storeDir))) return null;
      const { DaemonTeam } = await import('./team.ts');
      this.#team = await DaemonTeam.open(this.#deps, password);
      await this.children.attach();
      this.#timer = setInterval(() => void this.queue.sendHeartbeats(), beatMs).unref();
      return this.#team;
    } catch (error) {
      this.#log.error(`The team of this store cannot be used: ${String(error)}`);
      return null;
    }
  }
}
