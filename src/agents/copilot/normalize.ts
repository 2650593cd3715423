import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ExitInfo, RunReport } from '../../model/usage/facts.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { SideStream } from '../../model/transcript/normalizer.ts';
import { count, nonEmpty } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import { textOfBlocks } from '../shared/resultText.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { Calls } from './tools/calls.ts';
import { errorCode, fixedStderr, noise } from './errors.ts';
import { Notices } from './texts/notices.ts';
import { PlainText } from './texts/plainText.ts';
import { failedText, reportMetadata, reportText, runReport, type Outcome } from './report.ts';
import { RequestTokens } from './requests.ts';
import { Speakers, type Speaker } from './texts/speaker.ts';
import { Texts } from './texts/texts.ts';
import {
  copilotEvent,
  mcpServers,
  resultLine,
  sessionInLog,
  sessionInStderr,
  toolCall,
  toolRequests,
  usageFile,
  type CopilotEvent,
  type McpServer,
  type ResultLine,
  type UsageFile,
} from './wire.ts';

/** Mark where a turn, a model call or a message begins or ends. */
const boundaries = new Set([
  'assistant.message_start',
  'assistant.streaming_delta',
  'assistant.turn_end',
  'assistant.turn_start',
  'model.call_final_result',
  'model.call_finished',
  'model.call_start',
  'session.idle',
]);

const maxServers = 100;

