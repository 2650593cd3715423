import type { Dialogue, DialogueFactory, DialogueHost, Continuation } from '../../agents/dialogue.ts';
import type { ClientLine } from '../../model/transcript/clientLine.ts';
import type { AgentRequest, Answer, Decision } from '../../model/agent/request.ts';
import type { AgentInput } from '../process/agentInput.ts';
import type { Conversation, LiveOptions, QueuedMessage, SendMode } from '../api.ts';
import { failures } from '../failures/failures.ts';
import { type QueueChange, unsentNote } from '../prompt/queuedMessages.ts';
import { Requests, type RequestsDeps } from '../requests/requests.ts';

const maxQueued = 100;
const maxQueuedCharacters = 16 << 20;

export interface ConversationDeps extends RequestsDeps {
  readonly label: string;
  /** Grace period after a turn ends, in ms; some agents start another turn on their own. */
  readonly nextTurnMs: number;
  /** The agent's input was closed. `endsItself`: the agent then exits by itself. */
  readonly onClosed: (endsItself: boolean) => void;
  /** Whether another message may be sent. */
  readonly maySend: () => boolean;
  /** Runs before the agent gets a message. Never rejects. */
  readonly beforeMessage?: () => Promise<void>;
  /** Records that a message was queued or left the queue. */
  readonly onQueueChange: (change: QueueChange) => void;
  /** The conversation cannot continue; `message` is the reason. */
  readonly onFailure: (message: string) => void;
}

