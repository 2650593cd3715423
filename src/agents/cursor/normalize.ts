import type { RunReport } from '../../model/usage/facts.ts';
import type { JsonObject } from '../../model/text/json.ts';
import { code } from '../shared/describe.ts';
import { parseAmount, nonEmpty, text } from '../shared/guards.ts';
import { emptyReport } from '../shared/normalizer/emptyReport.ts';
import { unknownContent } from '../shared/normalizer/lineLog.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { Pieces } from './pieces.ts';
import { outcomeOf, toolAction } from './tools.ts';
import { isPiece, messageText, otherBlocks, timeOfMessage, tokenUsage, toolCallLine } from './wire.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:not logged in|Authentication required|run ['`]?(?:cursor-)?agent login|Invalid API key)\b/i,
    'authentication_failed',
  ],
  [/\bWorkspace Trust Required\b|\bnot trusted\b/i, 'not_trusted'],
  [/^error: (?:unknown option|missing required|too many arguments)/m, 'bad_flag'],
  [/\b(?:chat|session|conversation)\b.*\bnot found\b/i, 'unknown_session'],
];

/** A piece of this length that equals all earlier text is the complete message: models do not repeat that much. */
const shortestRepeat = 40;

/** Reads the output of `cursor-agent -p --output-format stream-json`. */
export class CursorReader implements AgentReader {
  readonly fixedStderr = fixedStderr;
  readonly #run: NormalizedRun;
  readonly #reports: RunReport[] = [];
  #permissionMode: string | null = null;
  #sideCalls = 0;
  /** Text that arrived in pieces and is not complete yet. */
  readonly #pieces = new Pieces();
  /** Some text came in pieces. */
  #hasStreamedText = false;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  readMessage(message: JsonObject, arrived: SourceLine): boolean {
    const line = { ...arrived, timestamp: timeOfMessage(message) ?? arrived.timestamp };
    if (this.#run.session.id === null) this.#run.session.setId(message['session_id']);
    switch (message['type']) {
      case 'system':
        return message['subtype'] === 'init' && this.#readInit(message, line);
      case 'user':
        return this.#readUserMessage(message, line);
      case 'thinking':
        return this.#readThinking(message, line);
      case 'assistant':
        return this.#readAssistantMessage(message, line);
      case 'tool_call':
        return this.#readToolCall(message, line);
      case 'result':
        this.#readResult(message, line);
        return true;
      default:
        return false;
    }
  }

  facts(): OwnFacts {
    return {
      agentVersion: null,
      permissionMode: this.#permissionMode,
      reports: [...this.#reports],
      sideCalls: this.#sideCalls,
    };
  }

  #readInit(message: JsonObject, { timestamp }: SourceLine): boolean {
    const { session } = this.#run;
    this.#run.setSession(message['session_id'], timestamp);
    session.setModel(nonEmpty(message['model']));
    this.#permissionMode = nonEmpty(message['permissionMode']) ?? null;
    session.setOwn({ permissionMode: this.#permissionMode });
    this.#run.isInTurn = true;
    const folder = nonEmpty(message['cwd']);
    const facts = [
      ['Session', session.id ?? undefined],
      ['Model', session.model ?? undefined],
      ['Folder', folder],
      ['Permission mode', this.#permissionMode ?? undefined],
    ] as const;
    const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${code(value)}`]));
    this.#run.system('init', known.join('\n') || 'The agent started', timestamp, {
      apiKeySource: nonEmpty(message['apiKeySource']) ?? null,
      cwd: folder ?? null,
    });
    this.#run.checkResumed(timestamp);
    return true;
  }

  #readUserMessage(message: JsonObject, { timestamp }: SourceLine): boolean {
    const shown = messageText(message);
    if (shown === undefined) return false;
    this.#run.addEchoedPrompt(shown, timestamp);
    return true;
  }

  #readThinking(message: JsonObject, { timestamp }: SourceLine): boolean {
    const { texts, session } = this.#run;
    const shown = text(message['text']) ?? '';
    if (message['subtype'] === 'completed') {
      if (shown === '' || texts.streamedText('thinking') === shown) texts.close();
      else texts.add('thinking', shown, timestamp, session.metadata());
      return true;
    }
    if (message['subtype'] !== 'delta') return false;
    if (shown !== '') texts.piece('thinking', shown, timestamp, session.metadata());
    return true;
  }

  #readAssistantMessage(message: JsonObject, line: SourceLine): boolean {
    for (const block of otherBlocks(message)) {
      this.#run.lines.addUnknown(unknownContent(block), line.raw, line.timestamp);
    }
    const shown = messageText(message);
    if (shown === undefined) return otherBlocks(message).length > 0;
    this.#run.isInTurn = true;
    if (shown !== '') this.#addText(shown, isPiece(message), line);
    return true;
  }

  /** With partial output, the pieces of a message come first, then the complete message. */
  #addText(content: string, piece: boolean, { timestamp }: SourceLine): void {
    const { texts, session } = this.#run;
    // After a call, an identical piece is a repetition.
    const isMessage = this.#pieces.isEqualTo(content) && !(piece && this.#pieces.isComplete);
    const repeated = isMessage || texts.isStreamed('text', content);
    if (piece && (!repeated || content.length < shortestRepeat)) {
      this.#hasStreamedText = true;
      this.#pieces.add(content);
      texts.piece('text', content, timestamp, session.metadata());
      return;
    }
    const streamed = texts.streamedText('text');
    if (isMessage) texts.closeMessage(content);
    else if (repeated || (this.#hasStreamedText && texts.isAllOf(content, streamed ?? ''))) texts.close();
    else if (streamed !== undefined && this.#pieces.isPrefixOf(content)) {
      texts.close(content.slice(this.#pieces.length - streamed.length));
    } else if (streamed !== undefined && content.startsWith(streamed)) texts.close(content);
    else texts.add('text', content, timestamp, session.metadata());
    this.#pieces.clear();
  }

  #readToolCall(message: JsonObject, { timestamp }: SourceLine): boolean {
    const call = toolCallLine(message);
    if (call === undefined) return false;
    const { calls, session } = this.#run;
    this.#run.texts.close();
    this.#pieces.endMessage();
    this.#run.isInTurn = true;
    const action = toolAction(call.kind, call.args);
    const { args: input, kind: toolName } = call;
    const id = call.id ?? (call.isComplete ? calls.oldestOpenCall(toolName) : undefined) ?? calls.makeId();
    if (!calls.hasBegun({ id, toolName, input })) {
      if (action.kind === 'task' || action.kind === 'web_search') this.#sideCalls += 1;
      calls.start({ id, toolName, action, input, timestamp, metadata: session.metadata() });
    }
    if (call.isComplete) calls.finish({ id, ...outcomeOf(action, call.result), timestamp });
    return true;
  }

  #readResult(message: JsonObject, { timestamp }: SourceLine): void {
    const { texts, session } = this.#run;
    texts.close();
    this.#run.isInTurn = false;
    const shown = nonEmpty(message['result']);
    const subtype = nonEmpty(message['subtype']) ?? null;
    const isError = message['is_error'] === true || subtype?.startsWith('error') === true;
    const durationMs = parseAmount(message['duration_ms']) ?? null;
    const error = isError ? (shown ?? 'The run failed; the agent gave no reason.') : undefined;
    if (error !== undefined) this.#run.error(error, undefined, timestamp);
    else if (shown !== undefined && !this.#hasSaid(shown)) texts.add('text', shown, timestamp, session.metadata());
    this.#reports.push({
      ...emptyReport,
      isError,
      subtype,
      text: shown ?? null,
      errors: error === undefined ? [] : [error],
      durationMs,
      apiDurationMs: parseAmount(message['duration_api_ms']) ?? null,
      usage: tokenUsage(message['usage']),
      cover: { of: 'run', sure: true },
    });
    const title = isError ? 'Failed' : 'Completed';
    const parts = durationMs === null ? [title] : [title, englishNumbers.duration(durationMs)];
    this.#run.system('result', parts.join(' · '), timestamp, {
      result: { isError, subtype, durationMs, requestId: nonEmpty(message['request_id']) ?? null },
    });
  }

  /** The closing line joins all texts of the run without separator. */
  #hasSaid(content: string): boolean {
    const { texts: texts } = this.#run.texts;
    return (
      texts.join('') === content ||
      texts.at(-1) === content ||
      texts.join('\n') === content ||
      texts.join('\n\n') === content
    );
  }
}
