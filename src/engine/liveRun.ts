import type { RecordedRun } from '../formats/record.ts';
import { EventTeller } from '../formats/events.ts';
import type { EntryUpdate, NormalizedEntry } from '../model/entry.ts';
import type { ExitInfo, RunFacts } from '../model/facts.ts';
import type { Normalizer, NormalizerContext } from '../model/normalizer.ts';
import type { RunResult } from '../model/result.ts';
import { moveRun, moveSession } from '../model/status.ts';
import type { AgentProcess } from './agentProcess.ts';
import type { Conversation, Log, SessionSizes } from './api.ts';
import { EngineFailure, failures, whyFailed } from './failures.ts';
import type { LadderStep } from './processTree.ts';
import type { RawLog } from './record/contract.ts';
import { estimateOf, isStep, knownOf, resultOf, summaryOf, type FiguresContext } from './runFigures.ts';
import { RunOutput } from './runOutput.ts';
import type { ActiveRun, SessionState } from './sessionState.ts';
import type { SideFiles } from './sideFiles.ts';

export interface Launched {
  readonly process: AgentProcess;
  /** The id that the agent will use, where we chose it. */
  readonly sessionId: string | null;
  readonly program: string;
  readonly version: string | null;
  /** What the agent writes beside its output. */
  readonly side?: SideFiles;
}

export interface Note {
  readonly subtype: string;
  readonly content: string;
}

export interface RunPlan {
  readonly run: RecordedRun;
  readonly runnerId: string;
  readonly label: string;
  readonly workDir: string;
  /** What the agent is given: the prompt, or more. */
  readonly agentPrompt: string;
  /** System messages between the prompt and the output. */
  readonly notes: readonly Note[];
  readonly figures: Omit<FiguresContext, 'agentVersion'>;
  /** Ids to resume by, tried in this order; `null` is a new conversation. None: nothing is launched. */
  readonly attempts: readonly (string | null)[];
  createNormalizer(context: NormalizerContext): Normalizer;
  /** @throws EngineFailure */
  launch(resume: string | null): Promise<Launched>;
}

export interface RunDeps {
  readonly clock: () => number;
  readonly log: Log;
  readonly silenceMs: number;
}

/** Often enough to watch, seldom enough to cost nothing. */
const estimateEveryMs = 300;

/** Of one run; stderr is rare, and what comes after so much of it may be out of order when it is made again. */
const maxOrderNotes = 10_000;

/** One run from its prompt to its result. Owns the writer of the session's record while it lasts. */
export class LiveRun implements ActiveRun {
  readonly done: Promise<RunResult>;
  readonly conversation: Conversation | null = null;
  readonly #state: SessionState;
  readonly #plan: RunPlan;
  readonly #deps: RunDeps;
  readonly #events: EventTeller;
  #run: RecordedRun;
  #process: AgentProcess | null = null;
  #program = '';
  #version: string | null = null;
  #output: RunOutput;
  #stopping = false;
  /** What is to be said of its end is settled; a stop comes too late. */
  #over = false;
  #steps = 0;
  #orderNotes = 0;
  readonly #earlierBytes = { stdout: 0, stderr: 0 };
  readonly #sizesBefore: SessionSizes;
  #estimated = 0;
  #estimateTimer: NodeJS.Timeout | undefined;
  #finished: (result: RunResult) => void = () => undefined;

  constructor(state: SessionState, plan: RunPlan, deps: RunDeps) {
    this.#state = state;
    this.#plan = plan;
    this.#deps = deps;
    this.#run = plan.run;
    this.#sizesBefore = state.sizes;
    this.#events = new EventTeller(state.id);
    this.#output = this.#newOutput(null);
    this.done = new Promise((resolve) => {
      this.#finished = resolve;
    });
  }

  get runId(): string {
    return this.#plan.run.run_id;
  }

  /** Resolves when the agent runs. @throws EngineFailure when it does not come to run; that is recorded then. */
  async start(): Promise<void> {
    const { attempts } = this.#plan;
    let launched: Launched;
    try {
      await this.#prologue();
      const [first] = attempts;
      if (first === undefined || this.#stopping) {
        await this.#moveTo('running');
        await this.#finish({ code: 0, signal: null });
        return;
      }
      launched = await this.#launch(first);
    } catch (error) {
      const failure = this.#failureOf(error);
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
      if (first) await this.#moveTo('stopping');
      await this.#end(steps);
    }
    await this.done;
  }

  async #end(steps?: readonly LadderStep[]): Promise<void> {
    const survivors = (await this.#process?.stop(steps)) ?? [];
    if (survivors.length > 0) this.#notify('error', failures.ignoresSignals(this.#plan.label, survivors));
  }

