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
import type { Launched, RunPlan } from './runPlan.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import type { SideFiles } from '../output/sideFiles.ts';

export interface RunFeedDeps {
  readonly state: SessionState;
  readonly plan: RunPlan;
  readonly clock: () => number;
  /** What is heard of the agent's stdout. */
  readonly stdout: Stdout;
}

/** Of one run; what comes after so much of it may be out of order when it is made again. */
const maxOrderNotes = 10_000;

/** What is read besides the output when the process has ended. */
interface Ending {
  readonly side: Launched['side'];
  readonly stored: Launched['stored'];
}

/**
 * Everything that makes the entries of one run, one after the other: what its processes print and what is said to them,
 * into the raw logs, the transcript and the record.
 */
export class RunFeed {
  readonly events: EventBuilder;
  steps: RunSteps = noSteps;
  readonly #turns = new TurnCount();
  readonly #prompt: PromptMetadata;
  readonly #deps: RunFeedDeps;
  readonly #sizesBefore: SessionSizes;
  readonly #logs = new Map<RawStream, RawLog>();
  readonly #earlier: Record<RawStream, number> = { stdout: 0, stderr: 0, client: 0 };
  #output: RunOutput;
  #over = true;
  #orderNotes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: RunFeedDeps) {
    this.#deps = deps;
    this.#sizesBefore = deps.state.sizes;
    this.events = new EventBuilder(deps.state.id);
    this.#prompt = new PromptMetadata(deps.plan.run.first_index);
    this.#output = this.#newOutput(null, null);
  }

  /** Of the process that continues, or was the last. */
  get output(): RunOutput {
    return this.#output;
  }

  /** Responses of the model in the main conversation. */
  get turns(): number {
    return this.#turns.count(this.#output.facts());
  }

  /** The newest of them has called a tool. */
  get callsTool(): boolean {
    return this.#turns.callsTool;
  }

  /** Where the output of the next process begins in the raw logs. */
  get offsets(): Readonly<Record<RawStream, number>> {
    return { ...this.#earlier };
  }

  /** Tells the session how much was printed, by all processes of all its runs. */
  measure({ lines }: Pick<RunFacts, 'lines'>): void {
    const { stdout, stderr } = this.#output.bytes;
    const { rawBytes, unknownLines, malformedLines } = this.#sizesBefore;
    this.#deps.state.sizes = {
      rawBytes: rawBytes + this.#earlier.stdout + this.#earlier.stderr + (this.#over ? 0 : stdout + stderr),
      unknownLines: unknownLines + lines.unknown,
      malformedLines: malformedLines + lines.malformed,
    };
  }

  /** A process is about to print. */
  begin(resume: string | null, sessionId: string | null): void {
    this.#output = this.#newOutput(resume, sessionId);
    this.#over = false;
  }

  /** What it printed, after what it wrote beside. */
  take({ type, data, timestamp }: OutputChunk, side: SideFiles | undefined): Promise<void> {
    return this.#inTurn(async () => {
      await this.#log(type).write(data);
      if (type === 'stderr') await this.#noteOrder(type, data.length);
      const at = timestamp.getTime();
      await this.apply([...(side?.take(this.#output, at) ?? []), ...this.#output.push(type, data, at)]);
    });
  }

  /** What the process wrote beside its output, without waiting for more of that. */
  takeSide(side: SideFiles): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#over) await this.apply(side.take(this.#output, this.#deps.clock()));
    });
  }

  /** What we ourselves say or decide; comes after everything that was taken before. */
  tell(line: ClientLine): void {
    const at = this.#deps.clock();
    void this.#inTurn(async () => {
      // The last process has ended, and so is its transcript: this came too late.
      if (this.#over) return;
      const data = Buffer.from(`${JSON.stringify({ ...line, at: new Date(at).toISOString() })}\n`);
      await this.#log('client').write(data);
      await this.#noteOrder('client', data.length);
      await this.apply(this.#output.push('client', data, at));
    });
  }

  /** Settles when everything that was taken or told so far was given to the record. */
  async written(): Promise<void> {
    await this.#last;
  }

  /** The process is gone, and all it printed was taken. */
  end(exit: ExitInfo, { side, stored }: Ending): Promise<void> {
    return this.#inTurn(async () => {
      const at = this.#deps.clock();
      const beside = await side?.end(this.#output, at);
      await this.apply(beside?.updates ?? this.#output.flush(at));
      const line = await stored?.(this.#output.facts().sessionIds.at(-1));
      if (typeof line === 'string') await this.apply(this.#output.aside('store', line, at));
      await this.apply(this.#output.end(exit, at));
      await this.apply(this.#deps.state.recent.unsettled().map((entry) => ({ op: 'put', entry })));
      this.#over = true;
      for (const stream of ['stdout', 'stderr', 'client'] as const) this.#earlier[stream] += this.#output.bytes[stream];
      if (beside !== undefined && beside.note !== null) await this.note(beside.note);
      await Promise.all([...this.#logs.values()].map((log) => log.close()));
      this.#logs.clear();
    });
  }

  /** Whether a process prints or not. */
  async noteNow(note: Note): Promise<void> {
    if (this.#over) await this.note(note);
    else this.tell({ type: 'note', subtype: note.subtype, content: note.content });
  }

  /** While no process prints. */
  async note(note: Note): Promise<void> {
    await this.#deps.state.commit(this.notes([note]));
  }

  /** The lines of notes, for a batch that is committed at once. `from`: the index of the first; default the next that is free. */
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

  /** The lines of new entries, for a batch that is committed at once. */
  lines(entries: readonly NormalizedEntry[]): RecordLine[] {
    const at = this.#now();
    const updates = entries.map((entry): EntryUpdate => ({ op: 'put', entry }));
    const events = this.#see(updates, at);
    return [
      ...entries.map((entry): RecordLine => ({ kind: 'entry', entry, received_at: at })),
      ...events.map((event): RecordLine => ({ kind: 'event', event })),
    ];
  }

  async apply(updates: readonly EntryUpdate[]): Promise<void> {
    const at = this.#now();
    const events = this.#see(updates, at);
    const prompt = this.#prompt.complete(this.#output.facts());
    // At once with the entries that name the conversation, so that no one reads those beside a prompt without it.
    const completed: EntryUpdate[] = prompt === undefined ? [] : [{ op: 'put', entry: prompt }];
    await this.#deps.state.apply([...completed, ...updates], at, events);
  }

  #see(updates: readonly EntryUpdate[], at: string): CoordinatorEvent[] {
    const { state, plan } = this.#deps;
    plan.watch?.see(updates);
    let next = state.total;
    for (const update of updates) {
      if (update.op !== 'put' || update.entry.index < next) continue;
      next = update.entry.index + 1;
      this.steps = addSteps(this.steps, [update.entry]);
    }
    this.#turns.see(updates);
    state.countSteps(plan.run.run_id, this.steps);
    this.#prompt.see(updates);
    return this.events.tell(updates, at);
  }

  #newOutput(resume: string | null, sessionId: string | null): RunOutput {
    const { plan, state, stdout } = this.#deps;
    const ids = { ...(resume !== null && { resume }), ...(sessionId !== null && { sessionId }) };
    const context = { workDir: plan.workDir, firstIndex: state.total, prompt: plan.agentPrompt, ...ids };
    return new RunOutput(plan.createNormalizer(context), { stdout });
  }

  #log(stream: RawStream): RawLog {
    const { state, plan } = this.#deps;
    const known = this.#logs.get(stream);
    if (known !== undefined) return known;
    if (state.writer === null) throw new Error('A run needs a record writer.');
    const log = state.writer.rawStream(plan.run.run_id, stream);
    this.#logs.set(stream, log);
    return log;
  }

  /** Where among stdout this came: entries made again from the raw logs then have the same order. */
  async #noteOrder(stream: 'stderr' | 'client', bytes: number): Promise<void> {
    this.#orderNotes += 1;
    if (this.#orderNotes > maxOrderNotes) return;
    const { state, plan } = this.#deps;
    const upTo = { ...this.#output.bytes };
    upTo[stream] += bytes;
    await state.append({
      kind: 'decision',
      decision: { type: 'output_order', at: this.#now(), run_id: plan.run.run_id, ...upTo },
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #now(): string {
    return new Date(this.#deps.clock()).toISOString();
  }
}
