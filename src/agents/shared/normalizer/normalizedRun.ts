import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { AgentRequest, Decision } from '../../../model/agent/request.ts';
import type { NormalizerContext } from '../../../model/transcript/normalizer.ts';
import { ClientEntries } from './clientEntries.ts';
import { LineLog } from './lineLog.ts';
import { Clock, EntryWriter } from './entryWriter.ts';
import { ToolCallIndex } from './toolCallIndex.ts';
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
const maxTold = 100;

/** One run as its output tells it: the entries, and what is known beside them. Readers of all agents write through it. */
export class NormalizedRun {
  readonly context: NormalizerContext;
  readonly writer: EntryWriter;
  readonly calls: ToolCallIndex;
  readonly texts: SpokenTexts;
  readonly session = new SessionMetadata();
  readonly lines: LineLog;
  /** What Vitrine said and decided while the agent ran. */
  readonly client: ClientEntries;
  readonly clock = new Clock();
  /** An error entry of the agent stands in the transcript. */
  failed = false;
  interrupted = false;
  /** For a reader to replace that wants to know. */
  decided: (request: AgentRequest, decision: Decision) => void = () => undefined;
  /** Adds to a call what Vitrine made for it; for a reader that keeps calls of its own to replace. `false`: there is none. */
  toolOutput: (callId: string, stdout: string, exitCode: number | null, timestamp: string) => boolean = (
    ...[callId, stdout, exitCode]
  ) => this.calls.output(callId, stdout, exitCode);
  unknownSession = false;
  /** The agent is in the middle of a turn. */
  unfinished = false;
  readonly #warnings: string[] = [];
  readonly #errors = new Set<string>();
  /** What the agent was told and may repeat. */
  readonly #reported: string[] = [];

  constructor(context: NormalizerContext) {
    this.context = context;
    this.writer = new EntryWriter(context.firstIndex);
    this.lines = new LineLog(this.writer, () => this.session.metadata());
    this.calls = new ToolCallIndex(this.writer, context.workDir);
    this.texts = new SpokenTexts(this.writer);
    if (context.prompt !== undefined) this.#reported.push(context.prompt.trim());
    this.client = new ClientEntries({
      writer: this.writer,
      clock: this.clock,
      workDir: context.workDir,
      metadata: () => this.session.metadata(),
      beforeMessage: (text) => {
        this.texts.close();
        this.#tell(text);
      },
      decided: (request, decision) => {
        const { answer } = decision;
        if (answer.kind === 'answer') this.#tell(answer.answers.join('\n'));
        this.decided(request, decision);
      },
      toolOutput: ({ callId, stdout, exitCode }, timestamp) => this.toolOutput(callId, stdout, exitCode, timestamp),
    });
  }

  get warnings(): readonly string[] {
    return [...this.#warnings, ...this.lines.warnings];
  }

  /** Something about the run; `extra` are metadata of this entry alone. */
  system(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    this.texts.close();
    return this.aside(subtype, content, timestamp, extra);
  }

  /** Something that comes in between: a text that is streaming continues after it. */
  aside(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    const known = this.session.metadata();
    const metadata = extra === undefined ? known : { ...known, ...extra };
    return this.writer.add({ type: { kind: 'system_message', subtype }, content, timestamp, metadata });
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

  /**
   * A message as the agent repeats it. Where the transcript has it already, nothing is added. While Vitrine talks to the agent,
   * all that a person said came through it: what else the agent gives out as theirs is no person's. Output that is read
   * without the prompt tells of a conversation that was held elsewhere; there the agent's word is all there is.
   */
  echoedPrompt(shown: string, timestamp: string): void {
    const reported = this.#reported.indexOf(shown.trim());
    if (reported !== -1) {
      this.#reported.splice(reported, 1);
      return;
    }
    this.texts.close();
    const type = { kind: 'user_message' } as const;
    const origin = this.context.prompt === undefined ? 'human' : 'system';
    this.writer.add({ type, content: shown, timestamp, metadata: this.session.metadata(), origin });
  }

  #tell(message: string): void {
    this.#reported.push(message.trim());
    if (this.#reported.length > maxTold) this.#reported.shift();
  }

  /** The id that a line gives the conversation. With another than before, another conversation begins. */
  seeSession(id: unknown, timestamp: string): void {
    const before = this.session.id;
    if (!this.session.seeId(id) || before === null) return;
    this.texts.close();
    this.calls.forget(timestamp);
    this.#errors.clear();
  }

  /** Says so where the agent began another conversation than the one to be resumed. */
  checkResumed(timestamp: string): void {
    const { resume } = this.context;
    const { id } = this.session;
    if (resume === undefined || id === null || resume === id) return;
    this.warn(`The agent did not resume the conversation ${resume}: it began ${id}, a new one.`, timestamp);
  }
}
