import { code } from '../shared/describe.ts';
import { nonEmpty } from '../shared/guards.ts';
import type { RunReport } from '../../model/usage/facts.ts';
import type { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import type { Conversation } from './conversation.ts';
import { codeOfText, errorCode, errorText } from './errors.ts';
import { presetOf } from './presets.ts';
import { Reports, reportText } from './report.ts';
import type { AcpSession } from './session.ts';
import type { RpcError, TurnEnd, UsageUpdate } from './wire.ts';

/** Stop reasons with which the agent did not do what was asked. */
const stopErrors = new Map([
  ['max_tokens', { code: 'max_output_tokens', text: 'The response was cut off at the token limit.' }],
  ['max_turn_requests', { code: 'max_turns', text: 'The turn reached its request limit.' }],
  ['refusal', { code: 'refusal', text: 'The model refused to continue.' }],
]);

/** Only known words count as success. */
function unknownStop(stopReason: string): { code: string; text: string } | undefined {
  if (stopReason === 'end_turn' || stopReason === 'cancelled') return undefined;
  const named = code(stopReason);
  return { code: 'unknown_stop', text: `The agent ended the turn for an unknown reason: ${named}.` };
}

/** How the turns of a process end, and their results. */
export class Turns {
  readonly #run: NormalizedRun;
  readonly #session: AcpSession;
  readonly #conversation: Conversation;
  readonly #reports: Reports;
  /** The agent reported that the turn is failing, but not why. */
  #hasSystemError = false;
  /** Tool calls of the turns that have ended. */
  #callsBefore = 0;

  constructor(run: NormalizedRun, session: AcpSession, conversation: Conversation) {
    this.#run = run;
    this.#session = session;
    this.#conversation = conversation;
    this.#reports = new Reports(() => presetOf(session.agent?.name ?? null)?.quirks.hasRunningTotals === true);
  }

  get reports(): readonly RunReport[] {
    return this.#reports.all;
  }

  /** The cost of the conversation, if no turn has ended that could have it. */
  get sessionUsd(): number | undefined {
    return this.#reports.count === 0 ? (this.#reports.usd ?? undefined) : undefined;
  }

  /** Context tokens as last reported. */
  contextTokens: number | undefined;

  /** For costs that are not in US dollars. */
  currency: string | undefined;

  usage({ usd, currency, contextWindow, contextTokens, model }: UsageUpdate): void {
    this.#reports.cost(usd);
    this.currency = currency ?? this.currency;
    this.#reports.contextWindow(contextWindow);
    this.#reports.contextTokens(contextTokens);
    this.contextTokens = contextTokens ?? this.contextTokens;
    this.#session.modelUsed(model);
  }

  markFailing(): void {
    this.#hasSystemError = true;
  }

  /** The agent says that the turn has ended. */
  endTurn(end: TurnEnd, timestamp: string): void {
    this.#conversation.interrupt();
    const cancelled = end.stopReason === 'cancelled';
    const reason = 'No result: the turn ended before the tool returned.';
    this.#conversation.calls.settle(cancelled ? 'The turn was cancelled.' : reason, timestamp, !cancelled);
    const [only] = end.models;
    if (end.models.length === 1) this.#session.modelUsed(only?.model);
    const error = this.#failureReason(end.stopReason, timestamp);
    if (cancelled) this.#run.interrupt('The turn was cancelled.', timestamp);
    this.#close(end, error, timestamp);
  }

  /** The agent answered with an error. */
  turnFailed(error: RpcError, timestamp: string): void {
    const shown = errorText(error);
    const name = errorCode(error);
    this.#conversation.interrupt();
    // The client sent a method that this agent does not have: the agent did not fail.
    if (name === 'method_not_found' || (name === 'invalid_params' && this.#session.agent !== null)) {
      const type = { kind: 'error', error: { message: shown, code: name } } as const;
      this.#run.writer.add({ type, content: shown, timestamp, metadata: this.#run.session.metadata() });
      return;
    }
    this.#conversation.calls.settle('No result: the turn failed before the tool returned.', timestamp);
    this.#run.error(shown, name, timestamp);
    this.#close(null, shown, timestamp);
  }

  /** Why a turn failed although the agent ended it normally. */
  #failureReason(stopReason: string, timestamp: string): string | undefined {
    if (this.#hasSystemError) {
      const last = nonEmpty(this.#run.texts.finalText.trim());
      const shown = 'The agent reported that the turn failed. Its last message has the reason.';
      const entry = last === undefined ? 'The agent reported that the turn failed.' : shown;
      this.#run.error(entry, codeOfText(last ?? '') ?? 'system_error', timestamp);
      return last ?? entry;
    }
    const stopError = stopErrors.get(stopReason) ?? unknownStop(stopReason);
    if (stopError !== undefined) this.#run.error(stopError.text, stopError.code, timestamp);
    return stopError?.text;
  }

  #close(end: TurnEnd | null, error: string | undefined, timestamp: string): void {
    const { texts, session } = this.#run;
    const text = texts.finalText === '' ? null : texts.finalText;
    const hasCalledTools = this.#conversation.toolCalls > this.#callsBefore;
    this.#callsBefore = this.#conversation.toolCalls;
    const report = this.#reports.turn({ end, error, text, model: session.model, hasCalledTools });
    this.#run.isInTurn = false;
    this.#hasSystemError = false;
    this.#conversation.plans.endTurn();
    const { isError, usage } = report;
    this.#run.system('result', reportText(report, end?.stopReason), timestamp, {
      result: { isError, stopReason: end?.stopReason ?? null, usage, costUsd: this.#reports.usd },
    });
  }
}
