import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { MessageUsage } from '../../../model/usage/facts.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { code } from '../../shared/describe.ts';
import { count, field, nonEmpty, objects, text } from '../../shared/guards.ts';
import type { NormalizedRun, SourceLine } from '../../shared/normalizer/normalizedRun.ts';
import { textOfBlocks } from '../../shared/resultText.ts';
import { errorCode } from '../errors.ts';
import { interruptedReport } from '../report.ts';
import type { ThreadEvents } from '../threads/threadEvents.ts';
import { tokenUsage, type CodexItem } from '../wire.ts';
import { isApproval } from './approvals.ts';
import { limitsOf, limitsText } from './limits.ts';
import { RunningOutput } from './runningOutput.ts';
import { execItem, serverMessage, turnErrorText, withUnderscores, type ServerMessage } from './wire.ts';

/** Requests with separate tokens. */
const maxRequests = 100_000;

/** Notifications that repeat what others say, or that are not about the conversation. */
const ignoredNotifications: readonly RegExp[] = [
  /^thread\/(?:status\/changed|name\/updated|settings\/updated|goal\/\w+|queue\/changed|closed|compacted|readState\/changed)$/,
  /^thread\/(?:environment\/\w+|project\/updated|section\/changed|prediction\/updated|attachment\/updated)$/,
  /^turn\/(?:diff\/updated|moderationMetadata)$/,
  /^item\/(?:fileChange\/(?:outputDelta|patchUpdated)|commandExecution\/terminalInteraction|mcpToolCall\/progress)$/,
  /^item\/(?:plan\/delta|autoApprovalReview\/\w+)$/,
  /^(?:account|app|skills|hook|project|remoteControl|rawResponse|rawResponseItem|modelProvider)\//,
  /^(?:serverRequest\/resolved|model\/verification|model\/safetyBuffering\/updated|mcpServer\/\w+(?:\/\w+)*)$/,
  /^windowsSandbox\//,
];

/** Answers that say nothing to a reader: their effects follow as notifications. */
const silentAnswers = new Set(['initialize', 'config/read', 'turn/start', 'turn/steer', 'turn/interrupt']);
const limitsRead = 'account/rateLimits/read';

/** The output of `codex app-server`: its items become those of `codex exec`, so that both give the same transcript. */
export class AppServerEvents {
  readonly #run: NormalizedRun;
  readonly #threads: ThreadEvents;
  readonly #output: RunningOutput;
  readonly #messages: MessageUsage[] = [];
  /** The thread of this conversation; others are of subagents. */
  #thread: string | undefined;
  #turn: string | undefined;
  #total: JsonObject | undefined;
  /** Entries since the last tokens: those of one answer of the model. */
  #entries: number[] = [];
  #plan: CodexItem | undefined;
  #limits: NormalizedEntry | undefined;

  constructor(run: NormalizedRun, threads: ThreadEvents) {
    this.#run = run;
    this.#threads = threads;
    this.#output = new RunningOutput(run);
  }

  get messages(): readonly MessageUsage[] {
    return this.#messages;
  }

  /** `undefined`: not a message of the app-server. `false`: one of an unknown kind. */
  readMessage(value: JsonObject, line: SourceLine): boolean | undefined {
    const message = serverMessage(value);
    if (message === undefined) return undefined;
    switch (message.kind) {
      case 'answer':
        return this.#readAnswer(message, line);
      case 'error':
        this.#addRequestError(message, line);
        return true;
      case 'request':
        return isApproval(message.method);
      case 'notification':
        return this.#readNotification(message.method, message.params, line);
    }
  }

