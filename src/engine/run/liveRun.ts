import type { RecordLine } from '../../formats/record.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { AgentRequest, Decision } from '../../model/agent/request.ts';
import type { RunResult } from '../../model/session/result.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Conversation } from '../api.ts';
import { LiveBudget } from '../budget/liveBudget.ts';
import { LiveConversation } from '../sessions/liveConversation.ts';
import { endReasonNotes, endNotes } from './endNotes.ts';
import { toFailure } from '../failures/toFailure.ts';
import { type EngineFailure, failures } from '../failures/failures.ts';
import type { LadderStep } from '../process/stopProcessTree.ts';
import { promptEntry } from '../prompt/promptEntry.ts';
import { queueRecorder } from '../prompt/queuedMessages.ts';
import { decisionLine, needsYou } from '../requests/requestRecord.ts';
import { LiveFigures } from './liveFigures.ts';
import {
  beginRun,
  markClosed,
  beginEnding,
  endRun,
  failConversation,
  isOpen,
  launchRun,
  markRunning,
  newRunState,
  stopRun,
  wasStopped,
  withIds,
  type CloseOutcome,
  type RunState,
  type Transition,
} from './transitions.ts';
import { RunFeed } from './runFeed.ts';
import { reportedFigures, resultOf, summaryOf, type FiguresContext } from './runFigures.ts';
import type { LaunchedAgent, RunDeps, RunPlan } from './runPlan.ts';
import type { ActiveRun, SessionState } from '../sessions/sessionState.ts';
import { withUnrecorded } from './unrecordedResult.ts';
import { failureReason } from '../failures/failureReason.ts';

/**
 * One run from its prompt to its result. Owns the writer of the session's record meanwhile. `RunState` holds its state;
 * each transition is one batch of the record. This class connects processes, conversation, budget and record.
 */
export class LiveRun implements ActiveRun {
  readonly done: Promise<RunResult>;
  readonly #session: SessionState;
  readonly #plan: RunPlan;
  readonly #deps: RunDeps;
  readonly #feed: RunFeed;
  readonly #conversation: LiveConversation;
  readonly #budget: LiveBudget;
  readonly #liveFigures: LiveFigures;
  #state: RunState;
  #stopReason: string | undefined;
  /** Runs after the agent's input was closed. */
  #closeTimer: NodeJS.Timeout | undefined;
  #resolveDone: (result: RunResult) => void = () => undefined;

