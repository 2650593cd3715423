import type * as z from 'zod';
import {
  jobSchema,
  type ChangeRun,
  type Claim,
  type createRunSchema,
  type Job,
  type RunReport,
  type RunnerRef,
} from '../../../coordinator/api.ts';
import { hasDemands, mergeDemands } from '../../../coordinator/demands.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { demandsTimeoutMs, waitingReason } from '../../../coordinator/waiting.ts';
import type { Log } from '../../../engine/api.ts';
import { runId, sessionId } from '../../../engine/ids.ts';
import type { Redactor } from '../../../formats/redaction/redactor.ts';
import type { ListedRunner } from '../../../model/session/runner.ts';
import type { Run } from '../../../model/session/session.ts';
import type { ListedRun } from '../../../model/session/waiting.ts';
import { isRunOver } from '../../../model/session/status.ts';
import { usedUpBudgets } from '../../../team/budgets.ts';
import type { Database } from '../../../team/database/connection.ts';
import { TeamError } from '../../../team/errors.ts';
import {
  changeRun,
  claimRun,
  createRun,
  findActiveRun,
  findRuns,
  listRunners,
  listRuns,
  onlineRunners,
  reportRun,
  returnRun,
  stopRun,
  expireRuns,
  type RunClaim,
  type TeamRun,
} from '../../../team/runs/teamRuns.ts';
import type { UseDatabase } from '../outbox.ts';
import type { TeamRunners } from './teamRunners.ts';

export interface TeamQueueDeps {
  readonly runners: TeamRunners;
  readonly use: UseDatabase;
  readonly isConnected: () => boolean;
  readonly redactor: () => Redactor;
  readonly randomHex: (digits: number) => string;
  readonly onRun: (run: Run) => void;
  /** A runner of this daemon has a run, until `onEnded`. */
  readonly onClaimed: (run: TeamRun) => void;
  readonly onEnded: (sessionId: string) => void;
  readonly log: Log;
}

/** After this time without an answer to its heartbeat, a runner stops what others may take 8 s later. In ms. */
const leaseMs = 12_000;
const leaseLookMs = 1000;

/** Beats between two looks at everything that waits. */
const beatsPerLook = 12;

/** Runs of one query. */
const maxChanged = 500;

const lostRunReason = 'Its runner no longer has this run.';

interface ClaimedRun {
  readonly job: Job;
  readonly instance: string;
  readonly token: string;
  readonly canRetry: boolean;
  /** Report that the database does not have yet. */
  report?: RunReport;
  /** It was stopped here so that another runner can take it. */
  isReturned?: boolean;
}

/**
 * The team runs, as the runners of this daemon and its clients see them. The database decides; without a connection
 * nothing is claimed, and what became of runs is reported later.
 */
export class TeamQueue {
  readonly #deps: TeamQueueDeps;
  readonly #heldRuns = new Map<string, ClaimedRun>();
  #activeReport: Promise<void> | undefined;
  /** Claim numbers that the last heartbeat named and this daemon did not know. */
  #unknownClaims: ReadonlySet<string> = new Set();
  /** Looks at leases while there are runs that others may take. */
  #lease: NodeJS.Timeout | undefined;
  #heartbeatCount = 0;
  /** Runs that changed while others were being checked. */
  readonly #changedRuns = new Set<string>();
  #activeCheck: Promise<void> | undefined;

  constructor(deps: TeamQueueDeps) {
    this.#deps = deps;
  }

  has(runId: string): boolean {
    return this.#heldRuns.has(runId);
  }

  /** @throws CoordinatorError */
  async create(
    request: z.infer<typeof createRunSchema>,
    origin: Pick<Job, 'by_agent' | 'agent_hash'> = {},
  ): Promise<Run> {
    const { randomHex } = this.#deps;
    const { type, session_id, agent_name, prompt, project_dir, parent_session_id, execution_mode, ...rest } = request;
    const { demands: ofBlueprint, additional_demands, retry = false, ...others } = rest;
    if (type === 'resume_session' && session_id === undefined)
      throw new CoordinatorError('invalid', 'A resume_session run needs a session_id.');
    const demands = mergeDemands(ofBlueprint, additional_demands);
    this.#refuseSecrets(prompt);
    const run: Run = {
      run_id: runId(randomHex),
      type,
      session_id: session_id ?? sessionId(randomHex),
      ...(agent_name !== undefined && { agent_name }),
      prompt,
      ...(project_dir !== undefined && { project_dir }),
      ...(parent_session_id !== undefined && { parent_session_id }),
      execution_mode,
      ...(hasDemands(demands) && { demands }),
      status: 'pending',
      // The database sets its own time.
      created_at: new Date(0).toISOString(),
    };
    const job = jobSchema.parse({ ...others, ...origin, run });
    const timed = { job, retry, timeoutMs: demandsTimeoutMs };
    return this.#toLocalRun(await this.#use((database) => createRun(database, timed)));
  }

