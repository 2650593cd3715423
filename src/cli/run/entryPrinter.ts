import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { requestMetadataSchema } from '../../model/agent/request.ts';
import type { RunResult } from '../../model/session/result.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';

/** A session of the daemon, or of an engine in this process. */
export interface PrintedSession {
  readonly id: string;
  summary(): Pick<SessionSummary, 'agent_label' | 'outcome' | 'reason'>;
  turns(): readonly { readonly firstIndex: number }[];
  entryCount(): number;
  openIndexes(): readonly number[];
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
  /** Settles with the active run; `undefined` if there is none. */
  readonly done: Promise<RunResult | undefined>;
  onUpdates(listener: (updates: readonly EntryUpdate[], total: number) => void): unknown;
}

/** Maximum number of entries in memory for a slow reader. Further ones are read from the record. */
const maxEntriesInMemory = 16;

/** Prints the entries of a run in the order in which they settle, starting with those that have settled. */
export class EntryPrinter {
  readonly #session: PrintedSession;
  readonly #context: CliContext;
  readonly #unprintedEntries: (NormalizedEntry | number)[] = [];
  readonly #deniedIndexes = new Set<number>();
  /** The prompt, until the agent has reported its id and model; printed once, with these. */
  #prompt: NormalizedEntry | undefined;
  /** Index of the prompt, once it is printed. The agent's id may arrive afterwards, as an update of it. */
  #printedPrompt: number | undefined;
  #printing: Promise<void>;

  constructor(session: PrintedSession, context: CliContext, first: number) {
    this.#session = session;
    this.#context = context;
    const open = new Set(session.openIndexes());
    this.#printing = session.read(first, session.entryCount()).then(async (entries) => {
      const settled = entries.filter((entry) => !open.has(entry.index));
      this.#count(settled);
      const [prompt] = settled;
      const isAlone = settled.length === 1 && prompt?.type.kind === 'user_message';
      if (isAlone && prompt.metadata?.sessionId === undefined) this.#prompt = prompt;
      else {
        if (prompt?.type.kind === 'user_message') this.#printedPrompt = prompt.index;
        await writeLines(context.stdout, settled);
      }
    });
    this.#printing.catch(ignoreUntilEnd);
    let next = session.entryCount();
    session.onUpdates((updates, total) => {
      const reported = new Set(updates.map((update) => (update.op === 'put' ? update.entry.index : update.index)));
      // Large batches of entries are only reported in part.
      const unreported = range(next, total).filter((index) => !reported.has(index));
      next = Math.max(next, total);
      const settled = new Map<number, NormalizedEntry>();
      for (const update of updates) {
        if (update.op !== 'put') continue;
        if (update.open === true) settled.delete(update.entry.index);
        else settled.set(update.entry.index, update.entry);
      }
      const entries = [...settled.values()].sort((a, b) => a.index - b.index);
      if (unreported.length + entries.length > 0) this.#add(unreported, entries);
    });
  }

  /** Number of requests denied because nobody could answer. */
  get deniedByNobody(): number {
    return this.#deniedIndexes.size;
  }

  /** Resolves when all settled entries are printed. @throws what reading them throws */
  async whenPrinted(): Promise<void> {
    await this.#printing;
    await this.#write([]);
  }

  #add(unreported: readonly number[], settled: readonly NormalizedEntry[]): void {
    this.#count(settled);
    const isIdle = this.#unprintedEntries.length === 0;
    this.#unprintedEntries.push(...unreported);
    for (const entry of settled)
      this.#unprintedEntries.push(this.#unprintedEntries.length < maxEntriesInMemory ? entry : entry.index);
    if (!isIdle) return;
    this.#printing = this.#printing.then(() => this.#print());
    this.#printing.catch(ignoreUntilEnd);
  }

  #count(settled: readonly NormalizedEntry[]): void {
    for (const { index, metadata } of settled) {
      if (requestMetadataSchema.safeParse(metadata).data?.decision?.by === 'nobody') this.#deniedIndexes.add(index);
    }
  }

  async #print(): Promise<void> {
    while (this.#unprintedEntries.length > 0) {
      const next = this.#unprintedEntries.splice(0, maxEntriesInMemory);
      const entries = await Promise.all(
        next.map(async (pending) =>
          typeof pending === 'number' ? await this.#session.read(pending, pending + 1) : [pending],
        ),
      );
      await this.#write(entries.flat());
    }
  }

  /** Prints the prompt first, and once. */
  async #write(entries: readonly NormalizedEntry[]): Promise<void> {
    const prompt = this.#prompt;
    this.#prompt = undefined;
    if (prompt !== undefined) this.#printedPrompt = prompt.index;
    const others = entries.filter(({ index }) => index !== this.#printedPrompt);
    const first = prompt === undefined ? [] : [entries.find(({ index }) => index === prompt.index) ?? prompt];
    // Without a reader, the run ends elsewhere.
    await writeLines(this.#context.stdout, [...first, ...others]).catch(() => undefined);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** `whenPrinted` throws it. */
function ignoreUntilEnd(): void {
  // A failed write is reported at the end; until then, the run continues.
}
