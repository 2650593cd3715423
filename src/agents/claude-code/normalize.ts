import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { Normalizer, NormalizerContext, OutputLine } from '../../model/transcript/normalizer.ts';
import { ToolCalls } from './tools/calls.ts';
import { isShallow, tooDeep } from '../shared/bounds.ts';
import { ClientEntries } from '../shared/normalizer/clientEntries.ts';
import { Conversation } from './conversation.ts';
import { describeExit, endingOf, knownError } from '../shared/normalizer/ending.ts';
import { LineLog, parse, stderrText, unknownContent, unknownLine } from '../shared/normalizer/lineLog.ts';
import { parseBriefLine } from './texts/briefLine.ts';
import { DeltaLines } from './texts/deltaLine.ts';
import { fixedStderr, unknownSessionText } from './figures/errors.ts';
import { initEntry } from './init.ts';
import { Line } from './line.ts';
import { Partials } from './texts/partials.ts';
import { Replays } from './texts/replays.ts';
import { Results } from './figures/results.ts';
import { Retractions } from './texts/retractions.ts';
import { RunState } from './figures/runState.ts';
import { SessionInfo } from './session.ts';
import { readPlainToolLine } from './tools/plainTools.ts';
import { SpreadJson } from '../shared/spreadJson.ts';
import { Stderr } from '../shared/normalizer/stderr.ts';
import { describeLine, thinkingText } from './systemLines.ts';
import { Texts } from './texts/texts.ts';
import { MessageUsages } from './figures/usage.ts';
import { initLine, permissionRequestId } from './wire.ts';
import { isBlank, nonEmpty, text } from '../shared/guards.ts';
import { EntryWriter } from '../shared/normalizer/entryWriter.ts';

/** Reads what `claude -p` prints with `--output-format stream-json` or `json`, of every version from 1.0.3 on. */
export class ClaudeCodeNormalizer implements Normalizer {
  readonly #writer: EntryWriter;
  readonly #session = new SessionInfo();
  readonly #state: RunState;
  readonly #calls: ToolCalls;
  readonly #texts: Texts;
  readonly #usages = new MessageUsages();
  readonly #conversation: Conversation;
  readonly #partials: Partials;
  readonly #deltas = new DeltaLines();
  readonly #results: Results;
  readonly #stderr: Stderr;
  readonly #replays = new Replays();
  readonly #retractions: Retractions;
  readonly #lines: LineLog;
  readonly #spreadJson = new SpreadJson();
  readonly #client: ClientEntries;
  /** Messages came after the last closing line. */
  #isUnfinished = false;
  #hasStarted = false;
  /** The entry with a count that may still increase. */
  #countedEntry: NormalizedEntry | undefined;
  #hasEnded = false;

