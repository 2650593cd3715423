import { hostname } from 'node:os';
import path from 'node:path';
import type { RecordedRun } from '../../formats/record.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { marksOf } from '../../model/agent/followUps.ts';
import type { Session, SessionStatus } from '../../model/session/session.ts';
import type { AgentLauncher, LaunchRequest, PreparedAgent } from '../launch/agentLauncher.ts';
import type { ChildServer, SessionHandle } from '../api.ts';
import type { EngineDeps } from '../engineDeps.ts';
import type { Archive } from '../archive/archive.ts';
import type { Budgets, BudgetedRun } from '../budget/budgets.ts';
import { withChildren } from '../children/childServer.ts';
import type { EngineFailure } from '../failures/failures.ts';
import { runId, runnerId, uuid } from '../ids.ts';
import { LiveRun } from './liveRun.ts';
import { logPersisted } from '../log/metadataLog.ts';
import type { NewRun } from '../sessions/newSession.ts';
import { thisMachine } from '../process/identity/holder.ts';
import { ownIdentity } from '../process/identity/identity.ts';
import type { RecordStore } from '../record/recordStore.ts';
import { startedSummary } from './runFigures.ts';
import type { RunDeps, RunPlan } from './runPlan.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import type { FileSnapshots } from '../restore/fileSnapshots.ts';
import { RunFolder } from './runFolder.ts';
import { composePrompt } from '../prompt/promptComposition.ts';
import { folderFilter } from '../recall/recall.ts';

export interface RunStarterDeps extends EngineDeps {
  readonly store: RecordStore;
  readonly sessions: Sessions;
  readonly archive: Pick<Archive, 'finishRun' | 'recall'>;
  readonly budgets: Pick<Budgets, 'createRunBudget' | 'keepUpdated'>;
  readonly children: ChildServer | undefined;
  /** Absent: no copies of files. */
  readonly fileSnapshots: FileSnapshots | undefined;
  /** @throws EngineFailure during shutdown, or if this run was cancelled */
  readonly assertOpen: (signal: AbortSignal | undefined) => void;
}

/** Starts runs in pending sessions whose record this process may write. */
export class RunStarter {
  readonly #deps: RunStarterDeps;
  /** Sessions with runs that no user answers. The same applies to their child sessions. */
  readonly #unattendedSessions = new Set<string>();

  constructor(deps: RunStarterDeps) {
    this.#deps = deps;
  }

