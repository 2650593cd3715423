import type { RunReport } from '../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import { limitDepth } from '../shared/bounds.ts';
import { code, codeBlock } from '../shared/describe.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import { field } from '../shared/guards.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { requestId } from './dialogue.ts';
import { MessageEntries, messageText } from './messages.ts';
import { errorInfo, runInfo, type ErrorInfo, type RunInfo } from './wire.ts';

/** Reads the events of one run of an Agent Communication Protocol agent, one JSON object per line. */
export class AcpHttpReader implements AgentReader {
  readonly #run: NormalizedRun;
  readonly #messages: MessageEntries;
  readonly #reports: RunReport[] = [];
  #agentName: string | null = null;
  #runId: string | null = null;
  #awaitCount = 0;
  #isAgentShown = false;
  #hasEnded = false;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.#messages = new MessageEntries(run);
  }

  readMessage(event: JsonObject, line: SourceLine): boolean {
    const type = typeof event['type'] === 'string' ? event['type'] : '';
    if (type.startsWith('run.')) return this.#readRunEvent(type, event, line);
    if (type.startsWith('message.')) return this.#readMessageEvent(type, event, line);
    if (type === 'error') {
      this.#failRun(errorInfo(event['error']), line);
      return true;
    }
    if (type !== 'generic' || !isObject(event['generic'])) return false;
    const generic = limitDepth(event['generic']);
    this.#run.addSideEntry('generic', codeBlock(JSON.stringify(generic, null, 2)), line.timestamp, { generic });
    return true;
  }

  beforeEnd(_exit: unknown, timestamp: string): void {
    this.#messages.close({ timestamp });
  }

  facts(): OwnFacts {
    return { agentVersion: null, permissionMode: null, reports: [...this.#reports] };
  }

  #readMessageEvent(type: string, event: JsonObject, line: SourceLine): boolean {
    const inner = type === 'message.part' ? event['part'] : event['message'];
    if (!isObject(inner)) return false;
    this.#run.isInTurn = true;
    switch (type) {
      case 'message.created':
        this.#messages.startMessage(inner, line);
        return true;
      case 'message.part':
        this.#keepUnknown(this.#messages.readPart(inner, line), line);
        return true;
      case 'message.completed':
        this.#keepUnknown(this.#messages.completeMessage(inner, line), line);
        return true;
      default:
        return false;
    }
  }

  /** A part is shown whatever its metadata; unknown metadata is kept with the line. */
  #keepUnknown(known: boolean, { raw, timestamp }: SourceLine): void {
    if (!known) this.#run.lines.addUnknown('Unknown metadata type', raw, timestamp);
  }

  #readRunEvent(type: string, event: JsonObject, line: SourceLine): boolean {
    if (!isObject(event['run'])) return false;
    const run = runInfo(event['run']);
    this.#setRun(run, line);
    switch (type) {
      case 'run.created':
      case 'run.in-progress':
        this.#run.isInTurn = true;
        return true;
      case 'run.awaiting':
        this.#readAwaitingRun(run, line);
        return true;
      case 'run.completed':
        this.#messages.addOutput(run.output, line);
        this.#close({ ...emptyReport, text: this.#answerText(), terminalReason: 'completed' }, 'Completed', line);
        return true;
      case 'run.failed':
        this.#messages.addOutput(run.output, line);
        this.#failRun(run.error ?? errorInfo(undefined), line);
        return true;
      case 'run.cancelled':
        this.#messages.addOutput(run.output, line);
        this.#run.interrupt('The run was cancelled.', line.timestamp);
        this.#close({ ...emptyReport, text: this.#answerText(), terminalReason: 'aborted' }, 'Cancelled', line);
        return true;
      default:
        return false;
    }
  }

  #setRun({ runId, sessionId, agentName }: RunInfo, { timestamp }: SourceLine): void {
    const { session } = this.#run;
    session.setId(sessionId);
    this.#agentName = agentName ?? this.#agentName;
    this.#runId = runId ?? this.#runId;
    session.setOwn({ agentName: this.#agentName, runId: this.#runId });
    if (this.#isAgentShown) return;
    this.#isAgentShown = true;
    const facts = [
      ['Agent', this.#agentName],
      ['Session', session.id],
      ['Run', this.#runId],
    ] as const;
    const known = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${code(value)}`]));
    this.#run.system('init', known.join('\n') || 'The run began', timestamp);
    this.#run.checkResumed(timestamp);
  }

  /** The run continues after an answer, with the same messages and a new event stream. */
  #readAwaitingRun({ awaits, output }: RunInfo, line: SourceLine): void {
    this.#messages.addOutput(output, line);
    this.#run.isInTurn = true;
    const shown = messageText(field(awaits, 'message'));
    const request = limitDepth(awaits ?? null);
    const content =
      shown === '' ? 'The agent is waiting for an answer.' : `The agent is waiting for an answer:\n\n${shown}`;
    const entry = this.#run.system('awaiting', content, line.timestamp, { awaitRequest: request });
    this.#awaitCount += 1;
    // If someone is asked, that entry shows the request and its answer.
    this.#run.client.markShown(requestId(this.#runId, this.#awaitCount), entry);
  }

  #failRun(error: ErrorInfo, line: SourceLine): void {
    this.#messages.close(line);
    this.#run.error(error.message, error.code, line.timestamp);
    const report = {
      ...emptyReport,
      isError: true,
      subtype: 'error',
      errors: [error.message],
      text: this.#answerText(),
    };
    this.#close(report, 'Failed', line);
  }

  #answerText(): string | null {
    const { finalText } = this.#run.texts;
    return finalText === '' ? null : finalText;
  }

  /** An error and the end of the run that it causes count as one end. */
  #close(report: RunReport, title: string, { timestamp }: SourceLine): void {
    this.#run.isInTurn = false;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#reports.push(report);
    this.#run.system('result', title, timestamp, {
      result: { isError: report.isError, runId: this.#runId, terminalReason: report.terminalReason },
    });
  }
}
