import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { Line } from '../line.ts';
import type { EntryWriter } from '../../shared/normalizer/entryWriter.ts';

const maxRemembered = 64;

/** Errors and interruptions of a run, each reported once. */
export class RunState {
  readonly #writer: EntryWriter;
  /** Error texts of this turn. */
  readonly #errors = new Set<string>();
  /** Texts of this turn that the program wrote instead of the model: errors, or output of its commands. */
  readonly #synthetic = new Map<string, NormalizedEntry>();
  #isInterruptShown = false;
  /** An entry already says that a turn was interrupted. */
  hasInterruptEntry = false;
  isInterrupted = false;
  /** The model refused to continue. */
  isRefused = false;
  /** The transcript has an error entry. */
  hasErrorEntry = false;
  isUnknownSession = false;

  constructor(writer: EntryWriter) {
    this.#writer = writer;
  }

  error(
    message: string,
    code: string | undefined,
    timestamp: string,
    metadata: NormalizedEntryMetadata | undefined,
  ): void {
    const type = { kind: 'error', error: { message, ...(code !== undefined && { code }) } } as const;
    this.#writer.add({ type, content: message, timestamp, metadata });
    this.addError(message, code);
  }

  addError(message: string, code: string | undefined): void {
    this.hasErrorEntry = true;
    if (code === 'unknown_session') this.isUnknownSession = true;
    if (this.#errors.size < maxRemembered) this.#errors.add(message.trim());
  }

  hasError(message: string): boolean {
    return this.#errors.has(message.trim());
  }

  addSynthetic(entry: NormalizedEntry): void {
    if (this.#synthetic.size < maxRemembered) this.#synthetic.set(entry.content.trim(), entry);
  }

  syntheticEntry(content: string): NormalizedEntry | undefined {
    return this.#synthetic.get(content.trim());
  }

  /** Adds an entry that the run was interrupted, unless this turn already has one. */
  interrupt(line: Line, shown = 'The run was interrupted.'): void {
    if (this.#isInterruptShown) this.isInterrupted = true;
    else this.addInterruption(line, shown);
  }

  /** Keeps the agent's own note of an interruption. */
  addInterruption(line: Line, content: string): void {
    this.isInterrupted = true;
    this.#isInterruptShown = true;
    this.hasInterruptEntry = true;
    const type = { kind: 'system_message', subtype: 'interrupted' } as const;
    this.#writer.add({ type, content: content, timestamp: line.timestamp, metadata: line.metadata() });
  }

  startTurn(): void {
    this.isInterrupted = false;
  }

  endTurn(): void {
    this.#errors.clear();
    this.#synthetic.clear();
    this.#isInterruptShown = false;
    this.isRefused = false;
  }
}