  constructor(context: NormalizerContext) {
    this.#writer = new EntryWriter(context.firstIndex);
    this.#lines = new LineLog(this.#writer, () => this.#session.metadata());
    this.#client = new ClientEntries({
      writer: this.#writer,
      clock: this.#session.clock,
      workDir: context.workDir,
      metadata: () => this.#session.metadata(),
      beforeMessage: () => this.#texts.message(undefined),
    });
    this.#state = new RunState(this.#writer);
    this.#calls = new ToolCalls(this.#writer, context.workDir);
    this.#texts = new Texts(this.#writer);
    this.#retractions = new Retractions(this.#writer, this.#texts, this.#calls);
    this.#stderr = new Stderr(this.#writer);
    this.#results = new Results(this.#writer, this.#calls, this.#texts, this.#state);
    this.#conversation = new Conversation(
      {
        writer: this.#writer,
        session: this.#session,
        texts: this.#texts,
        calls: this.#calls,
        usages: this.#usages,
        state: this.#state,
        unknownBlock: (block, line) => this.#addUnknownBlock(block, line),
      },
      context.prompt,
    );
    this.#partials = new Partials(this.#texts, this.#calls, this.#usages, (block, line, model) =>
      this.#conversation.block(block, line, model),
    );
  }

  push(line: OutputLine, at: number): readonly EntryUpdate[] {
    try {
      this.#push(line, at);
    } catch (error) {
      this.#lines.logFailure(error, line, this.#session.clock.arrivalTime(at));
    }
    return this.#writer.take();
  }

  /** A stored message in the form of the program's output. `raw`: as stored. */
  record(message: JsonObject, raw: string, at: number): readonly EntryUpdate[] {
    try {
      this.#lines.counts.total += 1;
      this.#readParsedMessage(message, at, raw);
    } catch (error) {
      this.#lines.logFailure(error, { stream: 'stdout', text: raw }, this.#session.clock.arrivalTime(at));
    }
    return this.#writer.take();
  }

  /** The records end here, and so did the agent: closes calls without a result. */
  endRecords(at: number): readonly EntryUpdate[] {
    this.#settleCount();
    this.#calls.end('No result: the agent ended before the tool returned.', this.#session.clock.arrivalTime(at));
    return this.#writer.take();
  }

  end(exit: ExitInfo, at: number): readonly EntryUpdate[] {
    if (this.#hasEnded) return this.#writer.take();
    this.#hasEnded = true;
    const timestamp = this.#session.clock.arrivalTime(at);
    const closing = new Line({}, at, this.#session, '');
    this.#stderr.close();
    this.#spreadJson.abandon();
    this.#giveUpSpread(at);
    this.#client.end(timestamp);
    this.#settleCount();
    this.#partials.end((parent) => new Line({ parent_tool_use_id: parent }, at, this.#session, ''));
    this.#calls.end(`No result: the run ended before the tool returned (${describeExit(exit)}).`, timestamp);
    const ending = endingOf({
      exit,
      stderr: this.#stderr.text,
      knownError: knownError(fixedStderr, this.#stderr.text),
      lines: this.#lines.counts.total,
      hasFailed: this.#state.hasErrorEntry,
      interrupted: this.#state.isInterrupted,
      isUnfinished: this.#isUnfinished,
    });
    if (ending.kind === 'interrupted') this.#state.interrupt(closing, ending.text);
    else if (this.#state.isInterrupted && !this.#state.hasInterruptEntry) this.#state.interrupt(closing);
    if (ending.kind === 'error') this.#state.error(ending.text, ending.code, timestamp, closing.metadata());
    return this.#writer.take();
  }

  facts(): RunFacts {
    const texts = this.#texts;
    const usages = this.#usages;
    return {
      // Claude Code repeats an unknown id, although no conversation has it.
      sessionIds: this.#state.isUnknownSession && !this.#hasStarted ? [] : [...this.#session.ids],
      model: this.#session.model,
      agentVersion: this.#session.version,
      permissionMode: this.#session.permissionMode,
      reports: [...this.#results.reports],
      lines: { ...this.#lines.counts },
      warnings: this.#warnings(),
      unknownSession: this.#state.isUnknownSession,
      unfinished: this.#isUnfinished,
      // A getter: they grow with the run, and facts are read often during a stream.
      get answer() {
        return texts.answer;
      },
      get finalText() {
        return texts.finalText;
      },
      userLines: this.#conversation.userLines,
      sideCalls: this.#calls.sideCalls + this.#conversation.compactions,
      get messages() {
        return usages.all();
      },
      stderr: this.#stderr.text,
    };
  }

  #push(line: OutputLine, at: number): void {
    if (line.stream === 'stderr') {
      this.#pushStderr(line, at);
      return;
    }
    if ('oversize' in line) {
      this.#lines.counts.total += 1;
      this.#stderr.close();
      this.#lines.addOversize(line.oversize, this.#session.clock.arrivalTime(at));
      return;
    }
    if (line.stream === 'client') {
      this.#pushClient(line.text, at);
      return;
    }
    if (line.stream !== 'stdout' || isBlank(line.text)) return;
    this.#lines.counts.total += 1;
    this.#stderr.close();
    if (!this.#spreadJson.open && (this.#isPiece(line.text) || this.#isBrief(line.text, at))) return;
    const spread = this.#spreadJson.addLine(line.text);
    this.#giveUpSpread(at);
    if (spread === 'no') this.#pushValue(parse(line.text), line.text, at);
    else if (spread !== 'more') this.#pushValue(spread.value, spread.raw, at);
  }

  #pushValue(value: unknown, raw: string, at: number): void {
    if (isObject(value)) {
      this.#readParsedMessage(value, at, raw);
    } else if (Array.isArray(value) && value.some(isObject)) {
      // `--output-format json --verbose`: all messages in one line.
      for (const item of value) {
        if (isObject(item)) this.#readParsedMessage(item, at, undefined);
        else this.#lines.addMalformed(JSON.stringify(item), this.#session.clock.arrivalTime(at));
      }
    } else {
      this.#lines.addMalformed(raw, this.#session.clock.arrivalTime(at));
    }
  }

  #giveUpSpread(at: number): void {
    for (const line of this.#spreadJson.takeAbandoned())
      this.#lines.addMalformed(line, this.#session.clock.arrivalTime(at));
  }

  /** A piece that continues a streamed text; anything else is parsed completely. */
  #isPiece(content: string): boolean {
    const delta = this.#deltas.read(content);
    if (delta === undefined || !this.#partials.appendToBlock(delta)) return false;
    this.#session.setId(delta.sessionId);
    this.#isUnfinished = true;
    return true;
  }

  /** A line recognized by its form; anything else is parsed completely. */
  #isBrief(content: string, at: number): boolean {
    const brief = parseBriefLine(content);
    if (brief === undefined) return false;
    this.#session.setId(brief.sessionId);
    if (brief.thinkingTokens === undefined) this.#isUnfinished = true;
    else this.#count(thinkingText(brief.thinkingTokens), new Line({}, at, this.#session, content));
    return true;
  }

  #pushClient(content: string, at: number): void {
    this.#stderr.close();
    if (this.#hasEnded || this.#client.push(content, at)) return;
    this.#lines.addUnknown('Unknown line written by Vitrine', content, this.#session.clock.arrivalTime(at));
  }

  #pushStderr(line: OutputLine, at: number): void {
    const shown = stderrText(line);
    if (unknownSessionText.test(shown)) this.#state.isUnknownSession = true;
    if (shown.trim() !== '') this.#stderr.push(shown, this.#session.clock.arrivalTime(at), this.#session.metadata());
  }

  #readParsedMessage(message: JsonObject, at: number, raw: string | undefined): void {
    this.#session.setId(message['session_id']);
    const line = new Line(message, at, this.#session, raw);
    if (this.#dispatch(line)) return;
    this.#lines.addUnknown(unknownLine(message), line.raw, line.timestamp, line.metadata());
  }

  /** `false`: a line of an unknown kind. */
  #dispatch(line: Line): boolean {
    const { message } = line;
    switch (message['type']) {
      case 'stream_event':
        this.#isUnfinished = true;
        if (line.verbatim !== undefined) this.#deltas.learnForm(line.verbatim);
        return this.#readStreamEvent(line);
      case 'assistant':
        this.#isUnfinished = true;
        return this.#replays.has(line) || this.#readMessageLine(line);
      case 'user':
        return this.#replays.has(line) || this.#readMessageLine(line);
      case 'result':
        this.#isUnfinished = false;
        if (!this.#replays.has(line)) this.#results.line(line, this.#usages.all().length);
        return true;
      case 'tool_use':
      case 'tool_result':
        return readPlainToolLine(line, this.#calls);
      case 'system':
        if (message['subtype'] === 'init') return this.#readInit(line);
        return this.#addDescribedLine(line);
      default:
        return this.#addDescribedLine(line);
    }
  }

  #readMessageLine(line: Line): boolean {
    if (line.message['supersedes'] !== undefined) this.#retract(line);
    const before = this.#writer.waiting;
    const isOne =
      line.message['type'] === 'user'
        ? this.#conversation.readUserMessage(line)
        : this.#conversation.readAssistantMessage(line, this.#partials);
    this.#retractions.addLine(line, this.#writer.updatesSince(before));
    return isOne;
  }

  /** Text of a model before it refused is not part of the answer if another model takes over. */
  #retract(line: Line): void {
    if (this.#retractions.retract(line)) this.#state.isRefused = false;
  }

  #readStreamEvent(line: Line): boolean {
    const event = line.message['event'];
    if (isObject(event) && event['type'] === 'error') {
      const error = isObject(event['error']) ? event['error'] : {};
      const shown = text(error['message']) ?? 'Streaming the response failed.';
      this.#state.error(shown, nonEmpty(error['type']), line.timestamp, line.metadata());
      return true;
    }
    return this.#partials.readEvent(line);
  }

  #readInit(line: Line): boolean {
    const init = initLine(line.message);
    this.#session.setInit(init);
    this.#state.startTurn();
    this.#hasStarted = true;
    this.#isUnfinished = true;
    this.#writer.add(initEntry(init, line));
    return true;
  }

  /** A line about the run, in words. */
  #addDescribedLine(line: Line): boolean {
    const { message } = line;
    const described = describeLine(message);
    if (described === undefined) return false;
    if (described.subtype === 'compact_boundary') this.#conversation.handleCompaction();
    if (described.subtype === 'model_refusal_fallback') this.#retract(line);
    if (described.subtype === 'status') this.#session.setMode(nonEmpty(message['permissionMode']));
    if (described.subtype === 'thinking_tokens') {
      this.#count(described.content, line);
      return true;
    }
    const requestId = permissionRequestId(message);
    if (requestId !== undefined && this.#client.hasEntryFor(requestId)) return true;
    const entry = this.#writer.add({
      type: { kind: 'system_message', subtype: described.subtype },
      content: described.content,
      timestamp: line.timestamp,
      metadata: described.metadata === undefined ? line.metadata() : { ...line.metadata(), ...described.metadata },
    });
    if (requestId !== undefined) this.#client.markShown(requestId, entry);
    if (described.subtype === 'permission_denied') {
      const reason = nonEmpty(message['message']) ?? nonEmpty(message['decision_reason']) ?? 'Not permitted.';
      const callId = nonEmpty(message['tool_use_id']);
      if (callId !== undefined) this.#calls.deny(callId, reason);
    }
    return true;
  }

  /** A counter that increases with every delta is one entry, until something else arrives. */
  #count(content: string, line: Line): void {
    const counted = this.#countedEntry;
    if (counted?.index === this.#writer.nextIndex - 1) {
      this.#countedEntry = { ...counted, content };
      this.#writer.put(this.#countedEntry, true);
      return;
    }
    this.#settleCount();
    this.#countedEntry = this.#writer.add({
      type: { kind: 'system_message', subtype: 'thinking_tokens' },
      content,
      timestamp: line.timestamp,
      metadata: line.metadata(),
      open: true,
    });
  }

  #settleCount(): void {
    if (this.#countedEntry !== undefined) this.#writer.put(this.#countedEntry);
    this.#countedEntry = undefined;
  }

  #addUnknownBlock(block: unknown, line: Line): void {
    const raw = isShallow(block) ? JSON.stringify(block) : tooDeep;
    this.#lines.addUnknown(unknownContent(block), raw, line.timestamp, line.metadata());
  }

  #warnings(): string[] {
    const { warnings } = this.#lines;
    if (this.#usages.left > 0) warnings.push(`Messages without separate usage: ${this.#usages.left}`);
    return warnings;
  }
}