  /**
   * `work` starts a run, which then owns the writer of `state`. If it starts none, the session gets the status `restingStatus`.
   */
  async withWriterOwnership<T>(state: SessionState, restingStatus: SessionStatus, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { session } = state;
      if (session.status === 'pending') await state.changeSession({ ...session, status: restingStatus });
      await state.returnWriter();
      throw error;
    }
  }

  /** Resolves when the agent is running. Call only while the writer of `state` is free. @throws EngineFailure */
  async start(
    state: SessionState,
    source: AgentLauncher,
    agent: PreparedAgent,
    newRun: NewRun,
  ): Promise<SessionHandle> {
    const { budgets, children, sessions, archive, log } = this.#deps;
    const { request, attempts, prefix = '' } = newRun;
    const { session, summary } = state;
    const at = new Date(this.#deps.clock()).toISOString();
    const run = this.#createRun(state, newRun, agent, at);
    const { limits, race } = request;
    const budgetedRun: BudgetedRun = { runId: run.run_id, session, limits, raceLimits: race?.limits };
    const budget = await budgets.createRunBudget(budgetedRun);
    const figures = await this.#readFiguresContext(state, newRun);
    const owner = { ...(await thisMachine()), at, owner: await ownIdentity() };
    const prepared = await this.#addRecall(state, await withChildren(children, request, session, run));
    // Do not await from here on: a run that shutdown does not know would outlive it.
    this.#deps.assertOpen(newRun.signal);
    const interactive = this.#isInteractive(session, request);
    const { notes: before, ...reported } = composePrompt(source, prepared, {
      startsConversation: attempts[0] === null,
      prefix,
    });
    const launch = {
      ...this.#launchOf(state, run, owner),
      ...reported,
      ...(newRun.forkOf !== undefined && { forkOf: newRun.forkOf }),
      ...(newRun.forkAt !== undefined && { forkAt: newRun.forkAt }),
      interactive,
      limits: budget.agentLimits(interactive),
    };
    const live = new LiveRun(
      state,
      {
        run,
        runnerId: request.queued?.runner_id ?? runnerId(hostname(), launch.cwd, session.executor_type ?? 'replay'),
        label: source.label,
        workDir: launch.cwd,
        agentPrompt: launch.prompt,
        promptOrigin: run.prompt_origin ?? 'human',
        notes: [...before, ...agent.notes(launch, attempts[0] ?? null)],
        figures,
        attempts: agent.canLaunch(launch) ? attempts : [],
        ...(newRun.replacedIds !== undefined && { replacedIds: newRun.replacedIds }),
        budget,
        folder: new RunFolder(session, this.#deps, this.#deps.fileSnapshots),
        createNormalizer: (context) => source.createNormalizer(context),
        launch: (resume) => agent.launch(launch, resume),
      },
      this.#createRunDeps(launch.cwd, interactive),
    );
    state.run = live;
    state.done = live.done;
    budgets.keepUpdated(budget, budgetedRun, live.done);
    state.change({ ...startedSummary(summary, run), updated_at: at });
    const notifyFailure = (failure: EngineFailure): void => state.notices.fire({ severity: 'warning', failure });
    if (!interactive) this.#unattendedSessions.add(state.id);
    const finished = live.done.then(() => archive.finishRun(state.id, run.run_id, notifyFailure));
    void live.done.then(() => {
      this.#unattendedSessions.delete(state.id);
      children?.endRun(state.id, run.run_id);
    });
    sessions.hold(state, finished);
    const handle = sessions.handle(state);
    try {
      await live.start();
      if (run.synthetic === true) logPersisted(log, state.id, run);
      return handle;
    } catch (error) {
      handle.dispose();
      throw error;
    }
  }

  /** With passages from earlier sessions, if the agent file wants them for every prompt. */
  async #addRecall<R extends NewRun['request']>({ id, session, summary }: SessionState, request: R): Promise<R> {
    const { archive, log } = this.#deps;
    if (request.blueprint?.recall !== 'always' || request.recall !== undefined) return request;
    try {
      const recall = await archive.recall.find({
        ...(summary.runs > 0 && { session: id }),
        message: { text: request.prompt, origin: request.origin ?? 'human' },
        within: folderFilter(folderOf(session), id),
      });
      return recall.passages.length === 0 ? request : { ...request, recall };
    } catch (error) {
      log.warn(`${id}: earlier sessions could not be searched: ${String(error)}`);
      return request;
    }
  }

  #isInteractive({ parent_session_id: parent = '' }: Session, { interactive, origin }: NewRun['request']): boolean {
    const isUnattended = origin === 'subagent' && this.#unattendedSessions.has(parent);
    return interactive ?? (!isUnattended && (this.#deps.interactive ?? false));
  }

  #createRun(
    { id, session, total }: SessionState,
    { type, request }: NewRun,
    agent: PreparedAgent,
    at: string,
  ): RecordedRun {
    const origin = agent.promptOrigin ?? request.origin ?? 'human';
    return {
      run_id: runId(this.#deps.randomHex),
      type,
      session_id: id,
      prompt: request.prompt,
      ...(session.agent_name !== undefined && { agent_name: session.agent_name }),
      project_dir: folderOf(session),
      execution_mode: session.execution_mode,
      ...(session.parent_session_id !== undefined && { parent_session_id: session.parent_session_id }),
      created_at: at,
      ...request.queued,
      status: 'pending',
      events_from: 'entries',
      ...marksOf(request),
      ...(origin !== 'human' && { prompt_origin: origin }),
      first_index: total,
    };
  }

  async #readFiguresContext(state: SessionState, { request, prefix = '' }: NewRun): Promise<RunPlan['figures']> {
    const results = (await (await state.reader())?.results()) ?? [];
    return {
      previous: results.map(({ metadata }) => metadata),
      isNewConversation: prefix !== '',
      prices: await loadPrices(this.#deps.settings(state.session.project_dir).prices),
      askedModel: request.options?.model ?? null,
    };
  }

  #launchOf(
    { id, session, summary }: SessionState,
    run: RecordedRun,
    owner: Pick<LaunchRequest['lease'], 'hostname' | 'at' | 'owner'>,
  ): Omit<LaunchRequest, 'prompt' | 'options' | 'limits' | 'interactive'> {
    const { randomHex, store } = this.#deps;
    return {
      runId: run.run_id,
      cwd: folderOf(session),
      newSessionId: uuid(randomHex),
      earlierRuns: summary.runs,
      runsFolder: path.join(path.dirname(store.path(id)), 'runs'),
      lease: { run_id: run.run_id, session_id: id, ...owner },
    };
  }

  #createRunDeps(folder: string, interactive: boolean): RunDeps {
    const { clock, monotonic = () => performance.now(), log, settings } = this.#deps;
    const timing = { ...this.#deps.timing, ...settings(folder).timing };
    return {
      clock,
      monotonic,
      log,
      silenceMs: timing.silenceMs ?? 60_000,
      requestMs: timing.requestMs ?? 600_000,
      closeMs: timing.closeMs ?? 10_000,
      nextTurnMs: timing.nextTurnMs ?? 2000,
      turnMs: timing.politeGraceMs ?? 5000,
      interactive,
      presence: this.#deps.presence,
    };
  }
}

function folderOf({ project_dir: folder = '' }: Session): string {
  return folder;
}
