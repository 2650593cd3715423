import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentSession } from '../agents/acp/sessionList.ts';
import type { AgentAdapter } from '../agents/adapter.ts';
import { loadPrices } from '../insight/prices/prices.ts';
import type { CoordinatorEvent } from '../model/transcript/event.ts';
import type { Session } from '../model/session/session.ts';
import { moveSession } from '../model/session/status.ts';
import type { SessionSummary } from '../model/session/summary.ts';
import { withConversationSummary } from './prompt/conversationSummary.ts';
import type { AgentLauncher, ReportOptions } from './launch/agentLauncher.ts';
import { AgentLaunchers } from './launch/agentLaunchers.ts';
import { isReadOnly } from '../model/session/importedSession.ts';
import type {
  AgentReport,
  AgentSessionsRequest,
  ChildServer,
  Disposable,
  EventListener,
  ResumeRequest,
  SessionHandle,
  StartRequest,
  SummaryListener,
  SweepReport,
} from './api.ts';
import type { EngineDeps } from './engineDeps.ts';
import { assertFolder } from './files/assertFolder.ts';
import { probeLaunch } from './launch/probeLaunch.ts';
import { Emitter } from './emitter.ts';
import { Archive } from './archive/archive.ts';
import type { DeletionReason } from './audit/deletions.ts';
import { parseLimits } from './budget/parseLimits.ts';
import { Budgets } from './budget/budgets.ts';
import { childServer } from './children/childServer.ts';
import { failures } from './failures/failures.ts';
import { identityOf } from './folders/identity.ts';
import { FollowUps } from './followUps/followUps.ts';
import { sessionId } from './ids.ts';
import { type NewRun, newSummary, titleOf } from './sessions/newSession.ts';
import { ProcessLeases } from './process/leases.ts';
import type { LadderStep } from './process/stopProcessTree.ts';
import { RecordStore } from './record/recordStore.ts';
import { recognizeOutput } from './replay/outputFile.ts';
import { isWaiting, QueuedRecords } from './run/queuedRecords.ts';
import { FileSnapshots } from './restore/fileSnapshots.ts';
import { transcriptContext } from './prompt/transcriptContext.ts';
import { SessionRestores } from './restore/sessionRestores.ts';
import { RunStarter } from './run/runStarter.ts';
import { Sessions } from './sessions/sessions.ts';
import { SessionState, type StateDeps } from './sessions/sessionState.ts';
import { ledgersOf } from './usage/spending.ts';
import { reapOrphans, sweep } from './process/sweep.ts';

/** Fits into the 5 seconds that a closing window has. */
const closingLadder: readonly LadderStep[] = [
  { signal: 'SIGINT', graceMs: 1000 },
  { signal: 'SIGTERM', graceMs: 500 },
];
const closingMs = 4500;

