import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { ExitInfo, MessageUsage, RunReport } from '../../../model/usage/facts.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { Todo } from '../../../model/transcript/tool.ts';
import { code } from '../../shared/describe.ts';
import { field, nonEmpty, objects, text } from '../../shared/guards.ts';
import { textOfBlocks } from '../../shared/resultText.ts';
import type { NormalizedRun, SourceLine } from '../../shared/normalizer/normalizedRun.ts';
import type { TextKind } from '../../shared/normalizer/spokenTexts.ts';
import { errorCode, isRetry, readableError } from '../errors.ts';
import { OldCalls } from './calls.ts';
import { completedReport, failedReport } from '../report.ts';
import { itemText, tokenUsage, type ConfigLine } from '../wire.ts';

/** Requests with separate tokens. */
const maxRequests = 100_000;
const planId = 'plan';

/** Events without information for readers. */
const ignoredEvents = new Set([
  'agent_reasoning_section_break',
  'mcp_startup_update',
  'mcp_startup_complete',
  'shutdown_complete',
]);

/** The user messages that are prompts. Codex writes the others for the model. */
const prompts = 'plain';

/** The event format, up to 0.43: internal messages of the program, after lines with settings and prompt. */
export class OldEvents {
  readonly #run: NormalizedRun;
  readonly #calls: OldCalls;
  readonly #messages: MessageUsage[] = [];
  readonly #explanations: string[] = [];
  #lastTotal = '';
  #diff: NormalizedEntry | undefined;
  #failure: string | undefined;
  #hasBegun = false;
  /** The current answer has calls, so another one follows. */
  #hasCalls = false;
  /** Since the last message, something happened after which messages are often repeated. */
  #mayRepeat = false;
  #report: RunReport | undefined;
  permissionMode: string | null = null;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.#calls = new OldCalls(run);
  }

  get messages(): readonly MessageUsage[] {
    return this.#messages;
  }

  get reports(): readonly RunReport[] {
    if (this.#failure !== undefined) return [failedReport(this.#failure)];
    return this.#report === undefined ? [] : [this.#report];
  }

  readConfig(config: ConfigLine, { timestamp }: SourceLine): void {
    this.#hasBegun = true;
    this.#run.session.setModel(config.model);
    this.permissionMode = config.sandbox ?? null;
    const facts: (readonly [string, string | undefined])[] = [
      ['Model', config.model],
      ['Folder', config.workDir],
      ['Sandbox', config.sandbox],
      ['Approval', config.approval],
      ['Provider', config.provider],
      ['Reasoning effort', config.effort],
    ];
    const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${code(value)}`]));
    this.#run.system('init', known.join('\n'), timestamp, { config });
  }

  /** `false`: an event of an unknown kind. */
  event(type: string, event: JsonObject, line: SourceLine): boolean {
    const { timestamp } = line;
    this.#hasBegun = true;
    this.#follow(type);
    if (ignoredEvents.has(type) || this.#calls.readEvent(type, event, timestamp)) return true;
    if (this.#handleMessage(type, event, timestamp)) return true;
    switch (type) {
      case 'task_started':
        return true;
      case 'session_configured':
        this.#run.session.setModel(nonEmpty(event['model']));
        this.#run.setSession(event['session_id'], timestamp);
        this.#run.system('init', `- Session: ${code(String(event['session_id']))}`, timestamp);
        this.#run.checkResumed(timestamp);
        return true;
      case 'token_count':
        this.#addTokens(event);
        return true;
      case 'plan_update':
        this.#updatePlan(event, timestamp);
        return true;
      case 'turn_diff':
        this.#updateTurnDiff(text(event['unified_diff']) ?? '', timestamp);
        return true;
      case 'view_image_tool_call':
        this.#addImageView(event, timestamp);
        return true;
      case 'task_complete':
        this.#complete(nonEmpty(event['last_agent_message']), timestamp);
        return true;
      case 'turn_aborted':
        this.#run.interrupt(`The run was interrupted (${text(event['reason']) ?? 'no reason given'}).`, timestamp);
        return true;
      default:
        return false;
    }
  }

  /** Whether an answer of the model is due. Every answer ends with its tokens; one without calls is the last. */
  #follow(type: string): void {
    if (type === 'task_started') this.#run.isInTurn = true;
    else if (type.endsWith('_begin') || type === 'plan_update' || type === 'view_image_tool_call') {
      // The model's server runs web searches: the same answer continues with the results.
      if (type !== 'web_search_begin') this.#hasCalls = true;
      this.#run.isInTurn = true;
    } else if (type === 'agent_message' || type === 'task_complete') this.#run.isInTurn = false;
  }

  /** The format has no closing line: the run is complete when the process ends, unless an answer was due. */
  beforeEnd({ code: exitCode, signal }: ExitInfo, timestamp: string): void {
    this.#calls.close();
    if (this.#run.calls.get(planId) !== undefined) {
      this.#run.calls.finish({ id: planId, status: 'success', result: this.#planResult(), timestamp });
    }
    const { interrupted, isInTurn } = this.#run;
    const ended = this.#hasBegun && !isInTurn && !interrupted && (exitCode ?? 0) === 0 && signal === null;
    if (ended && this.#report === undefined) {
      const last = this.#run.texts.finalText;
      this.#report = completedReport(undefined, last === '' ? null : last);
    }
  }

  /** Texts and notices. */
  #handleMessage(type: string, event: JsonObject, timestamp: string): boolean {
    const shown = textOfBlocks(event['message']) ?? itemText(event) ?? textOfBlocks(event['delta']) ?? '';
    switch (type) {
      case 'agent_message':
        this.#addText('text', shown, timestamp);
        return true;
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        this.#addText('thinking', shown, timestamp);
        return true;
      case 'agent_message_delta':
        this.#run.texts.piece('text', shown, timestamp, this.#run.session.metadata());
        return true;
      case 'agent_reasoning_delta':
      case 'agent_reasoning_raw_content_delta':
        this.#run.texts.piece('thinking', shown, timestamp, this.#run.session.metadata());
        return true;
      case 'user_message':
        if ((event['kind'] ?? prompts) === prompts) this.#run.addEchoedPrompt(shown, timestamp);
        else this.#addInstructions(shown, timestamp);
        return true;
      case 'background_event':
      case 'stream_error':
        this.#mayRepeat ||= isRetry(shown);
        this.#run.system(isRetry(shown) || type === 'stream_error' ? 'retry' : 'background', shown, timestamp);
        return true;
      case 'warning':
      case 'deprecation_notice':
        this.#run.warn(shown, timestamp);
        return true;
      case 'exec_approval_request':
      case 'apply_patch_approval_request':
        this.#run.system('approval', `Asks for permission: ${nonEmpty(event['reason']) ?? type}`, timestamp);
        return true;
      case 'error':
        this.#failure = shown === '' ? 'The agent reported an error without a message.' : readableError(shown);
        this.#run.error(this.#failure, errorCode(shown), timestamp);
        return true;
      default:
        return false;
    }
  }

  #addText(kind: TextKind, content: string, timestamp: string): void {
    const { texts, session } = this.#run;
    if (texts.streamedText(kind) !== undefined) {
      texts.close(content);
      return;
    }
    if (content === '') return;
    const repeated = kind === 'text' && this.#mayRepeat && texts.finalText === content;
    const metadata = repeated ? { ...session.metadata(), repeated } : session.metadata();
    texts.add(kind, content, timestamp, metadata, { counted: !repeated });
    if (kind === 'text') this.#mayRepeat = false;
  }

  /** Tokens of one request; later versions also print the session's total, and repeat it unchanged. */
  #addTokens(event: JsonObject): void {
    const info = event['info'];
    const total = JSON.stringify(field(info, 'total_token_usage') ?? null);
    if (info !== undefined && total === this.#lastTotal) return;
    this.#lastTotal = total;
    const usage = tokenUsage(info === undefined ? event : field(info, 'last_token_usage'));
    if (usage === null) return;
    this.#run.isInTurn = this.#hasCalls;
    this.#hasCalls = false;
    if (this.#messages.length >= maxRequests) return;
    const messageId = `request-${this.#messages.length + 1}`;
    this.#messages.push({ messageId, model: this.#run.session.model, usage, parentCallId: null, settled: true });
  }

  #updatePlan(event: JsonObject, timestamp: string): void {
    const { calls, session } = this.#run;
    const todos = objects(event['plan']).map((step) => ({
      text: text(step['step']) ?? '',
      status: todoStatus(step['status']),
    }));
    const action = { kind: 'todo', todos } as const;
    const input = { plan: event['plan'], explanation: event['explanation'] };
    const explanation = nonEmpty(event['explanation']);
    if (explanation !== undefined) this.#explanations.push(explanation);
    calls.start({ id: planId, toolName: 'update_plan', action, input, timestamp, metadata: session.metadata() });
    calls.update({ id: planId, action, result: this.#planResult() });
  }

  #planResult(): { text: string } | undefined {
    return this.#explanations.length === 0 ? undefined : { text: this.#explanations.join('\n\n') };
  }

  /** All changes of the turn, repeated after each step. */
  #updateTurnDiff(diff: string, timestamp: string): void {
    const content = `Changes in this turn\n\n\`\`\`\`diff\n${diff}\n\`\`\`\``;
    if (this.#diff === undefined) this.#diff = this.#run.system('turn_diff', content, timestamp);
    else if (this.#diff.content !== content) {
      this.#diff = { ...this.#diff, content };
      this.#run.writer.put(this.#diff);
    }
  }

  #addInstructions(content: string, timestamp: string): void {
    const { texts, writer, session } = this.#run;
    texts.close();
    const type = { kind: 'user_message' } as const;
    writer.add({ type, content: content, timestamp, metadata: session.metadata(), origin: 'system' });
  }

  #addImageView(event: JsonObject, timestamp: string): void {
    const { calls, session } = this.#run;
    const id = nonEmpty(event['call_id']) ?? calls.makeId();
    const path = text(event['path']) ?? '';
    const action = { kind: 'file_read', path } as const;
    calls.start({ id, toolName: 'view_image', action, input: { path }, timestamp, metadata: session.metadata() });
    calls.finish({ id, status: 'success', timestamp });
  }

  #complete(last: string | undefined, timestamp: string): void {
    const { texts, session } = this.#run;
    if (last !== undefined && !texts.texts.includes(last)) texts.add('text', last, timestamp, session.metadata());
    this.#report = completedReport(undefined, last ?? null);
  }
}

function todoStatus(value: unknown): Todo['status'] {
  return value === 'in_progress' || value === 'completed' ? value : 'pending';
}
