import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { Normalizer, NormalizerContext, OutputLine, SideStream } from '../../../model/transcript/normalizer.ts';
import { SpreadJson } from '../spreadJson.ts';
import { isBlank } from '../guards.ts';
import { Stderr } from './stderr.ts';
import { describeExit, endingOf, knownError } from './ending.ts';
import { parse, stderrText, unknownLine } from './lineLog.ts';
import { NormalizedRun, type SourceLine } from './normalizedRun.ts';

/** The facts of a run that only the agent's reader has. */
export type OwnFacts = Pick<RunFacts, 'agentVersion' | 'permissionMode' | 'reports'> &
  Partial<Pick<RunFacts, 'messages' | 'sideCalls' | 'ended' | 'contextTokens' | 'otherCurrency'>>;

/** Reads the output of one kind of agent, and writes to its run. */
export interface AgentReader {
  /** One JSON object of stdout. `false`: of an unknown kind. */
  readMessage(message: JsonObject, line: SourceLine): boolean;
  /** A line of stdout that is not a JSON object. `false`, or no such method: it is malformed. */
  readPlainLine?(line: SourceLine): boolean;
  /** An empty line of stdout, which does not count. */
  readBlankLine?(): void;
  readStderrLine?(text: string, timestamp: string): void;
  /** Reads what the agent wrote besides its output; optional. */
  readSideLine?(stream: SideStream, text: string, timestamp: string): void;
  /** Lines of stderr that say nothing about the run's outcome. */
  readonly ignoredStderr?: readonly RegExp[];
  /** Fixed texts in stderr that say why the agent ended, with their error codes. */
  readonly fixedStderr?: readonly (readonly [RegExp, string])[];
  /** Exit codes with a special meaning. */
  readonly exitCodes?: ReadonlyMap<number, string>;
  /** The effective end, if the process's own end means nothing, as for a server, which Vitrine stops. */
  exitOf?(exit: ExitInfo): ExitInfo;
  /** Called before calls without a result are closed and the end of the process is added. */
  beforeEnd?(exit: ExitInfo, timestamp: string): void;
  facts(): OwnFacts;
}

/**
 * The common part of all normalizers for agents that print one JSON object per line: stderr; lines that are too long,
 * malformed or unknown; unanswered calls; how the process ended.
 */
export class LineNormalizer implements Normalizer {
  readonly #run: NormalizedRun;
  readonly #reader: AgentReader;
  readonly #stderr: Stderr;
  readonly #spreadJson = new SpreadJson();
  #hasEnded = false;

  constructor(context: NormalizerContext, makeReader: (run: NormalizedRun) => AgentReader) {
    this.#run = new NormalizedRun(context);
    this.#reader = makeReader(this.#run);
    this.#stderr = new Stderr(this.#run.writer);
  }

  push(line: OutputLine, at: number): readonly EntryUpdate[] {
    try {
      if (line.stream === 'stderr') this.#pushStderr(line, at);
      else if ('oversize' in line || line.stream === 'stdout') this.#pushStdout(line, at);
      else if (line.stream === 'client') this.#pushClient(line.text, at);
      else this.#reader.readSideLine?.(line.stream, line.text, this.#run.clock.arrivalTime(at));
    } catch (error) {
      this.#run.lines.logFailure(error, line, this.#run.clock.arrivalTime(at));
    }
    return this.#run.writer.take();
  }

