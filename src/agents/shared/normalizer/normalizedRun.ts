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
  /** ISO 8601: the event's own time if the line has it, else its arrival. */
  readonly timestamp: string;
}

const maxWarnings = 100;
const maxErrors = 64;
const maxReported = 100;

/** One run from its output: entries and facts. The readers of all agents write to it. */
export class NormalizedRun {
  readonly context: NormalizerContext;
  readonly writer: EntryWriter;
  readonly calls: ToolCallIndex;
  readonly texts: SpokenTexts;
  readonly session = new SessionMetadata();
  readonly lines: LineLog;
  /** Entries of what Vitrine sent and decided during the run. */
  readonly client: ClientEntries;
  readonly clock = new Clock();
  /** The transcript has an error entry of the agent. */
  hasErrorEntry = false;
  interrupted = false;
  /** Readers can replace this. */
  onDecided: (request: AgentRequest, decision: Decision) => void = () => undefined;
  /** Adds Vitrine's output to a call; readers with their own calls replace it. `false`: there is no such call. */
  addToolOutput: (callId: string, stdout: string, exitCode: number | null, timestamp: string) => boolean = (
    ...[callId, stdout, exitCode]
  ) => this.calls.setOutput(callId, stdout, exitCode);
  isUnknownSession = false;
  /** The agent is within a turn. */
  isInTurn = false;
  readonly #warnings: string[] = [];
  readonly #errors = new Set<string>();
  /** Messages sent to the agent, which may repeat them. */
  readonly #sentMessages: string[] = [];

  constructor(context: NormalizerContext) {
    this.context = context;
    this.writer = new EntryWriter(context.firstIndex);
    this.lines = new LineLog(this.writer, () => this.session.metadata());
    this.calls = new ToolCallIndex(this.writer, context.workDir);
    this.texts = new SpokenTexts(this.writer);
    if (context.prompt !== undefined) this.#sentMessages.push(context.prompt.trim());
    this.client = new ClientEntries({
      writer: this.writer,
      clock: this.clock,
      workDir: context.workDir,
      metadata: () => this.session.metadata(),
      beforeMessage: (text) => {
        this.texts.close();
        this.#addSentMessage(text);
      },
      onDecided: (request, decision) => {
        const { answer } = decision;
        if (answer.kind === 'answer') this.#addSentMessage(answer.answers.join('\n'));
        this.onDecided(request, decision);
      },
      addToolOutput: ({ callId, stdout, exitCode }, timestamp) =>
        this.addToolOutput(callId, stdout, exitCode, timestamp),
    });
  }

  get warnings(): readonly string[] {
    return [...this.#warnings, ...this.lines.warnings];
  }

  /** A note about the run; `extra` is metadata for this entry. */
  system(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    this.texts.close();
    return this.addSideEntry(subtype, content, timestamp, extra);
  }

  /** A note in between: a streaming text continues after it. */
  addSideEntry(subtype: string, content: string, timestamp: string, extra?: JsonObject): NormalizedEntry {
    const known = this.session.metadata();
    const metadata = extra === undefined ? known : { ...known, ...extra };
    return this.writer.add({ type: { kind: 'system_message', subtype }, content, timestamp, metadata });
  }

  /** An error of the agent; each text appears once. */
  error(message: string, code: string | undefined, timestamp: string): void {
    this.hasErrorEntry = true;
    if (code === 'unknown_session') this.isUnknownSession = true;
    if (this.#errors.has(message)) return;
    if (this.#errors.size < maxErrors) this.#errors.add(message);
    this.texts.close();
    const type = { kind: 'error', error: { message, ...(code !== undefined && { code }) } } as const;
    this.writer.add({ type, content: message, timestamp, metadata: this.session.metadata() });
  }

  interrupt(content: string, timestamp: string): void {
    if (this.interrupted) return;
    this.interrupted = true;
    this.system('interrupted', content, timestamp);
  }

  /** A warning for the user, in the transcript and the result. */
  warn(content: string, timestamp: string): void {
    if (this.#warnings.length < maxWarnings) this.#warnings.push(content);
    this.system('warning', content, timestamp);
  }

  /**
   * A message that the agent repeats. Adds nothing if the transcript has it. In a dialogue, all messages of people came
   * through Vitrine, so no person wrote any other message. For output without a known prompt, only the agent's word is
   * available.
   */
  addEchoedPrompt(content: string, timestamp: string, own: JsonObject = {}): void {
    const reported = this.#sentMessages.indexOf(content.trim());
    if (reported !== -1) {
      this.#sentMessages.splice(reported, 1);
      return;
    }
    this.texts.close();
    const type = { kind: 'user_message' } as const;
    const origin = this.context.prompt === undefined ? 'human' : 'system';
    this.writer.add({ type, content: content, timestamp, metadata: { ...this.session.metadata(), ...own }, origin });
  }

  #addSentMessage(message: string): void {
    this.#sentMessages.push(message.trim());
    if (this.#sentMessages.length > maxReported) this.#sentMessages.shift();
  }

  /** The conversation's id from a line. If it differs from the earlier one, another conversation begins. */
  setSession(id: unknown, timestamp: string): void {
    const before = this.session.id;
    if (!this.session.setId(id) || before === null) return;
    this.texts.close();
    this.calls.forget(timestamp);
    this.#errors.clear();
  }

  /** Adds a note if the agent started another conversation than the one to resume. */
  checkResumed(timestamp: string): void {
    const { resume } = this.context;
    const { id } = this.session;
    if (resume === undefined || id === null || resume === id) return;
    this.warn(`The agent did not resume the conversation ${resume}: it began ${id}, a new one.`, timestamp);
  }
}
