import type { RecordedRun } from '../formats/record.ts';
import type { ExitInfo, RunFacts } from '../model/facts.ts';
import type { AgentRequest, Decision } from '../model/request.ts';
import type { RunResult } from '../model/result.ts';
import { moveRun, moveSession } from '../model/status.ts';
import type { AgentProcess } from './agentProcess.ts';
import type { Conversation } from './api.ts';
import { LiveBudget, reachedNote } from './budget/liveBudget.ts';
import { LiveConversation } from './conversation.ts';
import { endNotes } from './endNotes.ts';
import { failureOf } from './failureOf.ts';
import { type EngineFailure, failures } from './failures.ts';
import type { LadderStep } from './process/tree.ts';
import { promptEntry } from './promptEntry.ts';
import { decisionLine, needsYou } from './requestRecord.ts';
import { RunFeed } from './runFeed.ts';
import { estimateOf, knownOf, resultOf, summaryOf, type FiguresContext } from './runFigures.ts';
import type { Launched, RunDeps, RunPlan } from './runPlan.ts';
import type { ActiveRun, SessionState } from './sessionState.ts';
import { unreportedChanges } from './snapshot/note.ts';
import { whyFailed } from './whyFailed.ts';

/** Often enough to watch, seldom enough to cost nothing. */
const estimateEveryMs = 300;

/** One run from its prompt to its result. Owns the writer of the session's record while it lasts. */
export class LiveRun implements ActiveRun {
  readonly done: Promise<RunResult>;
  readonly #state: SessionState;
  readonly #plan: RunPlan;
  readonly #deps: RunDeps;
  readonly #feed: RunFeed;
  readonly #conversation: LiveConversation;
  readonly #budget: LiveBudget;
  #run: RecordedRun;
  #process: AgentProcess | null = null;
  #program = '';
  #version: string | null = null;
  /** The process is one that is spoken with. */
  #speaks = false;
  #stopping = false;
  /** Stopped in a way of its own: there is no time for more. */
  #hurried = false;
  /** What is to be said of its end is settled; a stop comes too late. */
  #over = false;
  /** Why the conversation could not go on. */
  #cause: EngineFailure | undefined;
  /** Runs since the agent was told that there is nothing more. */
  #closing: NodeJS.Timeout | undefined;
  /** It was made to end then. `as_expected`: it never does by itself. */
  #closed: 'late' | 'as_expected' | null = null;
  #estimated = 0;
  #estimateTimer: NodeJS.Timeout | undefined;
  #finished: (result: RunResult) => void = () => undefined;

  constructor(state: SessionState, plan: RunPlan, deps: RunDeps) {
    this.#state = state;
    this.#plan = plan;
    this.#deps = deps;
    this.#run = plan.run;
    this.#conversation = this.#newConversation();
    this.#feed = new RunFeed({ state, plan, clock: deps.clock, stdout: this.#conversation });
    const stop = (): void => void this.stop();
    const isOver = (): boolean => this.#conversation.isOver;
    const leaveToEnd = (): void => this.#closeIn(deps.closeMs, 'late');
    this.#budget = new LiveBudget({ state, plan, feed: this.#feed, clock: deps.clock, stop, isOver, leaveToEnd });
    this.done = new Promise((resolve) => {
      this.#finished = resolve;
    });
  }

  get runId(): string {
    return this.#plan.run.run_id;
  }

  get conversation(): Conversation | null {
    return this.#speaks && !this.#over ? this.#conversation : null;
  }

  counted(): { readonly responses: number; readonly active_ms: number } {
    return this.#budget.counted(undefined);
  }

