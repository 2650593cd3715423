import { EventBuilder } from '../../formats/events.ts';
import { TurnCount } from '../../insight/budgets/turnCount.ts';
import type { RecordLine } from '../../formats/record.ts';
import type { ClientLine } from '../../model/transcript/clientLine.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../model/transcript/event.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { SessionSizes } from '../api.ts';
import type { OutputChunk } from '../output/outputChunks.ts';
import type { RawLog, RawStream } from '../record/contract.ts';
import { addSteps, noSteps, type RunSteps } from './runFigures.ts';
import { PromptMetadata } from '../prompt/promptEntry.ts';
import { RunOutput, type Stdout } from '../output/runOutput.ts';
import type { Note } from './note.ts';
import type { LaunchedAgent, RunPlan } from './runPlan.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import type { SideFiles } from '../output/sideFiles.ts';

export interface RunFeedDeps {
  readonly state: SessionState;
  readonly plan: RunPlan;
  readonly clock: () => number;
  /** Gets the agent's stdout. */
  readonly stdout: Stdout;
}

/** Per run. After this, replaying the raw logs may give another order. */
const maxOrderNotes = 10_000;

/** Sources that are read after the process has ended. */
interface RunFiles {
  readonly sideFiles: LaunchedAgent['sideFiles'];
  readonly stored: LaunchedAgent['stored'];
}

/**
 * Creates all entries of one run in order: writes the output of its processes and Vitrine's messages to raw logs,
 * transcript and record.
 */
