import type { ExitInfo, RunReport } from '../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import { code } from '../shared/describe.ts';
import { idOf, nonEmpty, text } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { errorCode, exitCodes, fixedStderr, noise, serversSkipped, withoutServers } from './errors.ts';
import { reportText, runReport, type Outcome } from './report.ts';
import { asksModels, outcomeOf, toolAction } from './tools.ts';
import { jsonStats, messageText, streamStats, toolResultLine } from './wire.ts';

/** Reads what `gemini -o stream-json` prints, and the one object of `-o json`. */
export class GeminiReader implements AgentReader {
  readonly ignoredStderr = noise;
  readonly fixedStderr = fixedStderr;
  readonly exitCodes = exitCodes;
  readonly #run: NormalizedRun;
  readonly #reports: RunReport[] = [];
  readonly #errors: string[] = [];
  #stderrObject: string[] | undefined;
  #sideCalls = 0;
  #outcome: Outcome | undefined;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  readMessage(message: JsonObject, line: SourceLine): boolean {
    switch (message['type']) {
      case 'init':
        this.#init(message, line);
        return true;
      case 'message':
        return this.#addMessage(message, line);
      case 'tool_use':
        this.#startCall(message, line);
        return true;
      case 'tool_result':
        this.#finishCall(message, line);
        return true;
      case 'error':
        this.#readError(message, line);
        return true;
      case 'result':
        this.#readResult(message, line);
        return true;
      default:
        return this.#readWholeRun(message, line);
    }
  }

  /** In `json` mode, errors are an object on stderr. */
  readStderrLine(content: string, timestamp: string): void {
    if (serversSkipped.test(content)) this.#run.warn(withoutServers, timestamp);
    if (content === '{') this.#stderrObject = [];
    const lines = this.#stderrObject;
    if (lines === undefined || lines.length > 100) return;
    lines.push(content);
    if (content !== '}') return;
    this.#stderrObject = undefined;
    const value = parse(lines.join('\n'));
    if (!isObject(value)) return;
    this.#run.session.setId(value['session_id']);
    const error = value['error'];
    const message = isObject(error) ? nonEmpty(error['message']) : undefined;
    if (message !== undefined && !this.#errors.includes(message)) this.#errors.push(message);
  }

  beforeEnd({ code: exitCode }: ExitInfo, timestamp: string): void {
    const exitCodeError = exitCodes.get(exitCode ?? 0);
    const printed = this.#errors.at(-1);
    // Without a closing line, only the exit code and, for `-o json`, the object on stderr remain.
    if (this.#reports.length > 0 || (printed === undefined && exitCodeError !== 'max_turns')) return;
    const message = printed ?? 'The turn limit was reached.';
    const shown = exitCodeError ?? errorCode(undefined, message);
    this.#run.error(message, shown, timestamp);
    this.#close({ text: null, stats: streamStats(undefined), error: { code: shown, message } });
  }

  facts(): OwnFacts {
    return { agentVersion: null, permissionMode: null, reports: [...this.#reports], sideCalls: this.#sideCalls };
  }

  #init(message: JsonObject, { timestamp }: SourceLine): void {
    const { session } = this.#run;
    this.#run.setSession(message['session_id'], timestamp);
    session.setModel(nonEmpty(message['model']));
    this.#run.isInTurn = true;
    const facts = [
      ['Session', session.id],
      ['Model', session.model],
    ] as const;
    const known = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${code(value)}`]));
    this.#run.system('init', known.join('\n') || 'The agent started', timestamp);
    this.#run.checkResumed(timestamp);
  }

  #addMessage(message: JsonObject, { timestamp }: SourceLine): boolean {
    const shown = messageText(message['content']);
    const { texts, session } = this.#run;
    if (shown === undefined) return false;
    if (message['role'] === 'user') {
      this.#run.addEchoedPrompt(shown, timestamp);
      return true;
    }
    if (message['role'] !== 'assistant') return false;
    this.#run.isInTurn = true;
    if (message['delta'] === true) {
      if (shown !== '') texts.piece('text', shown, timestamp, session.metadata());
    } else if (texts.streamedText('text') === shown) {
      texts.close();
    } else if (shown !== '') {
      texts.add('text', shown, timestamp, session.metadata());
    }
    return true;
  }

  #startCall(message: JsonObject, { timestamp }: SourceLine): void {
    const { calls, texts, session } = this.#run;
    texts.close();
    this.#run.isInTurn = true;
    const toolName = nonEmpty(message['tool_name']) ?? 'unknown';
    const input = message['parameters'];
    const action = toolAction(toolName, input);
    const id = idOf(message['tool_id']) ?? calls.makeId();
    if (asksModels(action) && !calls.hasBegun({ id, toolName, input })) this.#sideCalls += 1;
    calls.start({ id, toolName, action, input, timestamp, metadata: session.metadata() });
  }

  #finishCall(message: JsonObject, { timestamp }: SourceLine): void {
    const { calls, texts, session } = this.#run;
    texts.close();
    const line = toolResultLine(message);
    const id = line.id ?? calls.oldestOpenCall() ?? calls.makeId();
    const shown = [line.output, line.errorMessage].filter((part) => part !== undefined && part !== '');
    const result = { text: [...new Set(shown)].join('\n'), isError: line.isError };
    const call = calls.get(id);
    if (call === undefined) {
      calls.addOrphanedResult(
        { id, status: line.isError ? 'failed' : 'success', result, timestamp },
        session.metadata(),
      );
      return;
    }
    calls.finish({ id, ...outcomeOf(call.toolName, call.action, line), result, timestamp });
  }

  #readError(message: JsonObject, { timestamp }: SourceLine): void {
    const shown = nonEmpty(message['message']) ?? 'The agent reported an error without a message.';
    if (message['severity'] === 'warning') {
      this.#run.warn(shown, timestamp);
      return;
    }
    this.#errors.push(shown);
    this.#run.error(shown, errorCode(undefined, shown), timestamp);
  }

  #readResult(message: JsonObject, { timestamp }: SourceLine): void {
    const { texts } = this.#run;
    texts.close();
    const reported = isObject(message['error']) ? message['error'] : {};
    const type = nonEmpty(reported['type']);
    let error: Outcome['error'];
    if (message['status'] === 'error' || message['error'] !== undefined) {
      const shown = nonEmpty(reported['message']) ?? this.#errors.at(-1) ?? 'The run failed; the agent gave no reason.';
      error = { code: errorCode(type, shown), message: shown };
      this.#run.error(shown, error.code, timestamp);
    }
    const last = texts.finalText;
    this.#close({ text: last === '' ? null : last, stats: streamStats(message['stats']), error });
    this.#closingEntry(message['stats'], timestamp);
  }

  /** The single object of `-o json`. */
  #readWholeRun(message: JsonObject, { timestamp }: SourceLine): boolean {
    const response = text(message['response']);
    const reported = isObject(message['error']) ? message['error'] : undefined;
    if (response === undefined && reported === undefined && !isObject(message['stats'])) return false;
    const { session, texts } = this.#run;
    session.setId(message['session_id']);
    if (response !== undefined && response !== '') texts.add('text', response, timestamp, session.metadata());
    const shown = nonEmpty(reported?.['message']);
    let error: Outcome['error'];
    if (reported !== undefined) {
      error = { code: errorCode(nonEmpty(reported['type']), shown ?? ''), message: shown ?? 'The run failed.' };
      this.#run.error(error.message, error.code, timestamp);
    }
    this.#close({ text: response ?? null, stats: jsonStats(message['stats']), error });
    this.#closingEntry(message['stats'], timestamp);
    return true;
  }

  #close(outcome: Outcome): void {
    this.#run.isInTurn = false;
    this.#outcome = outcome;
    this.#reports.push(runReport(outcome));
  }

  #closingEntry(stats: unknown, timestamp: string): void {
    if (this.#outcome === undefined) return;
    this.#run.system('result', reportText(this.#outcome), timestamp, {
      result: { isError: this.#outcome.error !== undefined, stats: isObject(stats) ? stats : null },
    });
  }
}