/** Reads the output of `copilot --output-format json` and of text mode, and the files written beside either. */
export class CopilotReader implements AgentReader {
  readonly ignoredStderr = noise;
  readonly fixedStderr = fixedStderr;
  readonly #run: NormalizedRun;
  readonly #speakers: Speakers;
  readonly #texts: Texts;
  readonly #calls: Calls;
  readonly #notices: Notices;
  readonly #plainText: PlainText;
  readonly #requests = new RequestTokens();
  readonly #errors: string[] = [];
  readonly #servers = new Map<string, McpServer>();
  /** An event of JSON mode was read. */
  #isJsonMode = false;
  #firstTimestamp: string | undefined;
  #last: string | undefined;
  #result: ResultLine | undefined;
  #closingNote: NormalizedEntry | undefined;
  #usage: UsageFile | undefined;
  /** The figures come from the file at the end of a run; if a run was interrupted, from the line that also has them. */
  #hasFile = false;
  #interrupted: string | undefined;
  #mode: string | null = null;
  #hasPlainEnded = false;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.#speakers = new Speakers(run.session);
    this.#texts = new Texts(run);
    this.#calls = new Calls(run);
    this.#notices = new Notices(run);
    this.#plainText = new PlainText(run);
  }

  readMessage(message: JsonObject, line: SourceLine): boolean {
    const event = copilotEvent(message);
    if (event === undefined && !this.#isJsonMode && this.#plainText.line(line)) return true;
    if (!this.#isJsonMode) {
      this.#isJsonMode = true;
      this.#plainText.retractText();
      // The conversation exists: the program may end before that.
      this.#run.session.setId(this.#run.context.sessionId);
    }
    this.#firstTimestamp ??= line.timestamp;
    this.#last = line.timestamp;
    if (event === undefined) return false;
    if (event.type === 'result') {
      this.#readResultLine(resultLine(message), line.timestamp);
      return true;
    }
    const model = nonEmpty(event.data['model']);
    if (event.agentId === undefined && event.parentCallId === undefined) this.#updateModel(event, model);
    return this.#readEvent(event, this.#speakers.speakerOf(event, model, line.timestamp), line);
  }

  readPlainLine(line: SourceLine): boolean {
    return !this.#isJsonMode && this.#plainText.line(line);
  }

  readBlankLine(): void {
    this.#plainText.blankLine();
  }

  readStderrLine(content: string): void {
    this.#run.session.setId(sessionInStderr(content));
  }

  readSideLine(stream: SideStream, content: string, timestamp: string): void {
    if (stream === 'log') {
      if (this.#run.session.setId(sessionInLog(content))) this.#run.checkResumed(timestamp);
      return;
    }
    const usage = usageFile(parse(content));
    if (usage === undefined) {
      this.#run.warn('The file with the token counts of this run could not be read.', timestamp);
      return;
    }
    this.#hasFile = true;
    this.#setUsage(usage);
    if (this.#closingNote !== undefined) this.#run.writer.put(this.#closingEntry(this.#closingNote));
  }

  beforeEnd({ code, signal }: ExitInfo, timestamp: string): void {
    this.#texts.end();
    this.#calls.end();
    this.#notices.end();
    this.#plainText.end();
    this.#hasPlainEnded = this.#plainText.hasStarted && code === 0 && signal === null;
    if (this.#interrupted !== undefined) this.#interrupt(timestamp);
  }

  facts(): OwnFacts {
    const { sideCalls } = this.#calls;
    const reports = this.#reports();
    // The total of the session includes all requests.
    const messages = reports.some(({ models }) => models.length > 0) ? [] : this.#requests.all;
    return { agentVersion: null, permissionMode: this.#mode, reports, sideCalls, messages };
  }

  #updateModel({ type, data }: CopilotEvent, model: string | undefined): void {
    const { session } = this.#run;
    if (type === 'session.model_change') session.setModel(nonEmpty(data['newModel']));
    // Small side tasks are also requests, and use other models.
    if (type !== 'assistant.usage' || session.model === null) session.setModel(model);
  }

  #setUsage(usage: UsageFile): void {
    this.#usage = usage;
    this.#run.session.setModel(usage.currentModel);
  }

  #readEvent(event: CopilotEvent, speaker: Speaker, line: SourceLine): boolean {
    const { type, data } = event;
    switch (type) {
      case 'user.message':
        this.#readUserMessage(data, speaker, line);
        return true;
      case 'assistant.message_delta':
        this.#texts.piece('text', id(data['messageId']), textOfBlocks(data['deltaContent']) ?? '', speaker);
        return true;
      case 'assistant.reasoning_delta':
        this.#texts.piece('thinking', id(data['reasoningId']), textOfBlocks(data['deltaContent']) ?? '', speaker);
        return true;
      case 'assistant.reasoning':
        this.#texts.reasoning(id(data['reasoningId']), textOfBlocks(data['content']) ?? '', speaker);
        return true;
      case 'assistant.message':
        this.#readAssistantMessage(data, speaker);
        return true;
      case 'assistant.tool_call_delta':
        this.#calls.piece(data, speaker);
        return true;
      case 'tool.execution_start':
        this.#run.isInTurn = true;
        this.#calls.start(toolCall(data), speaker);
        return true;
      case 'tool.execution_partial_result':
      case 'tool.execution_progress':
        this.#calls.setPartialOutput(data);
        return true;
      case 'tool.shell_output':
        this.#calls.appendOutput(data);
        return true;
      case 'tool.execution_complete':
        this.#calls.completeCall(data, speaker);
        return true;
      default:
        return this.#readRunEvent(event, speaker);
    }
  }

  /** Lines about the run. */
  #readRunEvent(event: CopilotEvent, speaker: Speaker): boolean {
    const { type, data, agentId } = event;
    if (boundaries.has(type)) {
      if (type === 'assistant.turn_start') this.#run.isInTurn = true;
      return true;
    }
    switch (type) {
      case 'model.call_failure':
        this.#notices.addCallFailure(data, speaker);
        return true;
      case 'assistant.turn_retry':
        this.#notices.retry(nonEmpty(data['reason']) ?? 'no reason given', data, speaker);
        return true;
      case 'session.error':
        this.#addError(data, speaker);
        return true;
      case 'session.warning':
        this.#run.warn(
          nonEmpty(data['message']) ?? 'The agent reported a warning without a message.',
          speaker.timestamp,
        );
        return true;
      case 'agent.interrupted':
        this.#interrupted ??= nonEmpty(data['activity']) ?? 'interrupted';
        return true;
      case 'abort':
        this.#interrupted = nonEmpty(data['reason']) ?? this.#interrupted ?? 'interrupted';
        this.#interrupt(speaker.timestamp);
        return true;
      case 'assistant.usage':
        this.#requests.addEvent(event, speaker);
        return true;
      case 'session.shutdown': {
        const usage = usageFile(data);
        if (usage !== undefined) this.#setUsage(usage);
        return this.#notices.readLine(event, this.#speakers.speakerOf(event, undefined, speaker.timestamp));
      }
      case 'assistant.idle':
        if (data['aborted'] === true) this.#interrupted ??= 'aborted';
        return true;
      case 'subagent.started':
        this.#speakers.linkSubagent(agentId, nonEmpty(data['toolCallId']));
        return this.#notices.readLine(
          event,
          this.#speakers.speakerOf(event, nonEmpty(data['model']), speaker.timestamp),
        );
      case 'session.info':
        if (data['infoType'] === 'model_retry') {
          this.#notices.retry(nonEmpty(data['message']) ?? 'model_retry', data, speaker);
          return true;
        }
        return this.#notices.readLine(event, speaker);
      case 'session.mcp_servers_loaded':
        for (const server of mcpServers(data)) this.#setServer(server);
        return this.#notices.readLine(event, speaker);
      case 'session.mcp_server_status_changed':
        this.#updateServerStatus(data);
        return this.#notices.readLine(event, this.#speakers.speakerOf(event, undefined, speaker.timestamp));
      case 'session.start':
      case 'session.resume':
        this.#run.session.setId(data['sessionId']);
        this.#run.session.setModel(nonEmpty(data['selectedModel']));
        return this.#notices.readLine(event, this.#speakers.speakerOf(event, undefined, speaker.timestamp));
      default:
        return this.#notices.readLine(event, speaker);
    }
  }

  #readUserMessage(data: JsonObject, speaker: Speaker, { timestamp }: SourceLine): void {
    const shown = textOfBlocks(data['content']) ?? '';
    const source = nonEmpty(data['source']);
    this.#mode = nonEmpty(data['agentMode']) ?? this.#mode;
    if (speaker.agent === '' && source === undefined) {
      this.#run.isInTurn = true;
      this.#run.addEchoedPrompt(shown, timestamp);
    } else if (shown === '') {
      this.#notices.add('continuation', `The agent continues automatically (${source ?? 'subagent'})`, {}, speaker);
    } else {
      const type = { kind: 'user_message' } as const;
      const origin = speaker.agent === '' ? 'system' : 'subagent';
      this.#run.writer.add({ type, content: shown, timestamp, metadata: speaker.metadata, origin });
    }
  }

  #readAssistantMessage(data: JsonObject, speaker: Speaker): void {
    this.#run.isInTurn = true;
    this.#notices.clearFailure();
    this.#texts.message(
      nonEmpty(data['messageId']),
      textOfBlocks(data['content']) ?? '',
      textOfBlocks(data['reasoningText']) ?? '',
      speaker,
    );
    for (const call of toolRequests(data)) this.#calls.start(call, speaker);
  }

  #addError(data: JsonObject, { timestamp }: Speaker): void {
    const message = nonEmpty(data['message']) ?? 'The agent reported an error without a message.';
    this.#errors.push(message);
    this.#run.error(message, errorCode(nonEmpty(data['errorType']), count(data['statusCode']), message), timestamp);
  }

  #interrupt(timestamp: string): void {
    this.#run.interrupt(`The run was interrupted (${this.#interrupted ?? 'interrupted'}).`, timestamp);
  }

  #setServer(server: McpServer): void {
    if (this.#servers.size >= maxServers && !this.#servers.has(server.name)) return;
    this.#servers.set(server.name, server);
    this.#run.session.setOwn({ mcpServers: [...this.#servers.values()] });
  }

  #updateServerStatus(data: JsonObject): void {
    const name = nonEmpty(data['serverName']);
    if (name !== undefined) this.#setServer({ name, status: nonEmpty(data['status']) ?? 'unknown' });
  }

  #readResultLine(result: ResultLine, timestamp: string): void {
    const { session } = this.#run;
    this.#run.isInTurn = false;
    this.#result = result;
    if (session.setId(result.sessionId)) this.#run.checkResumed(timestamp);
    if ((result.exitCode ?? 0) !== 0 && this.#interrupted === undefined && !this.#run.hasErrorEntry) {
      this.#run.error(failedText(result), undefined, timestamp);
    }
    const type = { kind: 'system_message', subtype: 'result' } as const;
    this.#closingNote = { index: this.#run.writer.nextIndex, timestamp, type, content: '' };
    const { content, metadata } = this.#closingEntry(this.#closingNote);
    this.#closingNote = this.#run.writer.add({ type, content, timestamp, metadata });
  }

  #closingEntry(entry: NormalizedEntry): NormalizedEntry {
    const outcome = this.#outcome();
    const metadata = { ...this.#run.session.metadata(), result: reportMetadata(outcome) };
    return { ...entry, content: reportText(runReport(outcome)), metadata };
  }

  #outcome(): Outcome {
    const { finalText } = this.#run.texts;
    const from = Date.parse(this.#firstTimestamp ?? '');
    const to = Date.parse(this.#last ?? '');
    return {
      result: this.#result,
      usage: this.#usage,
      elapsedMs: to >= from ? to - from : undefined,
      text: finalText === '' ? null : finalText,
      errors: this.#errors,
      interrupted: this.#interrupted,
    };
  }

  /** Text mode has no closing line, so the exit code decides. */
  #reports(): RunReport[] {
    const closed = this.#result !== undefined || this.#interrupted !== undefined || this.#hasFile;
    return closed || this.#hasPlainEnded ? [runReport(this.#outcome())] : [];
  }
}

/** Consecutive pieces without an id belong together. */
function id(value: unknown): string {
  return nonEmpty(value) ?? '';
}