  constructor(session: SessionState, plan: RunPlan, deps: RunDeps) {
    this.#session = session;
    this.#plan = plan;
    this.#deps = deps;
    this.#state = newRunState(plan.run);
    this.#conversation = this.#createConversation();
    this.#feed = new RunFeed({ state: session, plan, clock: deps.clock, stdout: this.#conversation });
    const stop = (): void => void this.stop();
    const isOver = (): boolean => this.#conversation.isOver;
    const allowSelfExit = (): void => this.#closeIn(deps.closeMs, 'late');
    this.#budget = new LiveBudget({
      state: session,
      plan,
      feed: this.#feed,
      clock: deps.clock,
      stop,
      isOver,
      allowSelfExit,
    });
    this.#liveFigures = new LiveFigures({
      state: session,
      monotonic: deps.monotonic,
      facts: () => this.#feed.output.facts(),
      context: () => this.#figuresContext(),
      measure: (facts) => this.#feed.measure(facts),
    });
    this.done = new Promise((resolve) => {
      this.#resolveDone = (result) => resolve(withUnrecorded(result, session.unrecorded));
    });
  }

  get runId(): string {
    return this.#plan.run.run_id;
  }

  get conversation(): Conversation | null {
    return this.#state.launched?.dialogue !== undefined && isOpen(this.#state) ? this.#conversation : null;
  }

  counted(): { readonly responses: number; readonly active_ms: number } {
    return this.#budget.counted(undefined);
  }

  whenWritten(): Promise<void> {
    return this.#feed.whenWritten();
  }

  /** Resolves when the agent is running. @throws EngineFailure if it does not start, which is also recorded */
  async start(): Promise<void> {
    const { attempts } = this.#plan;
    // Runs in parallel with preparing the record, before the agent starts.
    void this.#plan.folder.begin();
    try {
      await this.#begin();
      const [first] = attempts;
      if (first === undefined || this.#isStopped) {
        await this.#move(markRunning(this.#state, this.#session.session, this.#now()));
        await this.#settle({ code: 0, signal: null });
        return;
      }
      await this.#budget.begin();
      const launched = await this.#launch(first);
      await this.#move(markRunning(this.#state, this.#session.session, this.#now()));
      void this.#play(launched, attempts.slice(1));
    } catch (error) {
      const failure = toFailure(error, this.runId, this.#deps.log);
      await this.#fail(failure);
      throw failure;
    }
  }

  async stop(steps?: readonly LadderStep[], reason?: string): Promise<void> {
    if (isOpen(this.#state)) {
      const first = !this.#isStopped;
      if (first) this.#stopReason = reason;
      const moved = this.#move(stopRun(this.#state, this.#session.session, steps !== undefined, this.#now()));
      this.#conversation.end();
      await moved;
      if (first && steps === undefined) await this.#conversation.stopTurn(this.#deps.turnMs);
      await this.#end(steps);
    }
    await this.done;
  }

  get #isStopped(): boolean {
    return this.#state.stop !== 'none';
  }

  /** Changes the state at once. Resolves when the record has the change. */
  async #move({ state, batch }: Transition, change?: Partial<SessionSummary>): Promise<void> {
    this.#state = state;
    if (batch.length > 0 || change !== undefined) await this.#session.commit(batch, change);
  }

  async #end(steps?: readonly LadderStep[]): Promise<void> {
    const survivors = (await this.#state.launched?.process.stop(steps)) ?? [];
    if (survivors.length > 0) this.#notify('error', failures.ignoresSignals(this.#plan.label, survivors));
  }

  #createConversation(): LiveConversation {
    const { closeMs } = this.#deps;
    const { label, workDir, folder } = this.#plan;
    const session = this.#session;
    return new LiveConversation({
      ...this.#deps,
      label,
      workDir,
      record: (line) => this.#feed.addClientLine(line),
      onDecision: (request: AgentRequest, decision: Decision) =>
        void session.append(decisionLine(this.runId, request, decision)),
      onQueueChange: queueRecorder(this, this.#deps.clock, (line) => session.append(line)),
      onChange: () => {
        const needs_you = needsYou(this.#conversation.pendingRequests());
        if (needs_you !== session.summary.needs_you) session.change({ needs_you });
        this.#budget.setWaiting(needs_you !== undefined);
        session.conversations.fire();
      },
      maySend: () => this.#budget.maySend(this.#figuresContext()),
      ...(folder.copiesFiles && { beforeMessage: () => this.#feed.whenWritten().then(() => folder.copyAtPrompt()) }),
      onClosed: (endsItself) => this.#closeIn(endsItself ? closeMs : 0, endsItself ? 'late' : 'as_expected'),
      onFailure: (message) => {
        this.#state = failConversation(this.#state, failures.agentFailed(label, message));
        void this.#end();
      },
    });
  }

  #closeIn(ms: number, how: CloseOutcome): void {
    this.#closeTimer ??= setTimeout(() => {
      if (this.#isStopped) return;
      this.#state = markClosed(this.#state, how);
      void this.#end();
    }, ms);
  }

  async #begin(): Promise<void> {
    const { run, promptOrigin, notes, runnerId, replacedIds } = this.#plan;
    const { session, summary, total } = this.#session;
    const at = this.#now();
    const prompt = promptEntry(run, summary, promptOrigin, at);
    const transcript: RecordLine[] = [
      { kind: 'event', event: this.#feed.events.start(at) },
      ...this.#feed.lines([prompt]),
      ...this.#feed.notes(notes, total + 1),
    ];
    await this.#move(beginRun(this.#state, { session, runnerId, replacedIds, transcript, at }));
    await this.#session.writer?.flush();
  }

  async #launch(resume: string | null): Promise<LaunchedAgent> {
    await Promise.all([this.#plan.folder.begin(), this.#state.launched === null && this.#plan.folder.copyAtPrompt()]);
    const launched = await this.#plan.launch(resume);
    const { process, version, sessionId, dialogue } = launched;
    const { session, total: firstIndex } = this.#session;
    const { figures } = this.#plan;
    const { offsets } = this.#feed;
    const at = this.#now();
    const moved = launchRun(this.#state, { launched, resume, figures, offsets, firstIndex, session, at });
    await this.#move(moved, version === null ? {} : { agent_version: version });
    this.#feed.begin(resume, sessionId);
    if (dialogue !== undefined && process.input) this.#conversation.attach(process.input, dialogue);
    if (this.#isStopped) void this.#end();
    return launched;
  }

  /** Reads one process to its end, then the next one if the agent did not know the conversation. */
  async #play(launched: LaunchedAgent, others: readonly (string | null)[]): Promise<void> {
    try {
      const [next] = others;
      const isUnknown = (): boolean => !this.#isStopped && this.#feed.output.facts().unknownSession;
      const exit = await this.#consume(launched, () => typeof next === 'string' && isUnknown());
      if (typeof next === 'string' && isUnknown()) {
        await this.#feed.addNote({
          subtype: 'resume_retry',
          content: `${this.#plan.label} does not know this conversation ID. Trying the next one, \`${next}\`.`,
        });
        await this.#play(await this.#launch(next), others.slice(1));
        return;
      }
      await this.#settle(exit, this.#state.cause);
    } catch (error) {
      await this.#fail(toFailure(error, this.runId, this.#deps.log));
    }
  }

  /** Ends all processes and the run. Never rejects. */
  async #fail(failure: EngineFailure): Promise<void> {
    await this.#end([]).catch(() => undefined);
    await this.#settle({ code: null, signal: null }, failure);
  }

  /** `continuesElsewhere`: queued messages are kept for another process. */
  async #consume({ process, sideFiles, stored }: LaunchedAgent, continuesElsewhere: () => boolean): Promise<ExitInfo> {
    const { label } = this.#plan;
    const silence = setTimeout(() => {
      this.#notify('warning', failures.silent(label, Math.round(this.#deps.silenceMs / 1000)));
    }, this.#deps.silenceMs);
    try {
      sideFiles?.onConversationId(
        () => void this.#feed.processSideFiles(sideFiles).then(() => this.#liveFigures.update()),
      );
      for await (const chunk of process.output) {
        clearTimeout(silence);
        this.#closeTimer?.refresh();
        await this.#feed.processChunk(chunk, sideFiles);
        this.#budget.check(this.#figuresContext());
        this.#liveFigures.update();
      }
    } finally {
      clearTimeout(silence);
      sideFiles?.stop();
    }
    const ended = await process.exit;
    this.#stopClosing();
    // Processes for the agent are found by its lease, which is deleted with the leftovers.
    await this.#conversation.detach();
    const leftovers = await process.leftovers();
    if (!continuesElsewhere()) this.#conversation.end();
    // The process was stopped because it was no longer needed, which does not count as a failure.
    const how = this.#isStopped ? null : this.#state.closed;
    const exit = how === null ? ended : { code: 0, signal: null };
    await this.#feed.end(exit, { sideFiles, stored });
    for (const note of endNotes(label, { isLate: how === 'late', leftovers })) await this.#feed.addNote(note);
    return exit;
  }

  /** Ends the run. In any case, `done` settles and the record is released. Never rejects; further calls do nothing. */
  async #settle(exit: ExitInfo, cause?: EngineFailure): Promise<void> {
    if (!isOpen(this.#state)) return;
    this.#state = beginEnding(this.#state);
    this.#conversation.end();
    this.#liveFigures.stop();
    this.#stopClosing();
    const session = this.#session;
    const result = await this.#recordEnd(exit, cause).catch((error: unknown) => this.#failUnrecordedRun(error));
    await session.returnWriter().catch((error: unknown) => this.#deps.log.warn(`${session.id}: ${String(error)}`));
    session.forgetRun();
    session.change({});
    session.conversations.fire();
    this.#resolveDone(result);
  }

  async #recordEnd(exit: ExitInfo, cause: EngineFailure | undefined): Promise<RunResult> {
    const session = this.#session;
    // Shutdown does not wait for the folder.
    const looks = this.#state.launched !== null && this.#state.stop !== 'hurried';
    const changes = await this.#plan.folder.changes(this.runId, looks, () => this.#now());
    const facts = this.#feed.output.facts();
    const hasNoAttempt = this.#plan.attempts.length === 0;
    const result = this.#budget.settle(resultOf(facts, exit, this.#figuresContext()), this.#conversation.hasUnsent);
    const metadata = hasNoAttempt ? undefined : result.metadata;
    const reached = result.metadata?.budget;
    const stopped = wasStopped({
      isStopRequested: this.#isStopped,
      isEndedByAnswer: this.#conversation.isEndedByUser,
      hasReachedLimit: reached !== undefined,
      wasDoneBefore: this.#budget.hasReachedLimit && result.success,
    });
    const failure = cause ?? (hasNoAttempt || stopped ? undefined : this.#failureReason(facts, exit, result));
    const succeeded = failure === undefined && (hasNoAttempt || result.success);
    const outcome = stopped ? 'stopped' : succeeded ? 'completed' : 'failed';
    const why = outcome === 'stopped' && reached === undefined ? this.#stopReason : undefined;
    const reason = outcome === 'completed' ? undefined : (why ?? failure?.message ?? result.error);
    if (failure !== undefined) this.#notify('error', failure);
    const at = this.#now();
    const counted = { ...this.#feed.steps, ...this.#budget.counted(metadata) };
    this.#feed.measure(facts);
    const notes = [...changes.notes, ...endReasonNotes(reached, why)];
    const endIndex = session.total + notes.length;
    if (looks) await this.#plan.folder.copyAtEnd(endIndex);
    const stopReason = stopped ? 'stopped' : (metadata?.endReason ?? outcome);
    const change: Partial<SessionSummary> = {
      ...reportedFigures(facts),
      ...(metadata === undefined ? {} : summaryOf(metadata, session.summary, this.#state.run)),
      ...(reached !== undefined && { budget: { ...session.summary.budget, reached } }),
      outcome,
      reason,
      entries: endIndex,
      unknown_lines: session.sizes.unknownLines,
      malformed_lines: session.sizes.malformedLines,
      updated_at: at,
    };
    const ended = endRun(this.#state, {
      outcome,
      at,
      endIndex,
      counted,
      error: outcome === 'failed' ? reason : undefined,
      usage: facts.messages,
      result: metadata,
      transcript: [...changes.lines, ...this.#feed.notes(notes)],
      event: { kind: 'event', event: this.#feed.events.stop(at, stopReason, exit.code) },
      session: withIds(session.session, facts.sessionIds) ?? session.session,
      replacedIds: this.#plan.replacedIds,
    });
    await this.#move(ended, change);
    await session.writer?.flush();
    return failure === undefined ? result : { ...result, success: false, error: reason ?? failure.message };
  }

  /** The end of the run could not be recorded. Recovery will complete it when the session is next opened. */
  #failUnrecordedRun(error: unknown): RunResult {
    const failure = toFailure(error, this.runId, this.#deps.log);
    this.#notify('error', failure);
    this.#session.change({ status: 'stopped', outcome: 'failed', reason: failure.message });
    return { success: false, error: failure.message };
  }

  #failureReason(facts: RunFacts, exit: ExitInfo, result: RunResult): EngineFailure | undefined {
    const { label, attempts } = this.#plan;
    const ids = attempts.filter((id) => id !== null);
    const hasPrinted = this.#feed.output.bytes.stdout > 0;
    return failureReason({
      label,
      ids,
      program: this.#state.launched?.program ?? '',
      hasPrinted,
      facts,
      exit,
      result,
    });
  }

  #stopClosing(): void {
    clearTimeout(this.#closeTimer);
    this.#closeTimer = undefined;
  }

  #figuresContext(): FiguresContext {
    return { ...this.#plan.figures, agentVersion: this.#state.launched?.version ?? null };
  }

  #notify(severity: 'warning' | 'error', failure: EngineFailure): void {
    this.#deps.log.warn(`${this.#session.id}: ${failure.message}`);
    this.#session.notices.fire({ severity, failure });
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