  async #prologue(): Promise<void> {
    const { summary } = this.#state;
    const at = this.#now();
    await this.#state.changeRun(this.#run);
    await this.#state.tell([this.#events.start(at)]);
    const known = summary.executor_session_id !== undefined || summary.model !== null;
    const prompt: NormalizedEntry = {
      index: this.#run.first_index,
      timestamp: at,
      type: { kind: 'user_message' },
      content: this.#run.prompt,
      ...(known ? { metadata: { sessionId: summary.executor_session_id ?? null, model: summary.model } } : {}),
      origin: 'human',
    };
    await this.#apply([{ op: 'put', entry: prompt }]);
    for (const note of this.#plan.notes) await this.#note(note);
    await this.#state.append(this.#state.summaryLine());
    await this.#state.writer?.flush();
    this.#run = { ...moveRun(this.#run, 'claimed', this.#now()), runner_id: this.#plan.runnerId };
    await this.#state.changeRun(this.#run);
  }

  async #launch(resume: string | null): Promise<Launched> {
    const launched = await this.#plan.launch(resume);
    this.#process = launched.process;
    this.#program = launched.program;
    this.#version = launched.version;
    this.#output = this.#newOutput(resume, launched.sessionId);
    await this.#state.append({
      kind: 'decision',
      decision: {
        type: 'attempt',
        at: this.#now(),
        run_id: this.runId,
        resume,
        afresh: this.#plan.figures.afresh,
        program: launched.program,
        version: launched.version,
        conversation: launched.sessionId,
        // Where the output of this attempt begins, so that the entries can be made again from the raw log.
        first_index: this.#state.total,
        stdout_offset: this.#earlierBytes.stdout,
        stderr_offset: this.#earlierBytes.stderr,
      },
    });
    if (launched.sessionId !== null && resume === null) await this.#state.learnIds([launched.sessionId]);
    if (launched.version !== null) this.#state.change({ agent_version: launched.version });
    if (this.#stopping) void this.#end();
    return launched;
  }

  /** Reads one process to its end, and the next where the agent did not know the conversation. */
  async #play(launched: Launched, others: readonly (string | null)[]): Promise<void> {
    try {
      const exit = await this.#consume(launched);
      const [next] = others;
      if (next !== undefined && next !== null && !this.#stopping && this.#output.facts().unknownSession) {
        await this.#note({
          subtype: 'resume_retry',
          content: `${this.#plan.label} does not know this conversation by the id it was asked for. Trying the other one, \`${next}\`.`,
        });
        this.#earlierBytes.stdout += this.#output.bytes.stdout;
        this.#earlierBytes.stderr += this.#output.bytes.stderr;
        await this.#play(await this.#launch(next), others.slice(1));
        return;
      }
      await this.#finish(exit);
    } catch (error) {
      await this.#end([]).catch(() => undefined);
      await this.#finish({ code: null, signal: null }, this.#failureOf(error));
    }
  }

  async #consume({ process, side }: Launched): Promise<ExitInfo> {
    const { writer } = this.#state;
    if (writer === null) throw new Error('A run needs the writer of its record.');
    const logs: Partial<Record<'stdout' | 'stderr', RawLog>> = {};
    const silence = setTimeout(() => {
      this.#notify('warning', failures.silent(this.#plan.label, Math.round(this.#deps.silenceMs / 1000)));
    }, this.#deps.silenceMs);
    try {
      for await (const { type, data, timestamp } of process.output) {
        clearTimeout(silence);
        const log = (logs[type] ??= writer.rawStream(this.runId, type));
        await log.write(data);
        if (type === 'stderr') await this.#noteOrder(data.length);
        const at = timestamp.getTime();
        await this.#apply([...(side?.take(this.#output, at) ?? []), ...this.#output.push(type, data, at)]);
        this.#estimateSoon();
      }
    } finally {
      clearTimeout(silence);
      side?.stop();
    }
    const exit = await process.exit;
    const leftovers = await process.leftovers();
    const at = this.#deps.clock();
    const beside = await side?.end(this.#output, at);
    await this.#apply([...(beside?.updates ?? []), ...this.#output.end(exit, at)]);
    await this.#apply(this.#state.recent.unsettled().map((entry) => ({ op: 'put', entry })));
    if (beside !== undefined && beside.note !== null) await this.#note(beside.note);
    if (leftovers > 0) {
      const many =
        leftovers === 1 ? 'A process that it had started was' : `${leftovers} processes that it had started were`;
      await this.#note({
        subtype: 'leftovers',
        content: `${many} still running when ${this.#plan.label} ended, and ended too.`,
      });
    }
    await Promise.all([logs.stdout?.close(), logs.stderr?.close()]);
    return exit;
  }

  /** Where among stdout this came: entries made again from the raw logs then have the same order. */
  async #noteOrder(bytes: number): Promise<void> {
    this.#orderNotes += 1;
    if (this.#orderNotes > maxOrderNotes) return;
    const { stdout, stderr } = this.#output.bytes;
    const decision = { type: 'output_order', at: this.#now(), run_id: this.runId, stdout, stderr: stderr + bytes };
    await this.#state.append({ kind: 'decision', decision });
  }

  async #finish(exit: ExitInfo, cause?: EngineFailure): Promise<void> {
    this.#over = true;
    clearTimeout(this.#estimateTimer);
    const stopped = this.#stopping;
    const state = this.#state;
    const facts = this.#output.facts();
    const nothingRan = this.#plan.attempts.length === 0;
    const result = resultOf(facts, exit, this.#figures());
    const failure = cause ?? (nothingRan || stopped ? undefined : this.#whyFailed(facts, exit, result));
    const status = stopped
      ? 'stopped'
      : failure !== undefined || !(nothingRan || result.success)
        ? 'failed'
        : 'completed';
    if (failure !== undefined) this.#notify('error', failure);
    const reason = status === 'completed' ? undefined : (failure?.message ?? result.error);

    const at = this.#now();
    this.#run = { ...moveRun(this.#run, status, at), end_index: state.total, steps: this.#steps };
    if (reason !== undefined && status === 'failed') this.#run.error = reason;
    const metadata = nothingRan ? undefined : result.metadata;
    await state.writer?.appendAll(facts.messages.map((usage) => ({ kind: 'usage', run_id: this.runId, usage })));
    if (metadata !== undefined) await state.append({ kind: 'result', run_id: this.runId, result: metadata });
    await state.changeRun(this.#run, metadata);
    await this.#state.learnIds(facts.sessionIds);
    await state.tell([this.#events.stop(at, stopped ? 'stopped' : (metadata?.endReason ?? status), exit.code)]);
    this.#measure(facts);
    await state.changeSession(moveSession(state.session, stopped ? 'stopped' : 'finished'), {
      ...knownOf(facts),
      ...(metadata === undefined ? {} : summaryOf(metadata)),
      outcome: status,
      reason,
      entries: state.total,
      unknown_lines: state.sizes.unknownLines,
      malformed_lines: state.sizes.malformedLines,
      updated_at: at,
    });
    await state.append(state.summaryLine());
    await state.writer?.flush();
    await state.giveBackWriter();
    state.run = null;
    state.change({});
    this.#finished(failure === undefined ? result : { ...result, success: false, error: reason ?? failure.message });
  }

  #whyFailed(facts: RunFacts, exit: ExitInfo, result: RunResult): EngineFailure | undefined {
    const { label, attempts } = this.#plan;
    const ids = attempts.filter((id) => id !== null);
    const printed = this.#output.bytes.stdout > 0;
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

  async #apply(updates: readonly EntryUpdate[]): Promise<void> {
    let next = this.#state.total;
    for (const update of updates) {
      if (update.op !== 'put' || update.entry.index < next) continue;
      next = update.entry.index + 1;
      if (isStep(update.entry)) this.#steps += 1;
    }
    this.#state.countSteps(this.runId, this.#steps);
    const at = this.#now();
    await this.#state.apply(updates, at, this.#events.tell(updates, at));
  }

  async #note({ subtype, content }: Note): Promise<void> {
    const entry: NormalizedEntry = {
      index: this.#state.total,
      timestamp: this.#now(),
      type: { kind: 'system_message', subtype },
      content,
      origin: 'system',
    };
    await this.#apply([{ op: 'put', entry }]);
  }

  #estimateSoon(): void {
    this.#estimateTimer ??= setTimeout(
      () => {
        this.#estimateTimer = undefined;
        this.#estimated = this.#deps.clock();
        const facts = this.#output.facts();
        this.#measure(facts);
        this.#state.change({ ...estimateOf(facts, this.#figures()), entries: this.#state.total });
        void this.#state.learnIds(facts.sessionIds);
      },
      Math.max(0, this.#estimated + estimateEveryMs - this.#deps.clock()),
    );
  }

  #figures(): FiguresContext {
    return { ...this.#plan.figures, agentVersion: this.#version };
  }

  #measure({ lines }: RunFacts): void {
    const { stdout, stderr } = this.#output.bytes;
    const earlier = this.#earlierBytes;
    const { rawBytes, unknownLines, malformedLines } = this.#sizesBefore;
    this.#state.sizes = {
      rawBytes: rawBytes + earlier.stdout + earlier.stderr + stdout + stderr,
      unknownLines: unknownLines + lines.unknown,
      malformedLines: malformedLines + lines.malformed,
    };
  }

  #newOutput(resume: string | null, sessionId: string | null = null): RunOutput {
    const { workDir, agentPrompt } = this.#plan;
    const ids = { ...(resume !== null && { resume }), ...(sessionId !== null && { sessionId }) };
    const context = { workDir, firstIndex: this.#state.total, prompt: agentPrompt, ...ids };
    return new RunOutput(this.#plan.createNormalizer(context));
  }

  #failureOf(error: unknown): EngineFailure {
    if (EngineFailure.is(error)) return error;
    this.#deps.log.error(`${this.runId}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return failures.internal(error instanceof Error ? error.message : String(error));
  }

  #notify(severity: 'warning' | 'error', failure: EngineFailure): void {
    this.#deps.log.warn(`${this.#state.id}: ${failure.message}`);
    this.#state.notices.fire({ severity, failure });
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