/** Runs agents and keeps their records. One per process. Failures for users are `EngineFailure`s. */
export class Engine {
  /** Exports, imports, verifies and audits records. */
  readonly archive: Archive;
  /** Lets agents start child sessions; `undefined` if they may not. */
  readonly children: ChildServer | undefined;
  /** Budgets of agents. */
  readonly budgets: Budgets;
  readonly followUps: FollowUps;
  /** Sessions whose first run waits in the queue. */
  readonly queued: QueuedRecords;
  /** Copies of files at prompts. */
  readonly restores: SessionRestores;
  readonly #deps: EngineDeps;
  readonly #store: RecordStore;
  readonly #sessions: Sessions;
  readonly #leases: ProcessLeases;
  readonly #sources: AgentLaunchers;
  readonly #summaries: Emitter<[SessionSummary]>;
  readonly #events: Emitter<[CoordinatorEvent]>;
  readonly #stateDeps: StateDeps;
  readonly #starter: RunStarter;
  readonly #fileSnapshots: FileSnapshots;
  #closePromise: Promise<void> | undefined;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#store = new RecordStore(deps.storeDir, { clock: deps.clock, log: deps.log });
    this.#leases = new ProcessLeases(path.join(deps.storeDir, 'leases'), deps.log);
    this.#sources = new AgentLaunchers(deps, this.#leases);
    this.#summaries = new Emitter(deps.log);
    this.#events = new Emitter(deps.log);
    this.#stateDeps = {
      store: this.#store,
      log: deps.log,
      onSummary: (summary) => this.#summaries.fire(summary),
      onEvent: (event) => this.#events.fire(event),
    };
    const sourceOf = (session: Session) => this.#sources.findReadingLauncher(session);
    const endLeftovers = () => reapOrphans(this.#leases, deps.log);
    const prices = () => loadPrices(deps.settings().prices);
    this.#sessions = new Sessions({ ...this.#stateDeps, clock: deps.clock, prices, sourceOf, endLeftovers });
    this.archive = new Archive(this.#sessions, { ...deps, store: this.#store });
    this.queued = new QueuedRecords({
      ...deps,
      store: this.#store,
      sessions: this.#sessions,
      sources: this.#sources,
      state: this.#stateDeps,
    });
    const recordDecision: Sessions['decide'] = (...noted) => this.#sessions.decide(...noted);
    this.children = childServer(this, { ...deps, decide: recordDecision });
    this.followUps = new FollowUps({
      ...deps,
      sessions: {
        openReader: (id) => this.#sessions.openReader(id),
        withOpenSession: (id, work) => this.#sessions.withOpenSession(id, work),
        change: (id, change) => this.#sessions.change(id, change),
      },
    });
    this.budgets = new Budgets({
      ...deps,
      sessionRuns: async () => (await ledgersOf(this.#store, await this.#sessions.liveStates())).ledgers,
      onRunUsage: (listener) => this.#summaries.on(({ session_id: id }) => listener(id)),
      recordDecision,
    });
    const environment = (folder: string) => deps.settings(folder).environment ?? deps.environment;
    this.#fileSnapshots = new FileSnapshots({ ...deps, environment });
    this.restores = new SessionRestores({
      snapshots: this.#fileSnapshots,
      clock: deps.clock,
      openReader: (id) => this.#sessions.openReader(id),
      list: () => this.list(),
      recordPath: (id) => this.recordPath(id),
      decide: recordDecision,
    });
    this.#starter = new RunStarter({
      ...deps,
      store: this.#store,
      sessions: this.#sessions,
      archive: this.archive,
      budgets: this.budgets,
      children: this.children,
      fileSnapshots: deps.copyFiles === true ? this.#fileSnapshots : undefined,
      assertOpen: (signal) => this.#assertOpen(signal),
    });
  }

  /** Resolves when the agent has started. Rejects with the reason if it did not start, or if `signal` aborted first. */
  async start(options: StartRequest, signal?: AbortSignal): Promise<SessionHandle> {
    const request = parseLimits(options);
    const source = this.#sources.launcherFor({
      executor_type: request.agent,
      executor_profile: request.profile,
      project_dir: request.cwd,
    });
    await assertFolder(request.cwd);
    const agent = await source.prepare();
    this.#assertOpen(signal);
    const session: Session = {
      session_id: request.queued?.session_id ?? sessionId(this.#deps.randomHex),
      status: 'pending',
      created_at: this.#now(),
      project_dir: request.cwd,
      project_identity: await identityOf(request.cwd),
      execution_mode: request.queued?.execution_mode ?? request.executionMode ?? 'sync',
      executor_session_ids: [],
      executor_type: request.agent,
      ...(request.profile !== undefined && { executor_profile: request.profile }),
      hostname: hostname(),
      title: request.title ?? titleOf(request.prompt),
      ...(request.blueprint !== undefined && { agent_name: request.blueprint.name }),
      ...(request.parent !== undefined && { parent_session_id: request.parent }),
      ...(request.race !== undefined && { race_id: request.race.id }),
    };
    await this.budgets.assertWithinBudgets(session, request.limits, request.race?.limits);
    this.#assertOpen(signal);
    const newRun: NewRun = { type: 'start_session', request, attempts: [null], signal };
    const summary = newSummary(session, request.prompt, source);
    if (request.queued !== undefined && (await this.queued.isWaiting(session.session_id)))
      return this.#startWaiting(summary, (state) => this.#starter.start(state, source, agent, newRun));
    const state = new SessionState(summary, this.#stateDeps);
    state.useWriter(await this.#store.create(session, { onProblem: state.reportWriteProblem }));
    this.#sessions.add(state);
    const begin = () => this.#starter.start(state, source, agent, newRun);
    return this.#sessions.withOpenSession(state.id, () =>
      state.runExclusive(() => this.#starter.withWriterOwnership(state, 'stopped', begin)),
    );
  }

  /** The record of a session that waited in the queue is there. */
  #startWaiting(
    summary: SessionSummary,
    begin: (state: SessionState) => Promise<SessionHandle>,
  ): Promise<SessionHandle> {
    return this.#sessions.withOpenSession(summary.session_id, (state) =>
      state.runExclusive(async () => {
        await this.#sessions.takeWriter(state);
        state.change({ ...summary, title: state.summary.title, entries: state.total, remote: undefined });
        return this.#starter.withWriterOwnership(state, 'stopped', () => begin(state));
      }),
    );
  }

  resume(sessionId: string, options: ResumeRequest, signal?: AbortSignal): Promise<SessionHandle> {
    const limited = parseLimits(options);
    const planned = async (state: SessionState, source: AgentLauncher): Promise<NewRun> => {
      const request = await this.followUps.checkAutomaticRun(state, limited);
      if (!source.resumesById) return { type: 'resume_session', request, attempts: [null] };
      const {
        executor_session_id: last,
        executor_session_ids: chain,
        executor_type: type,
        project_dir,
        forked_from: origin,
      } = state.session;
      const from = request.from ?? (type && this.#deps.settings(project_dir).agents?.[type]?.resumeFrom) ?? 'newest';
      const ids = [last ?? chain.at(-1), chain[0]].filter((id) => id !== undefined);
      if (from === 'original') ids.reverse();
      if (ids.length === 0 && origin !== undefined) {
        const { executor_session_id: forkOf, last: forkAt } = origin;
        const forked = { type: 'resume_session', request, attempts: [null] } as const;
        if (forkAt === null || forkOf === undefined)
          return { ...forked, prefix: await transcriptContext(await state.reader()) };
        return { ...forked, forkOf, ...(forkAt !== undefined && { forkAt }) };
      }
      if (ids.length === 0) {
        throw failures.conversationUnnamed(source.label, source.resumeMissing?.(state.summary.agent_version));
      }
      return { type: 'resume_session', request, attempts: [...new Set(ids)] };
    };
    return this.#continueIn(sessionId, limited, planned, signal);
  }

  /** Starts a new agent conversation in the same session, with a summary of the earlier one. */
  startNewConversation(sessionId: string, options: ResumeRequest): Promise<SessionHandle> {
    const request = parseLimits(options);
    return this.#continueIn(sessionId, request, async (state) => {
      const reported = await withConversationSummary(await state.reader(), request, {
        recall: this.archive.recall,
        log: this.#deps.log,
      });
      const { session } = state;
      const { executor_session_id, executor_session_ids } = session;
      return {
        type: 'resume_session',
        attempts: [null],
        replacedIds: { executor_session_id, executor_session_ids },
        ...reported,
      };
    });
  }

  /** Resolves when no process of the agent is left. `kill`: skips the polite signal. */
  async stop(sessionId: string, options: { readonly kill?: boolean } = {}): Promise<void> {
    await this.#deps.childRuns?.cancel(sessionId);
    await this.#sessions.stop(sessionId, options.kill === true ? [] : undefined);
  }

  open(sessionId: string): Promise<SessionHandle> {
    return this.#sessions.open(sessionId);
  }

  async list(): Promise<SessionSummary[]> {
    return this.#sessions.list(await this.#store.list());
  }

  rename(sessionId: string, title: string): Promise<void> {
    return this.#sessions.change(sessionId, { title });
  }

  setHidden(sessionId: string, hidden: boolean): Promise<void> {
    return this.#sessions.change(sessionId, { hidden });
  }

  /** Changes the folder of a session, after a rename or move or when a worktree was removed. @throws EngineFailure */
  async relink(sessionId: string, folder: string, by: 'user' | 'identity' = 'user'): Promise<void> {
    await this.#sessions.change(sessionId, { project_dir: folder, project_identity: await identityOf(folder) }, by);
  }

  /** Permanently deletes a session and logs the deletion. @throws EngineFailure */
  async remove(sessionId: string, reason: DeletionReason = 'user'): Promise<void> {
    const folder = await this.#folderOf(sessionId);
    await this.archive.remove(sessionId, reason);
    if (folder !== undefined) await this.#fileSnapshots.forget({ id: sessionId, folder });
  }

  async rebuildIndex(): Promise<SessionSummary[]> {
    return this.#sessions.list(await this.#store.rebuild());
  }

  /** `undefined` if its record cannot be read. */
  async #folderOf(sessionId: string): Promise<string | undefined> {
    const reader = await this.#sessions.openReader(sessionId).catch(() => null);
    await reader?.close();
    return reader?.summary.project_dir;
  }

  /** The session's record file; the raw output of its runs is in the same folder. */
  recordPath(sessionId: string): string {
    return this.#store.path(sessionId);
  }

  /** All agents that can be started, with their state; `fresh` ignores cached results. */
  agents(options: ReportOptions & { readonly fresh?: boolean } = {}): Promise<readonly AgentReport[]> {
    if (options.fresh === true) this.#sources.refresh();
    return this.#sources.reports(options);
  }

  /** Conversations that the agent stores for a folder. Starts the agent, asks and ends it. @throws EngineFailure */
  async agentSessions(request: AgentSessionsRequest): Promise<readonly AgentSession[]> {
    const { agent, profile, cwd, signal } = request;
    const source = this.#sources.launcherFor({ executor_type: agent, executor_profile: profile, project_dir: cwd });
    await assertFolder(cwd);
    this.#assertOpen();
    if (source.sessions === undefined) throw failures.listNotOffered(source.label);
    return source.sessions(await probeLaunch(this.#deps, cwd), signal);
  }

  /** Agents that may have printed the file, best match first; none or several if unclear. @throws EngineFailure */
  recognizeOutput(file: string): Promise<readonly AgentAdapter[]> {
    return recognizeOutput(file, this.#deps.adapters);
  }

  onSummary(listener: SummaryListener): Disposable {
    return this.#summaries.on(listener);
  }

  onEvent(listener: EventListener): Disposable {
    return this.#events.on(listener);
  }

  /** Ends leftover processes of a crash, and completes the records of interrupted sessions. */
  sweep(): Promise<SweepReport> {
    return sweep(this.#leases, this.#store, this.#sessions, this.#deps.log);
  }

  /** Stops all runs within 5 seconds and closes the records. `reason` is recorded for each stopped run. */
  dispose(reason?: string): Promise<void> {
    this.#closePromise ??= this.#close(reason);
    return this.#closePromise;
  }

  async #close(reason: string | undefined): Promise<void> {
    await this.children?.prepareClose((await this.#sessions.liveStates()).map(({ summary }) => summary));
    const stopped = this.#sessions.stopAll(closingLadder, reason);
    await Promise.race([stopped, delay(closingMs, undefined, { ref: false })]);
    await this.#sessions.close();
    await this.children?.close();
    this.archive.dispose();
  }

  async #continueIn(
    id: string,
    { limits, executionMode: execution_mode }: ResumeRequest,
    newRun: (state: SessionState, source: AgentLauncher) => NewRun | Promise<NewRun>,
    signal?: AbortSignal,
  ): Promise<SessionHandle> {
    return this.#sessions.withOpenSession(id, async (state) => {
      await state.assertIdle();
      if (isWaiting(state)) throw failures.sessionBusy(id);
      if (isReadOnly(state.session)) throw failures.sessionImported(id);
      if (state.session.remote !== undefined) throw failures.sessionRemote(id, state.session.remote.hostname);
      const source = this.#sources.launcherFor(state.session);
      const agent = await source.prepare();
      await assertFolder(state.session.project_dir ?? '');
      await this.#sessions.recover(state);
      await this.budgets.assertWithinBudgets(state.session, limits);
      return state.runExclusive(async () => {
        this.#assertOpen(signal);
        if (state.isRunning()) throw failures.sessionBusy(id);
        await this.#sessions.takeWriter(state);
        return this.#starter.withWriterOwnership(state, state.session.status, async () => {
          const planned = { ...(await newRun(state, source)), signal };
          const last_resumed_at = this.#now();
          const project_identity = await identityOf(state.session.project_dir ?? '');
          const session = { ...moveSession(state.session, 'pending'), last_resumed_at, project_identity };
          const { replacedIds } = planned;
          const clearedIds = replacedIds && { executor_session_id: undefined, executor_session_ids: [] };
          // Recorded together with the start of the run.
          state.change({ ...session, ...clearedIds, ...(execution_mode !== undefined && { execution_mode }) });
          return this.#starter.start(state, source, agent, planned).catch((error: unknown) => {
            if (replacedIds !== undefined) state.change(replacedIds);
            throw error;
          });
        });
      });
    });
  }

  #assertOpen(signal?: AbortSignal): void {
    if (signal?.aborted === true) throw failures.runCancelled();
    if (this.#closePromise !== undefined) throw failures.engineClosed();
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
