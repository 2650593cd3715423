import type { NormalizedEntry } from '../../model/entry.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NormalizerContext } from '../../model/normalizer.ts';
import { codeBlock } from '../claude-code/describe.ts';
import { EntryWriter } from '../claude-code/writer.ts';
import { CallBook } from './callBook.ts';
import { SessionMetadata } from './sessionMetadata.ts';
import { SpokenTexts } from './spokenTexts.ts';

/** A line of stdout. */
export interface SourceLine {
  readonly raw: string;
  /** ISO 8601: of the event where the line carries its time, else of its arrival. */
  readonly timestamp: string;
}

const maxWarnings = 100;
const maxErrors = 64;

/** One run as its output tells it: the entries, and what is known beside them. Readers of all agents write through it. */
export class Run {
  readonly context: NormalizerContext;
  readonly writer: EntryWriter;
  readonly calls: CallBook;
  readonly texts: SpokenTexts;
  readonly session = new SessionMetadata();
  readonly lines = { total: 0, unknown: 0, malformed: 0, oversize: 0 };
  /** An error entry of the agent stands in the transcript. */
  failed = false;
  interrupted = false;
  unknownSession = false;
  /** The agent is in the middle of a turn. */
  unfinished = false;
  readonly #warnings: string[] = [];
  readonly #errors = new Set<string>();
  #promptSeen = false;

  constructor(context: NormalizerContext) {
    this.context = context;
    this.writer = new EntryWriter(context.firstIndex);
    this.calls = new CallBook(this.writer, context.workDir);
    this.texts = new SpokenTexts(this.writer);
  }

  get warnings(): readonly string[] {
    const { unknown, malformed, oversize } = this.lines;
    const counted = [...this.#warnings];
    if (unknown > 0) counted.push(`Lines of an unknown kind, kept as they are: ${unknown}`);
    if (malformed > 0) counted.push(`Lines that are no messages of the agent: ${malformed}`);
    if (oversize > 0) counted.push(`Lines too long to be read: ${oversize}`);
    return counted;
  }

  /** Something about the run; `extra` are metadata of this entry alone. */
  system(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    this.texts.close();
    return this.#system(subtype, content, timestamp, extra);
  }

  /** An error of the agent; the same text is told once. */
  error(message: string, code: string | undefined, timestamp: string): void {
    this.failed = true;
    if (code === 'unknown_session') this.unknownSession = true;
    if (this.#errors.has(message)) return;
    if (this.#errors.size < maxErrors) this.#errors.add(message);
    this.texts.close();
    const type = { kind: 'error', error: { message, ...(code !== undefined && { code }) } } as const;
    this.writer.add({ type, content: message, timestamp, metadata: this.session.metadata() });
  }

  interrupt(shown: string, timestamp: string): void {
    if (this.interrupted) return;
    this.interrupted = true;
    this.system('interrupted', shown, timestamp);
  }

  /** Something the user should know about the run, in the transcript and in its result. */
  warn(shown: string, timestamp: string): void {
    if (this.#warnings.length < maxWarnings) this.#warnings.push(shown);
    this.system('warning', shown, timestamp);
  }

  /** The prompt as the agent repeats it. Where the transcript has it already, nothing is added. */
  echoedPrompt(shown: string, timestamp: string): void {
    const { prompt } = this.context;
    const first = !this.#promptSeen;
    this.#promptSeen = true;
    if (first && prompt !== undefined && shown.trim() === prompt.trim()) return;
    this.texts.close();
    const type = { kind: 'user_message' } as const;
    this.writer.add({ type, content: shown, timestamp, metadata: this.session.metadata(), origin: 'human' });
  }

  /** Says so where the agent began another conversation than the one to be resumed. */
  checkResumed(timestamp: string): void {
    const { resume } = this.context;
    const { id } = this.session;
    if (resume === undefined || id === null || resume === id) return;
    this.warn(`The agent did not go on with the conversation ${resume}: it began ${id}, a new one.`, timestamp);
  }

  keepUnknown(what: string, { raw, timestamp }: SourceLine): void {
    this.lines.unknown += 1;
    this.#system('unknown', what, timestamp, { raw });
  }

  malformed(raw: string, timestamp: string): void {
    this.lines.malformed += 1;
    this.fault('This line is not a message of the agent.', 'malformed_line', raw, timestamp);
  }

  /** A line that could not be read is shown, but it is no sign that the agent failed. */
  fault(message: string, code: string, raw: string, timestamp: string): void {
    this.writer.add({
      type: { kind: 'error', error: { message, code } },
      content: `${message}\n\n${codeBlock(raw)}`,
      timestamp,
      metadata: { ...this.session.metadata(), raw },
    });
  }

  #system(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    const known = this.session.metadata();
    const metadata = extra === undefined ? known : { ...known, ...extra };
    return this.writer.add({ type: { kind: 'system_message', subtype }, content, timestamp, metadata });
  }
}