/** Messages and answers of one run, over all its processes. */
export class LiveConversation implements Conversation {
  readonly #deps: ConversationDeps;
  readonly #requests: Requests;
  #queue: QueuedMessage[] = [];
  #dialogue: Dialogue | null = null;
  #input: AgentInput | null = null;
  #nextId = 1;
  /** A turn is active. */
  #isTurnActive = false;
  /** Runs until the input is closed because no other turn started. */
  #nextTurnTimer: NodeJS.Timeout | undefined;
  #onStopped: () => void = () => undefined;
  #isEndedByUser = false;
  /** The run ended with queued messages. */
  hasUnsent = false;

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#requests = new Requests({
      ...deps,
      onDecision: (request, decision) => {
        const { by, answer } = decision;
        if (by === 'user' && answer.kind === 'deny' && answer.interrupt === true) this.#isEndedByUser = true;
        deps.onDecision(request, decision);
      },
    });
  }

  get takesMessages(): boolean {
    return this.#input?.open === true;
  }

  /** The input is closed, or there never was one. */
  get isOver(): boolean {
    return !this.takesMessages && !this.#isTurnActive && this.#queue.length === 0;
  }

  /** The user ended the last turn with an answer, which is not a failure. */
  get isEndedByUser(): boolean {
    return this.#isEndedByUser;
  }

  pendingRequests(): readonly AgentRequest[] {
    return this.#requests.pending();
  }

  queuedMessages(): readonly QueuedMessage[] {
    return [...this.#queue];
  }

  answer(requestId: string, answer: Answer, client?: Decision['client']): boolean {
    return this.#requests.answer(requestId, answer, client);
  }

  sendMessage(text: string, how: SendMode): void {
    const { label, onChange } = this.#deps;
    if (!this.takesMessages) throw failures.takesNoMessage(label);
    const characters = this.#queue.reduce((sum, queuedMessage) => sum + queuedMessage.text.length, text.length);
    if (this.#queue.length >= maxQueued || characters > maxQueuedCharacters) throw failures.tooMuchQueued(label);
    const message = { id: this.#nextId++, text };
    if (how === 'interrupt') this.#queue.unshift(message);
    else this.#queue.push(message);
    this.#deps.onQueueChange(message);
    if (!this.#isTurnActive || (how === 'queue' && this.#dialogue?.takesMessagesInTurn === true)) this.#sendNext();
    else if (how === 'interrupt') this.#callDialogue((dialogue) => dialogue.interrupt());
    onChange();
  }

  changeOptions({ model, permissionMode }: LiveOptions): readonly (keyof LiveOptions)[] {
    const dialogue = this.takesMessages ? this.#dialogue : null;
    const taken: (keyof LiveOptions)[] = [];
    if (model !== undefined && dialogue?.setModel !== undefined) {
      this.#addNotice(`The user selected ${model === '' ? "the agent's own model" : `the model \`${model}\``}.`);
      this.#callDialogue((other) => other.setModel?.(model || 'default'));
      taken.push('model');
    }
    if (permissionMode !== undefined && dialogue?.setPermissionMode !== undefined) {
      this.#addNotice(`The user selected the permission mode \`${permissionMode || 'default'}\`.`);
      this.#callDialogue((other) => other.setPermissionMode?.(permissionMode || 'default'));
      taken.push('permissionMode');
    }
    return taken;
  }

  unsend(id: number): string | undefined {
    const message = this.#queue.find((queuedMessage) => queuedMessage.id === id);
    if (message === undefined) return undefined;
    this.#queue = this.#queue.filter((queuedMessage) => queuedMessage !== message);
    this.#deps.onQueueChange({ id, text: null });
    this.#deps.onChange();
    return message.text;
  }

  /** Switches to this process, which gets the prompt. */
  attach(input: AgentInput, factory: DialogueFactory): void {
    this.#input = input;
    this.#isTurnActive = true;
    const dialogue = factory(this.#hostFor(input));
    this.#dialogue = dialogue;
    this.#callDialogue(() => dialogue.begin());
    this.#deps.onChange();
  }

  /** Asks the agent to end its turn, if it supports that. Settles when the turn has ended or after `withinMs`. */
  async stopTurn(withinMs: number): Promise<void> {
    if (!this.#isTurnActive || this.#dialogue?.cancelsBeforeStop !== true) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onStopped = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#callDialogue((dialogue) => dialogue.interrupt());
    });
  }

  /** A complete line of the agent's stdout. */
  handleLine(text: string): void {
    this.#callDialogue((dialogue) => dialogue.handleLine(text));
  }

  handleOversizeLine(head: string): void {
    this.#callDialogue((dialogue) => dialogue.handleOversizeLine?.(head));
  }

  /**
   * Disconnects from the process. Queued messages wait for the next one. Settles when nothing that was started for the
   * process is running.
   */
  async detach(): Promise<void> {
    this.#requests.settle();
    this.#onStopped();
    const ended = this.#callDialogue((dialogue) => dialogue.end());
    this.#dialogue = null;
    this.#input?.close();
    this.#input = null;
    this.#isTurnActive = false;
    clearTimeout(this.#nextTurnTimer);
    await ended;
  }

  /** Call when the run ends or is stopped: no more answers and messages. */
  end(): void {
    this.#requests.end();
    const unsentMessages = this.#queue.splice(0);
    this.hasUnsent ||= unsentMessages.length > 0;
    for (const { id, text } of unsentMessages) {
      this.#deps.record({ type: 'note', ...unsentNote(text) });
      this.#deps.onQueueChange({ id, text: null });
    }
    this.#deps.onChange();
  }

  #addNotice(content: string): void {
    this.#deps.record({ type: 'note', subtype: 'options', content });
  }

  #sendNext(): void {
    // Unsent messages are kept with the run.
    if (this.#queue.length === 0 || !this.#deps.maySend()) return;
    const message = this.#queue.shift();
    if (message === undefined) return;
    this.#handleTurnStart();
    this.#isEndedByUser = false;
    this.#deps.record({ type: 'message', text: message.text, origin: 'human' });
    this.#deps.onQueueChange({ id: message.id, text: null });
    const current = this.#dialogue;
    const send = (): void => {
      if (this.#dialogue === current) this.#callDialogue((dialogue) => dialogue.sendMessage(message.text));
    };
    const before = this.#deps.beforeMessage?.();
    if (before === undefined) send();
    else void before.then(send);
  }

  #endTurn(input: AgentInput, continuation: Continuation): void {
    this.#isTurnActive = false;
    clearTimeout(this.#nextTurnTimer);
    this.#onStopped();
    if (this.#queue.length > 0) this.#sendNext();
    else if (continuation === 'done') this.#close(input);
    else if (continuation === 'may_continue')
      this.#nextTurnTimer = setTimeout(() => this.#close(input), this.#deps.nextTurnMs);
    this.#deps.onChange();
  }

  #handleTurnStart(): void {
    this.#isTurnActive = true;
    clearTimeout(this.#nextTurnTimer);
  }

  #close(input: AgentInput): void {
    input.close();
    this.#deps.onClosed(this.#dialogue?.endsWithInput !== false);
    this.#deps.onChange();
  }

  /** An error in a dialogue ends its conversation, never the window. */
  #callDialogue<T>(words: (dialogue: Dialogue) => T): T | undefined {
    if (this.#dialogue === null) return undefined;
    try {
      return words(this.#dialogue);
    } catch (error) {
      this.#deps.onFailure(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #hostFor(input: AgentInput): DialogueHost {
    const { record: record, onFailure } = this.#deps;
    const current = (): boolean => this.#input === input;
    const denial = { by: 'run_over', at: '', answer: { kind: 'deny' } } as const;
    return {
      write: (line) => {
        if (!input.write(line)) onFailure('It does not read messages.');
      },
      ask: async (request, withdrawn) =>
        current()
          ? await this.#requests.ask(request, withdrawn)
          : { ...denial, at: new Date(this.#deps.clock()).toISOString() },
      record: (line: ClientLine) => {
        if (current()) record(line);
      },
      onTurnEnded: (continuation = 'done') => {
        if (current() && input.open) this.#endTurn(input, continuation);
      },
      leave: () => {
        if (current() && input.open) this.#close(input);
      },
      onTurnStarted: () => {
        if (current()) this.#handleTurnStart();
      },
      fail: (message) => {
        if (current()) onFailure(message);
      },
    };
  }
}