  /** `null`: the team has no such run. @throws CoordinatorError */
  async stop(id: string): Promise<Run | null> {
    const found = await this.#use((database) => stopRun(database, id));
    return found === null ? null : this.#toLocalRun(found);
  }

  /** `null`: the team has no such run. @throws CoordinatorError `over` unless it waits */
  async change(change: ChangeRun): Promise<Run | null> {
    const found = await this.#use((database) => changeRun(database, change));
    if (found === null) return null;
    const { run_id, status } = found.job.run;
    if (status !== 'pending')
      throw new CoordinatorError('over', `Run ${run_id} is ${status} and is no longer waiting.`);
    return this.#toLocalRun(found);
  }

  /** Stops what runs in a session on any machine. False: nothing does. @throws CoordinatorError */
  async stopSession(session: string): Promise<boolean> {
    const found = await this.#use((database) => findActiveRun(database, session));
    return found !== null && (await this.stop(found.job.run.run_id)) !== null;
  }

  /** With the reason why they wait. Nothing without a connection. */
  async runs(): Promise<readonly ListedRun[]> {
    const found = (await this.#ifConnected((database) => listRuns(database))) ?? [];
    const isWaiting = found.some(({ job }) => job.run.status === 'pending');
    const online = isWaiting ? ((await this.#ifConnected((database) => onlineRunners(database))) ?? []) : [];
    const usedUp = isWaiting ? ((await this.#ifConnected((database) => usedUpBudgets(database))) ?? []) : [];
    const active = found.filter(({ job }) => !isRunOver(job.run.status));
    const load = (id: string): number => active.filter(({ job: { run } }) => run.runner_id === id).length;
    return found.map((teamRun) => {
      const { run, executor_type } = teamRun.job;
      const listed = { ...this.#toLocalRun(teamRun), executor_type, requested_by: teamRun.requestedBy };
      if (run.status !== 'pending') return listed;
      const before = active.slice(0, active.indexOf(teamRun)).find(({ job }) => job.run.session_id === run.session_id);
      const { requestedBy } = teamRun;
      const waiting = waitingReason(teamRun.job, { online, load, before: before?.job.run.run_id, usedUp, requestedBy });
      return waiting === undefined ? listed : { ...listed, waiting };
    });
  }

  async listRunners(): Promise<readonly ListedRunner[]> {
    return (await this.#ifConnected((database) => listRunners(database))) ?? [];
  }

  /** `null`: none, or there is no connection. */
  async claim({ has = [], instance }: Claim): Promise<Job | null> {
    if (!this.#deps.runners.isRegistered(instance)) return null;
    // The runner has already forgotten runs whose ends wait here: if they were given again, they would be executed again.
    const known = [...new Set([...has, ...this.#reportedBy(instance)])];
    const claimed = await this.#ifConnected((database) => claimRun(database, instance, known));
    if (claimed === null || claimed.token === null) return null;
    const run = this.#toLocalRun(claimed);
    const job = { ...claimed.job, run };
    this.#heldRuns.set(run.run_id, { job, instance, token: claimed.token, canRetry: claimed.retry });
    if (claimed.retry) this.#lease ??= setInterval(() => this.#stopUnleased(), leaseLookMs).unref();
    this.#deps.onClaimed(claimed);
    this.#deps.onRun(run);
    return job;
  }

  #reportedBy(instance: string): readonly string[] {
    const reported = [...this.#heldRuns].filter(
      ([, claimed]) => claimed.instance === instance && claimed.report !== undefined,
    );
    return reported.map(([id]) => id);
  }

  /** Resolves at once; the database gets the report as soon as it can be reached. @throws CoordinatorError `over` */
  report(runnerRef: RunnerRef, report: RunReport): Run {
    const claimed = this.#heldRuns.get(report.run_id);
    if (claimed?.instance !== runnerRef.instance)
      throw new CoordinatorError('over', `Run ${report.run_id} has ended, or another runner has it.`);
    claimed.report = report;
    void this.flush();
    return { ...claimed.job.run, status: report.status };
  }

  /** Sends reports that wait, one after the other. Never rejects. */
  flush(): Promise<void> {
    this.#activeReport ??= this.#flush().finally(() => (this.#activeReport = undefined));
    return this.#activeReport;
  }

  /** Something about the run changed. One query at a time asks for all that did, because every machine hears of every run. */
  handleChange(id: string): Promise<void> {
    this.#changedRuns.add(id);
    this.#activeCheck ??= this.#reportChangedRuns().finally(() => (this.#activeCheck = undefined));
    return this.#activeCheck;
  }

  async #reportChangedRuns(): Promise<void> {
    while (this.#changedRuns.size > 0) {
      const ids = [...this.#changedRuns].slice(0, maxChanged);
      for (const id of ids) this.#changedRuns.delete(id);
      const found = (await this.#ifConnected((database) => findRuns(database, ids))) ?? [];
      for (const run of found) this.#deps.onRun(this.#toLocalRun(run));
    }
  }

  /** Every few seconds, and after connecting: sends heartbeats of the runners, and learns which runs they lost. */
  async sendHeartbeats(): Promise<void> {
    if (!this.#deps.isConnected()) return;
    const { runners } = this.#deps;
    const before = runners.registrations;
    // The answer may not have what is claimed while it is on its way.
    const claims = [...this.#heldRuns];
    const current = await runners.sendHeartbeats();
    for (const [id, claimed] of claims) {
      const runs = current.get(claimed.instance);
      if (this.#heldRuns.get(id) !== claimed || runs === undefined || runs.get(id)?.token === claimed.token) continue;
      // Another runner may have it: this one stops, and what it says no longer counts.
      this.#deps.log.warn(`Team run ${id} is no longer this runner's.`);
      this.#stopLost(id, claimed);
    }
    await this.flush();
    await this.#endUnknown([...current.values()].flatMap((runs) => [...runs.values()]));
    await this.#ifConnected((database) => expireRuns(database));
    // A new runner may be able to take waiting runs, and a new day has a new budget.
    this.#heartbeatCount += 1;
    if (runners.registrations > before || this.#heartbeatCount % beatsPerLook === 0) await this.#reportAll();
  }

  /** The store has left the team: what it does for others ends. */
  abandon(): void {
    for (const [id, claimed] of this.#heldRuns) this.#stopLost(id, claimed);
  }

  #stopLost(id: string, claimed: ClaimedRun): void {
    if (this.#end(id, claimed)) this.#deps.onRun({ ...claimed.job.run, status: 'stopping' });
  }

  /**
   * Ends runs that the database assigns to this daemon's runners, but that the daemon does not know. A claim whose answer was
   * lost is offered again. All others would keep their status as long as the runner lives.
   */
  async #endUnknown(runs: readonly RunClaim[]): Promise<void> {
    const unknown = runs.filter(({ run_id }) => !this.#heldRuns.has(run_id));
    const before = this.#unknownClaims;
    this.#unknownClaims = new Set(unknown.map(({ token }) => token));
    for (const { run_id, token, status } of unknown) {
      // The first time, its claim or its end may be on its way.
      if (!before.has(token)) continue;
      if (status === 'claimed') {
        const [found] = (await this.#ifConnected((database) => findRuns(database, [run_id]))) ?? [];
        // To its runner, it still waits.
        if (found?.token === token) this.#deps.onRun({ ...this.#toLocalRun(found), status: 'pending' });
      } else {
        const stopped = status === 'stopping';
        const end = { run_id, status: stopped ? ('stopped' as const) : ('failed' as const), error: lostRunReason };
        this.#deps.log.warn(`Team run ${run_id}: ${lostRunReason}`);
        const ended = await this.#ifConnected((database) => reportRun(database, token, end));
        if (ended !== null) this.#deps.onRun(this.#toLocalRun(ended));
      }
    }
  }

  /**
   * Stops runs that the team may give to another runner before it hears of this one again: no run is executed twice at once.
   * Runs without retry continue, because no other runner takes them.
   */
  #stopUnleased(): void {
    for (const claimed of this.#heldRuns.values()) {
      const { job, instance, canRetry, report } = claimed;
      if (!canRetry || claimed.isReturned === true || (report !== undefined && isRunOver(report.status))) continue;
      if (this.#deps.runners.silentMs(instance) < leaseMs) continue;
      this.#deps.log.warn(
        `Run ${job.run.run_id} was stopped, because its runner could not send heartbeats to the team.`,
      );
      claimed.isReturned = true;
      this.#deps.onRun({ ...job.run, status: 'stopping' });
    }
  }

  /** After a connection was made: hints may have been lost. */
  async resume(): Promise<void> {
    await this.sendHeartbeats();
    await this.#reportAll();
  }

  async #reportAll(): Promise<void> {
    for (const run of await this.runs()) this.#deps.onRun(run);
  }

  async #flush(): Promise<void> {
    for (let sent = true; sent;) {
      sent = false;
      for (const [id, claimed] of this.#heldRuns) {
        const { report } = claimed;
        if (report === undefined) continue;
        try {
          const run = this.#toLocalRun(await this.#deps.use((database) => this.#report(database, claimed, report)));
          if (claimed.report === report) delete claimed.report;
          if (isRunOver(report.status)) this.#end(id, claimed);
          this.#deps.onRun(run);
          sent = true;
        } catch (error) {
          if (TeamError.is(error, 'unreachable')) return;
          this.#deps.log.warn(`${id} ${report.status}: ${String(error)}`);
          // Other errors may be temporary: the next heartbeat reports it again.
          if (!TeamError.is(error, 'outdated')) continue;
          if (isRunOver(report.status)) this.#end(id, claimed);
          else this.#stopLost(id, claimed);
        }
      }
    }
  }

  #report(database: Database, { token, isReturned }: ClaimedRun, report: RunReport): Promise<TeamRun> {
    if (isReturned !== true || report.status === 'completed' || !isRunOver(report.status))
      return reportRun(database, token, report);
    return returnRun(database, report.run_id, token, 'The runner lost its connection to the team.');
  }

  /** False: it has ended already, or its runner has claimed it again. */
  #end(id: string, claimed: ClaimedRun): boolean {
    if (this.#heldRuns.get(id) !== claimed) return false;
    this.#heldRuns.delete(id);
    if (![...this.#heldRuns.values()].some(({ canRetry }) => canRetry)) {
      clearInterval(this.#lease);
      this.#lease = undefined;
    }
    this.#deps.onEnded(claimed.job.run.session_id);
    return true;
  }

  /** To a runner of this daemon, it has the id that it has here. */
  #toLocalRun({ job: { run }, instance }: TeamRun): Run {
    const own = instance === null ? undefined : this.#deps.runners.localId(instance);
    return own === undefined ? run : { ...run, runner_id: own };
  }

  /** The prompt cannot be masked, because the agent needs it, and the database would keep it. */
  #refuseSecrets(prompt: string): void {
    const redactor = this.#deps.redactor();
    redactor.redactText(prompt, { path: ['prompt'] });
    const [rule] = Object.keys(redactor.report().byRule);
    if (rule !== undefined)
      throw new CoordinatorError('invalid', `The prompt contains a secret (${rule}), which the team could read.`);
  }

  #use<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return translateRefusals(() => this.#deps.use(work));
  }

  async #ifConnected<T>(work: (database: Database) => Promise<T>): Promise<T | null> {
    if (!this.#deps.isConnected()) return null;
    try {
      return await this.#deps.use(work);
    } catch (error) {
      if (!TeamError.is(error, 'unreachable')) this.#deps.log.warn(`Team queue: ${String(error)}`);
      return null;
    }
  }
}

/** Runs `work` and turns refusals of the database into errors of the queue. @throws CoordinatorError */
export async function translateRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!TeamError.is(error)) throw error;
    const code = error.code === 'unreachable' ? 'unreachable' : 'invalid';
    throw new CoordinatorError(code, `${error.message} ${error.next}`);
  }
}
