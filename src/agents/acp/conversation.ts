import type { JsonObject } from '../../model/text/json.ts';
import { field, nonEmpty } from '../shared/guards.ts';
import type { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import { AcpCalls } from './tools/calls.ts';
import { Messages, type MessageSource } from './messages.ts';
import { Plans } from './tools/plans.ts';
import { contentText } from './wire.ts';

/** Updates of the conversation, which the agent sends again as history. */
const kinds: ReadonlySet<string> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'session_message_chunk',
  'user_message',
  'agent_message',
  'agent_thought',
  'session_message',
  'tool_call',
  'tool_call_update',
  'tool_call_content_chunk',
  'plan',
  'plan_update',
  'plan_removed',
  'terminal_update',
  'terminal_output_chunk',
]);

export function isConversation(kind: string): boolean {
  return kinds.has(kind);
}

/** Messages, thoughts, plans and calls. */
export class Conversation {
  readonly calls: AcpCalls;
  readonly plans: Plans;
  /** Tool calls of the main conversation so far, without those of its history. */
  toolCalls = 0;
  readonly #run: NormalizedRun;
  readonly #messages: Messages;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.calls = new AcpCalls(run);
    this.plans = new Plans(run);
    this.#messages = new Messages(run);
  }

  /** The current message ends here. */
  interrupt(): void {
    this.#messages.interrupt();
  }

  /** `false` if the update is of an unknown kind. */
  handleUpdate(kind: string, update: JsonObject, speaker: MessageSource): boolean {
    if (kind === 'tool_call' && speaker.isPartOfAnswer) this.toolCalls += 1;
    return this.#addMessageUpdate(kind, update, speaker) ?? this.#addUpdate(kind, update, speaker);
  }

  /** `undefined` if the update is not a message. */
  #addMessageUpdate(kind: string, update: JsonObject, speaker: MessageSource): boolean | undefined {
    const messages = this.#messages;
    const between: MessageSource = { ...speaker, origin: speaker.origin ?? 'callback', isPartOfAnswer: false };
    switch (kind) {
      case 'user_message_chunk':
        return messages.readChunk('user', update, speaker);
      case 'agent_message_chunk':
        return this.#addInformational(update, speaker) || messages.readChunk('text', update, speaker);
      case 'agent_thought_chunk':
        return messages.readChunk('thinking', update, speaker);
      case 'session_message_chunk':
        return messages.readChunk('user', update, between);
      case 'user_message':
        messages.addWholeMessage('user', update, speaker);
        return true;
      case 'agent_message':
        messages.addWholeMessage('text', update, speaker);
        return true;
      case 'agent_thought':
        messages.addWholeMessage('thinking', update, speaker);
        return true;
      case 'session_message':
        messages.addWholeMessage('user', update, between);
        return true;
      default:
        return undefined;
    }
  }

  /** Messages of the program, not the model, marked as such. */
  #addInformational(update: JsonObject, { timestamp }: MessageSource): boolean {
    if (field(field(update['_meta'], 'claudeCode'), 'kind') !== 'informational') return false;
    const shown = contentText(update['content']);
    if (shown === undefined) return false;
    this.#run.addSideEntry('informational', shown, timestamp);
    return true;
  }

  #addUpdate(kind: string, update: JsonObject, { child, ...context }: MessageSource): boolean {
    this.interrupt();
    switch (kind) {
      case 'plan':
        this.plans.plan(update, context);
        return true;
      case 'plan_update':
        return this.plans.update(update, context);
      case 'plan_removed':
        this.plans.readRemoval(update, context);
        return true;
      case 'terminal_update':
        this.calls.terminal(update, context);
        return true;
      case 'terminal_output_chunk':
        this.calls.terminalOutput(update, context);
        return true;
      default: {
        const id = nonEmpty(update['toolCallId']);
        if (id === undefined) return false;
        const own = child === undefined ? id : `${child}/${id}`;
        if (kind === 'tool_call_content_chunk') this.calls.addContent(own, update['content'], context);
        else this.calls.update(own, update, context);
        return true;
      }
    }
  }
}