  end(exit: ExitInfo, at: number): readonly EntryUpdate[] {
    const run = this.#run;
    if (this.#hasEnded) return run.writer.take();
    this.#hasEnded = true;
    const timestamp = this.#run.clock.arrivalTime(at);
    this.#stderr.close();
    this.#spreadJson.abandon();
    this.#addAbandonedJson(timestamp);
    run.client.end(timestamp);
    run.texts.end();
    this.#reader.beforeEnd?.(exit, timestamp);
    run.calls.end(`No result: the run ended before the tool returned (${describeExit(exit)}).`, timestamp);
    const stderr = this.#stderrWithoutNoise();
    const ending = endingOf({
      exit: this.#reader.exitOf?.(exit) ?? exit,
      stderr,
      knownError: knownError(this.#reader.fixedStderr ?? [], stderr),
      exitCodes: this.#reader.exitCodes,
      lines: run.lines.counts.total,
      hasFailed: run.hasErrorEntry,
      interrupted: run.interrupted,
      isUnfinished: run.isInTurn,
    });
    if (ending.kind === 'interrupted') run.interrupt(ending.text, timestamp);
    else if (ending.kind === 'error') run.error(ending.text, ending.code, timestamp);
    return run.writer.take();
  }

  facts(): RunFacts {
    const { session, texts, lines, warnings, isUnknownSession } = this.#run;
    const own = this.#reader.facts();
    return {
      ...own,
      sessionIds: [...session.ids],
      model: session.model,
      messages: own.messages ?? [],
      sideCalls: own.sideCalls ?? 0,
      userLines: 0,
      lines: { ...lines.counts },
      warnings,
      unknownSession: isUnknownSession,
      unfinished: this.#run.isInTurn,
      stderr: this.#stderr.text,
      // A getter: they grow with the run, and facts are read often during a stream.
      get answer() {
        return texts.answer;
      },
      get finalText() {
        return texts.finalText;
      },
    };
  }

  #pushStdout(output: OutputLine, at: number): void {
    if ('text' in output && isBlank(output.text)) {
      this.#reader.readBlankLine?.();
      return;
    }
    this.#stderr.close();
    this.#run.lines.counts.total += 1;
    if ('oversize' in output) {
      this.#run.lines.addOversize(output.oversize, this.#run.clock.arrivalTime(at));
      return;
    }
    const { text } = output;
    const spread = this.#reader.readPlainLine === undefined ? this.#spreadJson.addLine(text) : 'no';
    this.#addAbandonedJson(this.#run.clock.arrivalTime(at));
    if (spread === 'no') this.#pushText(text, at);
    else if (spread !== 'more') this.#pushMessages(spread.value, spread.raw, at);
  }

  #pushText(text: string, at: number): void {
    if (this.#pushMessages(parse(text), text, at)) return;
    const line = { raw: text, timestamp: this.#run.clock.arrivalTime(at) };
    if (this.#reader.readPlainLine?.(line) !== true) this.#run.lines.addMalformed(text, line.timestamp);
  }

  /** One message, or a list of messages. `false`: neither. */
  #pushMessages(value: unknown, raw: string, at: number): boolean {
    if (isObject(value)) {
      const line = { raw, timestamp: this.#run.clock.time(value['timestamp'], at) };
      if (!this.#reader.readMessage(value, line)) this.#run.lines.addUnknown(unknownLine(value), raw, line.timestamp);
      return true;
    }
    if (!Array.isArray(value) || !value.some(isObject)) return false;
    for (const item of value) {
      const one = JSON.stringify(item);
      if (!this.#pushMessages(isObject(item) ? item : undefined, one, at))
        this.#run.lines.addMalformed(one, this.#run.clock.arrivalTime(at));
    }
    return true;
  }

  #addAbandonedJson(timestamp: string): void {
    for (const line of this.#spreadJson.takeAbandoned()) this.#run.lines.addMalformed(line, timestamp);
  }

  #pushClient(text: string, at: number): void {
    this.#stderr.close();
    if (this.#hasEnded || this.#run.client.push(text, at)) return;
    this.#run.lines.addUnknown('Unknown line written by Vitrine', text, this.#run.clock.arrivalTime(at));
  }

  #pushStderr(line: OutputLine, at: number): void {
    const text = stderrText(line);
    if (isBlank(text)) return;
    const timestamp = this.#run.clock.arrivalTime(at);
    this.#reader.readStderrLine?.(text, timestamp);
    this.#stderr.push(text, timestamp, this.#run.session.metadata());
  }

  #stderrWithoutNoise(): string {
    const noise = this.#reader.ignoredStderr ?? [];
    const lines = this.#stderr.text.split('\n');
    return lines.filter((line) => !noise.some((pattern) => pattern.test(line))).join('\n');
  }
}