  /** Resolves when the agent runs. @throws EngineFailure when it does not come to run; that is recorded then. */
  async start(): Promise<void> {
    const { attempts } = this.#plan;
    let launched: Launched;
    // While the record is being prepared; the agent waits for it.
    void this.#plan.watch?.begin();
    try {
      await this.#prologue();
      const [first] = attempts;
      if (first === undefined || this.#stopping) {
        await this.#moveTo('running');
        await this.#finish({ code: 0, signal: null });
        return;
      }
      await this.#budget.begin();
      launched = await this.#launch(first);
    } catch (error) {
      const failure = failureOf(error, this.runId, this.#deps.log);
      await this.#finish({ code: null, signal: null }, failure);
      throw failure;
    }
    await this.#moveTo('running');
    void this.#play(launched, attempts.slice(1));
  }

  async stop(steps?: readonly LadderStep[]): Promise<void> {
    if (!this.#over) {
      const first = !this.#stopping;
      this.#stopping = true;
      this.#hurried = steps !== undefined;
      this.#conversation.end();
      if (first) await this.#moveTo('stopping');
      if (first && steps === undefined) await this.#conversation.stopTurn(this.#deps.turnMs);
      await this.#end(steps);
    }
    await this.done;
  }

  async #end(steps?: readonly LadderStep[]): Promise<void> {
    const survivors = (await this.#process?.stop(steps)) ?? [];
    if (survivors.length > 0) this.#notify('error', failures.ignoresSignals(this.#plan.label, survivors));
  }

  #newConversation(): LiveConversation {
    const { clock, requestMs, interactive, closeMs, goOnMs } = this.#deps;
    const { label, workDir } = this.#plan;
    const state = this.#state;
    return new LiveConversation({
      label,
      clock,
      requestMs,
      goOnMs,
      interactive,
      workDir,
      tell: (line) => this.#feed.tell(line),
      onDecision: (request: AgentRequest, decision: Decision) =>
        void state.append(decisionLine(this.runId, request, decision)),
      onChange: () => {
        const needs_you = needsYou(this.#conversation.pending());
        if (needs_you !== state.summary.needs_you) state.change({ needs_you });
        this.#budget.waits(needs_you !== undefined);
        state.conversations.fire();
      },
      mayGoOn: () => this.#budget.mayGoOn(this.#figures()),
      onClosed: (endsItself) => this.#closeIn(endsItself ? closeMs : 0, endsItself ? 'late' : 'as_expected'),
      onFailure: (message) => {
        this.#cause ??= failures.agentFailed(label, message);
        void this.#end();
      },
    });
  }

  #closeIn(ms: number, closed: 'late' | 'as_expected'): void {
    this.#closing ??= setTimeout(() => {
      if (this.#stopping) return;
      this.#closed = closed;
      void this.#end();
    }, ms);
  }

  async #prologue(): Promise<void> {
    const { summary } = this.#state;
    const at = this.#now();
    await this.#state.changeRun(this.#run);
    await this.#state.tell([this.#feed.events.start(at)]);
    const prompt = promptEntry(this.#run, summary, this.#plan.promptOrigin, at);
    await this.#feed.apply([{ op: 'put', entry: prompt }]);
    for (const note of this.#plan.notes) await this.#feed.note(note);
    await this.#state.append(this.#state.summaryLine());
    await this.#state.writer?.flush();
    this.#run = { ...moveRun(this.#run, 'claimed', this.#now()), runner_id: this.#plan.runnerId };
    await this.#state.changeRun(this.#run);
  }

  async #launch(resume: string | null): Promise<Launched> {
    await this.#plan.watch?.begin();
    const launched = await this.#plan.launch(resume);
    const { process, program, version, sessionId, dialogue } = launched;
    this.#process = process;
    this.#budget.leaveUsdToAgent(launched.holdsUsd === true);
    this.#program = program;
    this.#version = version;
    this.#closed = null;
    const { stdout, stderr, client } = this.#feed.offsets;
    await this.#state.append({
      kind: 'decision',
      decision: {
        type: 'attempt',
        at: this.#now(),
        run_id: this.runId,
        resume,
        afresh: this.#plan.figures.afresh,
        asked_model: this.#plan.figures.askedModel,
        program,
        version,
        conversation: sessionId,
        // Where the output of this attempt begins, so that the entries can be made again from the raw logs.
        first_index: this.#state.total,
        stdout_offset: stdout,
        stderr_offset: stderr,
        client_offset: client,
      },
    });
    this.#feed.begin(resume, sessionId);
    if (sessionId !== null && resume === null) await this.#state.learnIds([sessionId]);
    if (version !== null) this.#state.change({ agent_version: version });
    this.#speaks = dialogue !== undefined;
    if (dialogue !== undefined && process.input) this.#conversation.attach(process.input, dialogue);
    if (this.#stopping) void this.#end();
    return launched;
  }

  /** Reads one process to its end, and the next where the agent did not know the conversation. */
  async #play(launched: Launched, others: readonly (string | null)[]): Promise<void> {
    try {
      const [next] = others;
      const isUnknown = (): boolean => !this.#stopping && this.#feed.output.facts().unknownSession;
      const exit = await this.#consume(launched, () => typeof next === 'string' && isUnknown());
      if (typeof next === 'string' && isUnknown()) {
        await this.#feed.note({
          subtype: 'resume_retry',
          content: `${this.#plan.label} does not know this conversation by the id it was asked for. Trying the other one, \`${next}\`.`,
        });
        await this.#play(await this.#launch(next), others.slice(1));
        return;
      }
      await this.#finish(exit, this.#cause);
    } catch (error) {
      await this.#end([]).catch(() => undefined);
      const exit = { code: null, signal: null };
      await this.#finish(exit, failureOf(error, this.runId, this.#deps.log)).catch((again: unknown) =>
        this.#abandon(exit, again),
      );
    }
  }

  /** `goesOn`: what waits to be said waits for another process. */
  async #consume({ process, side }: Launched, goesOn: () => boolean): Promise<ExitInfo> {
    const { label } = this.#plan;
    const silence = setTimeout(() => {
      this.#notify('warning', failures.silent(label, Math.round(this.#deps.silenceMs / 1000)));
    }, this.#deps.silenceMs);
    try {
      for await (const chunk of process.output) {
        clearTimeout(silence);
        this.#closing?.refresh();
        await this.#feed.take(chunk, side);
        this.#budget.look(this.#figures());
        this.#estimateSoon();
      }
    } finally {
      clearTimeout(silence);
      side?.stop();
    }
    const ended = await process.exit;
    clearTimeout(this.#closing);
    this.#closing = undefined;
    // What runs for the agent is known by its lease, which goes with the leftovers.
    await this.#conversation.detach();
    const leftovers = await process.leftovers();
    if (!goesOn()) this.#conversation.end();
    // It was stopped because it was not needed any more: no sign of how the run went.
    const exit = this.#closed !== null && !this.#stopping ? { code: 0, signal: null } : ended;
    await this.#feed.end(exit, side);
    const late = this.#closed === 'late' && !this.#stopping;
    for (const note of endNotes(label, { late, leftovers })) await this.#feed.note(note);
    return exit;
  }

  async #finish(exit: ExitInfo, cause?: EngineFailure): Promise<void> {
    this.#conversation.end();
    this.#over = true;
    clearTimeout(this.#estimateTimer);
    clearTimeout(this.#closing);
    const state = this.#state;
    if (this.#process !== null) await this.#compare();
    this.#plan.watch?.leave();
    const facts = this.#feed.output.facts();
    const nothingRan = this.#plan.attempts.length === 0;
    const result = this.#budget.settle(resultOf(facts, exit, this.#figures()), this.#conversation.leftUnsaid);
    const reached = result.metadata?.budget;
    if (reached !== undefined) await this.#feed.note(reachedNote(reached));
    // It had done all it was to do when a limit asked for the end.
    const done = this.#budget.tripped && reached === undefined && result.success;
    const stopped = reached !== undefined || (this.#stopping && !done) || this.#conversation.endedByUser;
    const failure = cause ?? (nothingRan || stopped ? undefined : this.#whyFailed(facts, exit, result));
    const status = stopped
      ? 'stopped'
      : failure !== undefined || !(nothingRan || result.success)
        ? 'failed'
        : 'completed';
    if (failure !== undefined) this.#notify('error', failure);
    const reason = status === 'completed' ? undefined : (failure?.message ?? result.error);

    const at = this.#now();
    const metadata = nothingRan ? undefined : result.metadata;
    const counted = { steps: this.#feed.steps, ...this.#budget.counted(metadata) };
    this.#run = { ...moveRun(this.#run, status, at), end_index: state.total, ...counted };
    if (reason !== undefined && status === 'failed') this.#run.error = reason;
    await state.writer?.appendAll(facts.messages.map((usage) => ({ kind: 'usage', run_id: this.runId, usage })));
    if (metadata !== undefined) await state.append({ kind: 'result', run_id: this.runId, result: metadata });
    await state.changeRun(this.#run, metadata);
    await this.#state.learnIds(facts.sessionIds);
    await state.tell([this.#feed.events.stop(at, stopped ? 'stopped' : (metadata?.endReason ?? status), exit.code)]);
    this.#feed.measure(facts);
    // A new conversation that never answered replaces nothing: the earlier one can still be resumed.
    const ids = status === 'failed' && counted.responses === 0 ? this.#plan.replacedIds : undefined;
    await state.changeSession(
      { ...moveSession(state.session, stopped ? 'stopped' : 'finished'), ...ids },
      {
        ...knownOf(facts),
        ...(metadata === undefined ? {} : summaryOf(metadata, state.summary, this.#run)),
        ...(reached !== undefined && { budget: { ...state.summary.budget, reached } }),
        outcome: status,
        reason,
        entries: state.total,
        unknown_lines: state.sizes.unknownLines,
        malformed_lines: state.sizes.malformedLines,
        updated_at: at,
      },
    );
    await state.append(state.summaryLine());
    await state.writer?.flush();
    await state.giveBackWriter();
    state.forgetRun();
    state.change({});
    state.conversations.fire();
    this.#finished(failure === undefined ? result : { ...result, success: false, error: reason ?? failure.message });
  }

  /** The end of the run could not be recorded. Whoever waits for it is released; the next who opens the session settles it. */
  async #abandon(exit: ExitInfo, error: unknown): Promise<void> {
    const failure = failureOf(error, this.runId, this.#deps.log);
    const state = this.#state;
    await state.giveBackWriter().catch(() => undefined);
    state.forgetRun();
    state.conversations.fire();
    this.#notify('error', failure);
    const result = resultOf(this.#feed.output.facts(), exit, this.#figures());
    this.#finished({ ...result, success: false, error: failure.message });
  }

  async #compare(): Promise<void> {
    // Whoever ends runs to leave does not wait for that.
    if (this.#plan.watch === undefined || this.#hurried) return;
    const { line, note } = await unreportedChanges(this.#plan.watch, this.runId, () => this.#now());
    await this.#state.append(line);
    if (note !== null) await this.#feed.note(note);
  }

  #whyFailed(facts: RunFacts, exit: ExitInfo, result: RunResult): EngineFailure | undefined {
    const { label, attempts } = this.#plan;
    const ids = attempts.filter((id) => id !== null);
    const printed = this.#feed.output.bytes.stdout > 0;
    return whyFailed({ label, ids, program: this.#program, printed, facts, exit, result });
  }

  async #moveTo(to: 'running' | 'stopping'): Promise<void> {
    const { status } = this.#run;
    const session = this.#state.session;
    // Stopped while it was being started: the start then only finds out that it is over.
    if (to === 'running' && status !== 'claimed') return;
    if (to === 'stopping' && status !== 'claimed' && status !== 'running') return;
    this.#run = moveRun(this.#run, to, this.#now());
    await Promise.all([this.#state.changeRun(this.#run), this.#state.changeSession(moveSession(session, to))]);
  }

  #estimateSoon(): void {
    this.#estimateTimer ??= setTimeout(
      () => {
        this.#estimateTimer = undefined;
        this.#estimated = this.#deps.monotonic();
        const facts = this.#feed.output.facts();
        this.#feed.measure(facts);
        const { change, ...models } = estimateOf(facts, this.#figures());
        this.#state.models = models;
        this.#state.messages = facts.messages;
        this.#state.change({ ...change, entries: this.#state.total });
        void this.#state.learnIds(facts.sessionIds);
      },
      Math.max(0, this.#estimated + estimateEveryMs - this.#deps.monotonic()),
    );
  }

  #figures(): FiguresContext {
    return { ...this.#plan.figures, agentVersion: this.#version };
  }

  #notify(severity: 'warning' | 'error', failure: EngineFailure): void {
    this.#deps.log.warn(`${this.#state.id}: ${failure.message}`);
    this.#state.notices.fire({ severity, failure });
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