export class RunFeed {
  readonly events: EventBuilder;
  steps: RunSteps = noSteps;
  readonly #turns = new TurnCount();
  readonly #prompt: PromptMetadata;
  readonly #deps: RunFeedDeps;
  readonly #sizesBefore: SessionSizes;
  readonly #logs = new Map<RawStream, RawLog>();
  readonly #startOffsets: Record<RawStream, number> = { stdout: 0, stderr: 0, client: 0 };
  #output: RunOutput;
  #hasEnded = true;
  #orderNoteCount = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: RunFeedDeps) {
    this.#deps = deps;
    this.#sizesBefore = deps.state.sizes;
    this.events = new EventBuilder(deps.state.id);
    this.#prompt = new PromptMetadata(deps.plan.run.first_index);
    this.#output = this.#createOutput(null, null);
  }

  /** Output of the current or last process. */
  get output(): RunOutput {
    return this.#output;
  }

  /** Number of model responses in the main conversation. */
  get turns(): number {
    return this.#turns.count(this.#output.facts());
  }

  /** Whether the newest response calls a tool. */
  get callsTool(): boolean {
    return this.#turns.callsTool;
  }

  /** Offsets in the raw logs for the output of the next process. */
  get offsets(): Readonly<Record<RawStream, number>> {
    return { ...this.#startOffsets };
  }

  /** Updates the session's output sizes, over all runs. */
  measure({ lines }: Pick<RunFacts, 'lines'>): void {
    const { stdout, stderr } = this.#output.bytes;
    const { rawBytes, unknownLines, malformedLines } = this.#sizesBefore;
    this.#deps.state.sizes = {
      rawBytes:
        rawBytes + this.#startOffsets.stdout + this.#startOffsets.stderr + (this.#hasEnded ? 0 : stdout + stderr),
      unknownLines: unknownLines + lines.unknown,
      malformedLines: malformedLines + lines.malformed,
    };
  }

  /** Call before a process prints. */
  begin(resume: string | null, sessionId: string | null): void {
    this.#output = this.#createOutput(resume, sessionId);
    this.#hasEnded = false;
  }

  /** Handles a chunk of output, then new lines of side files. */
  processChunk({ type, data, timestamp }: OutputChunk, side: SideFiles | undefined): Promise<void> {
    return this.#serialize(async () => {
      await this.#openLog(type).write(data);
      if (type === 'stderr') await this.#recordStreamPosition(type, data.length);
      const at = timestamp.getTime();
      await this.apply([...(side?.readUpdates(this.#output, at) ?? []), ...this.#output.push(type, data, at)]);
    });
  }

  /** Reads side files without waiting for more output. */
  processSideFiles(side: SideFiles): Promise<void> {
    return this.#serialize(async () => {
      if (!this.#hasEnded) await this.apply(side.readUpdates(this.#output, this.#deps.clock()));
    });
  }

  /** Adds a message or decision of Vitrine after everything received so far. */
  addClientLine(line: ClientLine): void {
    const at = this.#deps.clock();
    void this.#serialize(async () => {
      // Too late: the transcript has ended.
      if (this.#hasEnded) return;
      const data = Buffer.from(`${JSON.stringify({ ...line, at: new Date(at).toISOString() })}\n`);
      await this.#openLog('client').write(data);
      await this.#recordStreamPosition('client', data.length);
      await this.apply(this.#output.push('client', data, at));
    });
  }

  /** Settles when everything received so far has been passed to the record. */
  async whenWritten(): Promise<void> {
    await this.#last;
  }

  /** Call after exit, when all output was received. */
  end(exit: ExitInfo, { sideFiles, stored }: RunFiles): Promise<void> {
    return this.#serialize(async () => {
      const at = this.#deps.clock();
      const sideUpdates = await sideFiles?.end(this.#output, at);
      await this.apply(sideUpdates?.updates ?? this.#output.flush(at));
      const line = await stored?.(this.#output.facts().sessionIds.at(-1));
      if (typeof line === 'string') await this.apply(this.#output.sideLine('store', line, at));
      await this.apply(this.#output.end(exit, at));
      await this.apply(this.#deps.state.recent.unsettled().map((entry) => ({ op: 'put', entry })));
      this.#hasEnded = true;
      for (const stream of ['stdout', 'stderr', 'client'] as const)
        this.#startOffsets[stream] += this.#output.bytes[stream];
      if (sideUpdates !== undefined && sideUpdates.note !== null) await this.addNote(sideUpdates.note);
      await Promise.all([...this.#logs.values()].map((log) => log.close()));
      this.#logs.clear();
    });
  }

  /** Adds a note at any time. */
  async addNoteNow(note: Note): Promise<void> {
    if (this.#hasEnded) await this.addNote(note);
    else this.addClientLine({ type: 'note', subtype: note.subtype, content: note.content });
  }

  /** Adds a note while no process prints. */
  async addNote(note: Note): Promise<void> {
    await this.#deps.state.commit(this.notes([note]));
  }

  /** Record lines for notes, to commit as one batch. `from`: index of the first note; default: the next free one. */
  notes(notes: readonly Note[], from = this.#deps.state.total): RecordLine[] {
    return this.lines(
      notes.map(({ subtype, content, metadata }, at) => ({
        index: from + at,
        timestamp: this.#now(),
        type: { kind: 'system_message', subtype },
        content,
        ...(metadata !== undefined && { metadata }),
        origin: 'system',
      })),
    );
  }

  /** Record lines for new entries, to commit as one batch. */
  lines(entries: readonly NormalizedEntry[]): RecordLine[] {
    const at = this.#now();
    const updates = entries.map((entry): EntryUpdate => ({ op: 'put', entry }));
    const events = this.#applyUpdates(updates, at);
    return [
      ...entries.map((entry): RecordLine => ({ kind: 'entry', entry, received_at: at })),
      ...events.map((event): RecordLine => ({ kind: 'event', event })),
    ];
  }

  async apply(updates: readonly EntryUpdate[]): Promise<void> {
    const at = this.#now();
    const events = this.#applyUpdates(updates, at);
    const prompt = this.#prompt.addRunMetadata(this.#output.facts());
    // In one batch with the entries that name the conversation, so that no reader sees the prompt without it.
    const completed: EntryUpdate[] = prompt === undefined ? [] : [{ op: 'put', entry: prompt }];
    await this.#deps.state.apply([...completed, ...updates], at, events);
  }

  #applyUpdates(updates: readonly EntryUpdate[], at: string): CoordinatorEvent[] {
    const { state, plan } = this.#deps;
    plan.folder.apply(updates);
    let next = state.total;
    for (const update of updates) {
      if (update.op !== 'put' || update.entry.index < next) continue;
      next = update.entry.index + 1;
      this.steps = addSteps(this.steps, [update.entry]);
    }
    this.#turns.apply(updates);
    state.countSteps(plan.run.run_id, this.steps);
    this.#prompt.apply(updates);
    return this.events.eventsOf(updates, at);
  }

  #createOutput(resume: string | null, sessionId: string | null): RunOutput {
    const { plan, state, stdout } = this.#deps;
    const ids = { ...(resume !== null && { resume }), ...(sessionId !== null && { sessionId }) };
    const context = { workDir: plan.workDir, firstIndex: state.total, prompt: plan.agentPrompt, ...ids };
    return new RunOutput(plan.createNormalizer(context), { stdout });
  }

  #openLog(stream: RawStream): RawLog {
    const { state, plan } = this.#deps;
    const known = this.#logs.get(stream);
    if (known !== undefined) return known;
    if (state.writer === null) throw new Error('A run needs a record writer.');
    const log = state.writer.rawStream(plan.run.run_id, stream);
    this.#logs.set(stream, log);
    return log;
  }

  /** Records the position within stdout, so that replaying the raw logs gives the same order. */
  async #recordStreamPosition(stream: 'stderr' | 'client', bytes: number): Promise<void> {
    this.#orderNoteCount += 1;
    if (this.#orderNoteCount > maxOrderNotes) return;
    const { state, plan } = this.#deps;
    const endOffsets = { ...this.#output.bytes };
    endOffsets[stream] += bytes;
    await state.append({
      kind: 'decision',
      decision: { type: 'output_order', at: this.#now(), run_id: plan.run.run_id, ...endOffsets },
    });
  }

  #serialize(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
