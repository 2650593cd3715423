import type { Origin } from '../../model/transcript/entry.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import { code } from '../shared/describe.ts';
import { field, nonEmpty, objects, text } from '../shared/guards.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { Conversation, isConversation } from './conversation.ts';
import { fixedStderr, noise } from './errors.ts';
import { Notes } from './notes.ts';
import { AcpSession } from './session.ts';
import { Turns } from './turns.ts';
import { rpcMessage, turnEnd, usageUpdate, type RpcMessage } from './wire.ts';

/**
 * `setup`: the conversation is not open yet; messages are history. `unclear`: an empty answer arrived, which may be for the
 * request that opens the conversation. `live`: messages are new.
 */
type Phase = 'setup' | 'unclear' | 'live';

/** Client methods with which an agent carries out a call. */
const clientMethods = /^(?:fs|terminal)\//;

/** Reads the output of an Agent Client Protocol agent: answers, notifications and requests. */
export class AcpReader implements AgentReader {
  readonly ignoredStderr = noise;
  readonly fixedStderr = fixedStderr;
  readonly #run: NormalizedRun;
  readonly #session: AcpSession;
  readonly #conversation: Conversation;
  readonly #turns: Turns;
  readonly #notes: Notes;
  /** The record has the history, because this is not the first run of the conversation. */
  readonly #isHistoryRecorded: boolean;
  #phase: Phase = 'setup';
  #replayedUpdates = 0;
  #subagents = 0;
  #effectiveExit: ExitInfo | undefined;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.#session = new AcpSession(run);
    this.#conversation = new Conversation(run);
    this.#turns = new Turns(run, this.#session, this.#conversation);
    this.#notes = new Notes(run);
    run.onDecided = ({ callId }, { by, answer }) => {
      if (callId === undefined || by === 'withdrawn' || by === 'run_over') return;
      this.#conversation.calls.setDecision(callId, answer.kind === 'allow');
    };
    run.addToolOutput = (callId, stdout, exitCode, timestamp) => {
      const context = { timestamp, metadata: run.session.metadata() };
      return this.#conversation.calls.setOutput(callId, stdout, exitCode, context);
    };
    this.#isHistoryRecorded = run.context.resume !== undefined && run.context.firstIndex > 1;
  }

  readMessage(value: JsonObject, line: SourceLine): boolean {
    const message = rpcMessage(value);
    if (message === undefined) return false;
    if (this.#readRpcMessage(message, line)) return true;
    if (message.kind !== 'notification' && message.kind !== 'request') return false;
    const kind = nonEmpty(field(message.params['update'], 'sessionUpdate'));
    const name = code(kind === undefined ? message.method : `${message.method} ${kind}`);
    this.#run.lines.addUnknown(`Unknown message type: ${name}`, line.raw, line.timestamp);
    return true;
  }

  /** A server is stopped when it is no longer needed; the run counts as interrupted only if a turn was running. */
  exitOf(exit: ExitInfo): ExitInfo {
    const idle = !this.#run.isInTurn && this.#turns.reports.length > 0;
    return idle && (exit.signal === 'SIGTERM' || exit.code === 143) ? { code: 0, signal: null } : exit;
  }

  beforeEnd(exit: ExitInfo, timestamp: string): void {
    const counted = this.exitOf(exit);
    if (counted !== exit) this.#effectiveExit = counted;
    this.#conversation.interrupt();
    this.#conversation.calls.settle('No result: the run ended before the tool returned.', timestamp);
  }

  facts(): OwnFacts {
    return {
      agentVersion: this.#session.agent?.version ?? null,
      permissionMode: this.#session.mode,
      reports: this.#turns.reports,
      sideCalls: this.#subagents + this.#conversation.calls.sideCalls,
      ...(this.#turns.sessionUsd !== undefined && { sessionUsd: this.#turns.sessionUsd }),
      ...(this.#turns.contextTokens !== undefined && { contextTokens: this.#turns.contextTokens }),
      ...(this.#turns.currency !== undefined && { otherCurrency: this.#turns.currency }),
      ...(this.#effectiveExit !== undefined && { ended: this.#effectiveExit }),
    };
  }

  #readRpcMessage(message: RpcMessage, line: SourceLine): boolean {
    switch (message.kind) {
      case 'answer':
        this.#answer(message.result, line);
        return true;
      case 'error':
        this.#turns.turnFailed(message.error, line.timestamp);
        return true;
      case 'notification':
        return this.#readNotification(message.method, message.params, line);
      case 'request':
        return this.#readRequest(message.method, message.id, message.params, line);
    }
  }

  /**
   * The fields of an answer decide which request it is for: ids are not enough, because the requests are not in the output.
   */
  #answer(result: unknown, line: SourceLine): void {
    if (!isObject(result) || Object.keys(result).every((key) => key === '_meta')) {
      if (this.#phase === 'setup' && this.#session.agent !== null) this.#handleEmptyAnswer(line);
      return;
    }
    const end = turnEnd(result);
    if (end !== undefined) {
      this.#phase = 'live';
      this.#turns.endTurn(end, line.timestamp);
    } else if (typeof result['protocolVersion'] === 'number') this.#session.readInitializeResult(result);
    else if (Array.isArray(result['sessions'])) return;
    else if (nonEmpty(result['messageId']) !== undefined) this.#run.isInTurn = true;
    else if (this.#phase !== 'live' || nonEmpty(result['sessionId']) !== undefined) this.#handleOpening(result, line);
    else this.#session.settings(result, line.timestamp);
  }

  /** If history came before, this answers the request for it; otherwise the next line decides. */
  #handleEmptyAnswer(line: SourceLine): void {
    if (this.#replayedUpdates > 0) this.#handleOpening({}, line);
    else this.#phase = 'unclear';
  }

  #handleOpening(result: JsonObject, { timestamp }: SourceLine): void {
    this.#conversation.interrupt();
    this.#conversation.calls.settle('No result in the history.', timestamp);
    this.#conversation.plans.endTurn();
    this.#phase = 'live';
    this.#session.handleOpened(result, timestamp);
    if (this.#replayedUpdates > 0 && this.#isHistoryRecorded) {
      const shown = 'The agent repeated the earlier conversation, which is shown above.';
      this.#run.addSideEntry('replay', shown, timestamp, { updates: this.#replayedUpdates });
    }
    this.#replayedUpdates = 0;
    this.#run.checkResumed(timestamp);
  }

  #readNotification(method: string, params: JsonObject, line: SourceLine): boolean {
    if (method === '_auth/status_update') {
      this.#session.auth(params);
      return true;
    }
    if (method !== 'session/update') return this.#notes.readNotification(method, params, line.timestamp);
    const update = params['update'];
    return isObject(update) && this.#readUpdate(update, nonEmpty(params['sessionId']), line);
  }

  #readUpdate(update: JsonObject, sessionId: string | undefined, line: SourceLine): boolean {
    const { session } = this.#run;
    if (session.id === null) session.setId(sessionId);
    const child = sessionId !== undefined && sessionId !== session.id ? sessionId : undefined;
    const kind = nonEmpty(update['sessionUpdate']) ?? '';
    if (isConversation(kind)) return this.#handleMessage(kind, update, child, line);
    const { timestamp } = line;
    if (child !== undefined) return this.#notes.readUpdate(kind, update, timestamp) || aboutSessions.has(kind);
    switch (kind) {
      case 'usage_update':
        this.#turns.usage(usageUpdate(update));
        return true;
      case 'config_option_update':
        this.#session.settings(update, timestamp);
        return true;
      case 'current_mode_update':
        this.#session.setMode(nonEmpty(update['currentModeId']) ?? nonEmpty(update['modeId']), timestamp);
        return true;
      case 'available_commands_update':
        this.#session.commands(update['availableCommands']);
        return true;
      case 'session_info_update': {
        const thread = field(field(field(update['_meta'], 'codex'), 'threadStatus'), 'type');
        if (thread === 'systemError') this.#turns.markFailing();
        this.#session.info(update);
        return true;
      }
      case 'state_update':
        this.#readTurnState(update, line);
        return true;
      case 'subagent_update':
        this.#subagents += 1;
        this.#notes.subagent(update, timestamp);
        return true;
      default:
        return this.#notes.readUpdate(kind, update, timestamp);
    }
  }

  /** An update of the conversation: of its history, of a subagent's, or live. */
  #handleMessage(kind: string, update: JsonObject, child: string | undefined, line: SourceLine): boolean {
    if (this.#phase === 'unclear') {
      if (kind.startsWith('user_message')) this.#phase = 'setup';
      else this.#handleOpening({}, line);
    }
    const history = this.#phase === 'setup';
    if (history) this.#replayedUpdates += 1;
    else if (child === undefined) this.#run.isInTurn = true;
    if (history && this.#isHistoryRecorded) return true;
    const origin: Origin | undefined = history ? 'replay' : child === undefined ? undefined : 'subagent';
    const known = this.#run.session.metadata();
    const metadata = child === undefined ? known : { ...known, childSessionId: child };
    const speaker = { timestamp: line.timestamp, metadata, origin, child, isPartOfAnswer: origin === undefined };
    return this.#conversation.handleUpdate(kind, update, speaker);
  }

  /** Version 2 ends a turn by reporting that the agent is idle. */
  #readTurnState(update: JsonObject, { timestamp }: SourceLine): void {
    const state = update['state'];
    if (this.#phase !== 'live') return;
    if (state === 'running' || state === 'requires_action') this.#run.isInTurn = true;
    const end = state === 'idle' && this.#run.isInTurn ? turnEnd(update) : undefined;
    if (end !== undefined) this.#turns.endTurn(end, timestamp);
  }

  #readRequest(method: string, requestId: string, params: JsonObject, { timestamp }: SourceLine): boolean {
    if (clientMethods.test(method)) return true;
    if (method !== 'session/request_permission') return this.#notes.readRequest(method, params, timestamp);
    const subject = isObject(params['subject']) ? params['subject'] : params;
    const call = isObject(subject['toolCall']) ? subject['toolCall'] : {};
    const callId = nonEmpty(call['toolCallId']) ?? nonEmpty(subject['toolCallId']);
    const options = objects(params['options']).map((option) => ({
      optionId: text(option['optionId']) ?? '',
      name: text(option['name']) ?? '',
      kind: text(option['kind']) ?? '',
    }));
    this.#run.isInTurn = true;
    this.#conversation.interrupt();
    const permission = { requestId, options };
    if (callId === undefined) {
      const title = nonEmpty(params['title']) ?? nonEmpty(subject['command']) ?? 'no details given';
      this.#run.system('permission', `The agent asks for permission: ${code(title)}`, timestamp, {
        permission,
      });
      return true;
    }
    const context = { timestamp, metadata: this.#run.session.metadata() };
    this.#conversation.calls.permission(callId, call, permission, context);
    return true;
  }
}

/** Updates that do not apply to the conversation of a subagent. */
const aboutSessions: ReadonlySet<string> = new Set([
  'usage_update',
  'config_option_update',
  'current_mode_update',
  'available_commands_update',
  'session_info_update',
  'state_update',
  'subagent_update',
]);