  #readAnswer({ method, result }: Extract<ServerMessage, { kind: 'answer' }>, line: SourceLine): boolean {
    if (/^thread\/(?:start|resume|fork)$/.test(method)) {
      this.#begin(field(result['thread'], 'id'), result['model'], line);
      return true;
    }
    if (method !== limitsRead) return silentAnswers.has(method);
    this.#updateLimits(result['rateLimits'], line);
    return true;
  }

  /** One entry with the newest limits. An update without figures does not clear them. */
  #updateLimits(limits: unknown, { timestamp }: SourceLine): void {
    const content = limitsText(limits);
    if (content === undefined || content === this.#limits?.content) return;
    if (this.#limits === undefined) {
      this.#limits = this.#run.addSideEntry('plan_limits', content, timestamp, { planLimits: limitsOf(limits) });
      return;
    }
    this.#limits = { ...this.#limits, content, metadata: { ...this.#limits.metadata, planLimits: limitsOf(limits) } };
    this.#run.writer.put(this.#limits);
  }

  /** Vitrine's own request failed. */
  #addRequestError({ method, message }: Extract<ServerMessage, { kind: 'error' }>, line: SourceLine): void {
    // Only accounts with a plan have limits. A message that comes too late for its turn begins another one.
    if ([limitsRead, 'turn/steer', 'turn/interrupt', 'config/read'].includes(method)) return;
    const unknown = /\bno rollout found\b|\bthread not found\b/i.test(message);
    this.#run.error(message, unknown ? 'unknown_session' : (errorCode(message) ?? 'app_server'), line.timestamp);
  }

  #begin(id: unknown, model: unknown, line: SourceLine): void {
    this.#run.session.setModel(nonEmpty(model));
    const thread = nonEmpty(id);
    if (thread === undefined || thread === this.#thread) return;
    this.#thread = thread;
    this.#threads.readLine({ type: 'thread.started', thread_id: thread }, line);
  }

  #readNotification(method: string, params: JsonObject, line: SourceLine): boolean {
    switch (method) {
      case 'thread/started': {
        const { thread } = params;
        const isOwn = this.#thread === undefined && nonEmpty(field(thread, 'parentThreadId')) === undefined;
        if (isOwn) this.#begin(field(thread, 'id'), field(thread, 'model'), line);
        return true;
      }
      case 'account/rateLimits/updated':
        this.#updateLimits(params['rateLimits'], line);
        return true;
      case 'warning':
        this.#run.warn(text(params['message']) ?? 'The agent reported a warning without a message.', line.timestamp);
        return true;
      case 'configWarning':
      case 'deprecationNotice':
        this.#addNotice([params['summary'], params['details']], line);
        return true;
      default:
        return (
          this.#isForeign(params) || this.#readThreadNotification(method, params, line) || isIgnoredNotification(method)
        );
    }
  }

  /** Whether a message is about a subagent's thread. The subagent's call already has the prompt and the answer. */
  #isForeign({ threadId }: JsonObject): boolean {
    return typeof threadId === 'string' && this.#thread !== undefined && threadId !== this.#thread;
  }

  #readThreadNotification(method: string, params: JsonObject, line: SourceLine): boolean {
    switch (method) {
      case 'turn/started':
        this.#turn = nonEmpty(field(params['turn'], 'id'));
        this.#threads.readLine({ type: 'turn.started' }, line);
        return true;
      case 'turn/completed':
        this.#endTurn(params['turn'], line);
        return true;
      case 'turn/plan/updated':
        this.#updatePlan(params, line);
        return true;
      case 'error':
        return this.#threads.readLine(
          { type: 'error', message: turnErrorText(params['error']), will_retry: params['willRetry'] },
          line,
        );
      case 'item/started':
      case 'item/completed':
        return this.#readItem(params['item'], method === 'item/completed', line);
      case 'item/agentMessage/delta':
        return this.#addTextDelta('agent_message', params, line);
      case 'item/reasoning/summaryTextDelta':
        return this.#addTextDelta('reasoning', params, line);
      case 'item/reasoning/summaryPartAdded':
        return (
          (count(params['summaryIndex']) ?? 0) === 0 ||
          this.#addTextDelta('reasoning', { ...params, delta: '\n\n' }, line)
        );
      case 'item/reasoning/textDelta':
        // The complete item decides between the summary and the text itself.
        return true;
      case 'item/commandExecution/outputDelta':
        this.#output.add(nonEmpty(params['itemId']), text(params['delta']) ?? '');
        return true;
      case 'thread/tokenUsage/updated':
        this.#addTokens(params);
        return true;
      case 'model/rerouted':
        this.#run.session.setModel(nonEmpty(params['toModel']));
        this.#addNotice([`Codex switched to the model ${code(text(params['toModel']) ?? '')}.`], line);
        return true;
      default:
        return false;
    }
  }

  #addNotice(parts: readonly unknown[], { timestamp }: SourceLine): void {
    const shown = parts.flatMap((part) => nonEmpty(part) ?? []).join('\n\n');
    this.#run.addSideEntry('notice', shown, timestamp);
  }

  #addTextDelta(type: 'agent_message' | 'reasoning', params: JsonObject, line: SourceLine): boolean {
    const id = nonEmpty(params['itemId']);
    const delta = text(params['delta']);
    if (id === undefined || delta === undefined) return false;
    this.#trackWrittenEntry(() => this.#threads.piece(type, id, delta, line));
    return true;
  }

  #readItem(value: unknown, isComplete: boolean, line: SourceLine): boolean {
    const item = execItem(value);
    if (item === undefined) return false;
    switch (item.type) {
      case 'user_message':
        if (isComplete) this.#run.addEchoedPrompt(textOfBlocks(item.fields['content']) ?? '', line.timestamp);
        return true;
      case 'agent_message':
      case 'reasoning':
        // Most texts begin empty, and thoughts may stay so.
        if (isComplete)
          this.#trackWrittenEntry(() => this.#threads.readLine({ type: 'item.completed', item: item.fields }, line));
        return true;
      case 'context_compaction':
        if (isComplete) this.#run.addSideEntry('compaction', 'Codex summarized the conversation.', line.timestamp);
        return true;
      case 'sub_agent_activity':
        if (isComplete) this.#addNotice([`Subagent: ${code(text(item.fields['agent_path']) ?? '')}`], line);
        return true;
      case 'image_view':
        if (isComplete) this.#addImageView(item, line);
        return true;
      default:
        this.#output.forget(isComplete ? item.id : undefined);
        this.#trackWrittenEntry(() =>
          this.#threads.readLine({ type: isComplete ? 'item.completed' : 'item.started', item: item.fields }, line),
        );
        return true;
    }
  }

  #addImageView({ id, fields }: CodexItem, { timestamp }: SourceLine): void {
    const { calls, session } = this.#run;
    const callId = id ?? calls.makeId();
    const path = text(fields['path']) ?? '';
    const action = { kind: 'file_read', path } as const;
    calls.start({
      id: callId,
      toolName: 'view_image',
      action,
      input: { path },
      timestamp,
      metadata: session.metadata(),
    });
    calls.finish({ id: callId, status: 'success', timestamp });
  }

  /** Notes the entry that `write` adds, if any, as part of the current answer of the model. */
  #trackWrittenEntry(write: () => void): void {
    const { nextIndex } = this.#run.writer;
    write();
    if (this.#run.writer.nextIndex > nextIndex) this.#entries.push(nextIndex);
  }

  #updatePlan(params: JsonObject, line: SourceLine): void {
    const items = objects(params['plan']).map((step) => ({
      text: text(step['step']) ?? '',
      completed: step['status'] === 'completed',
      ...(step['status'] === 'inProgress' && { in_progress: true }),
    }));
    const id = `plan-${nonEmpty(params['turnId']) ?? ''}`;
    const type = this.#plan?.id === id ? 'item.updated' : 'item.started';
    this.#plan = { id, type: 'todo_list', fields: { id, type: 'todo_list', items } };
    const { fields } = this.#plan;
    this.#trackWrittenEntry(() => this.#threads.readLine({ type, item: fields }, line));
  }

  #endTurn(turn: unknown, line: SourceLine): void {
    if (this.#plan !== undefined) this.#threads.readLine({ type: 'item.completed', item: this.#plan.fields }, line);
    this.#plan = undefined;
    this.#turn = undefined;
    const usage = this.#total === undefined ? undefined : withUnderscores(this.#total);
    switch (field(turn, 'status')) {
      case 'interrupted': {
        const { calls, texts } = this.#run;
        this.#threads.abandonTexts();
        calls.end('No result: the turn was interrupted before the tool returned.', line.timestamp);
        this.#run.interrupt('The turn was interrupted.', line.timestamp);
        this.#run.isInTurn = false;
        this.#threads.reports.push(interruptedReport(usage, nonEmpty(texts.finalText) ?? null));
        return;
      }
      case 'failed':
        this.#threads.readLine({ type: 'turn.failed', error: { message: turnErrorText(field(turn, 'error')) } }, line);
        return;
      default:
        this.#threads.readLine({ type: 'turn.completed', usage }, line);
    }
  }

  /** Tokens of one request, and of the thread. A resumed thread begins with those of its last turn. */
  #addTokens({ turnId, tokenUsage: counts }: JsonObject): void {
    const total = field(counts, 'total');
    const last = field(counts, 'last');
    if (!isObject(total)) return;
    const isRepeated = JSON.stringify(total) === JSON.stringify(this.#total ?? null);
    this.#total = total;
    const entries = this.#entries.splice(0);
    if (isRepeated || turnId !== this.#turn || !isObject(last) || this.#messages.length >= maxRequests) return;
    const usage = tokenUsage(withUnderscores(last));
    if (usage === null) return;
    this.#messages.push({
      messageId: `request-${this.#messages.length + 1}`,
      model: this.#run.session.model,
      usage,
      parentCallId: null,
      settled: true,
      entries,
    });
  }
}

function isIgnoredNotification(method: string): boolean {
  return ignoredNotifications.some((pattern) => pattern.test(method));
}
