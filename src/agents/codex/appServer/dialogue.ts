import type { JsonObject } from '../../../model/text/json.ts';
import { isObject } from '../../../model/text/json.ts';
import type { FileChange } from '../../../model/transcript/tool.ts';
import type { Dialogue, DialogueFactory, DialogueHost } from '../../dialogue.ts';
import { idOf, nonEmpty } from '../../shared/guards.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import { approvalOf, changesOfItem } from './approvals.ts';
import {
  configAnswer,
  loadedThreadsAnswer,
  ownRequestId,
  serverMessage,
  threadAnswer,
  turnAnswer,
  turnNotice,
  turnsAnswer,
  type RequestId,
  type ServerMessage,
} from './wire.ts';

export interface CodexThread {
  readonly prompt: string;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly sandbox?: string | undefined;
  /** Default: as Codex is configured. */
  readonly approvalPolicy?: string | undefined;
  /** A thread to resume, or with `fork` to copy. */
  readonly resume?: string | undefined;
  readonly fork?: boolean | undefined;
  /** The last turn that a copy keeps; default: all. */
  readonly lastTurn?: string | undefined;
}

/** A thread that the app-server has open for another program, and keeps open for it. */
export interface JoinedThread {
  readonly join: string;
}

type Answer = Extract<ServerMessage, { kind: 'answer' | 'error' }>;

/** Changes of waiting items that are remembered. */
const maxItems = 1000;

/** Talks with `codex app-server`. */
export function codexDialogue(thread: CodexThread): DialogueFactory {
  return (host) => new CodexDialogue(host, thread);
}

/**
 * Joins a thread beside the program that has it open. The host hears of its turns from then on; `leave` means that the app-server
 * does not have the thread open, or no longer.
 */
export function joinThread(join: string): DialogueFactory {
  return (host) => new CodexDialogue(host, { join });
}

class CodexDialogue implements Dialogue {
  readonly cancelsBeforeStop = true;
  readonly takesMessagesInTurn = true;
  readonly #host: DialogueHost;
  readonly #options: CodexThread | JoinedThread;
  readonly #answerHandlers = new Map<string, (answer: Answer) => void>();
  /** How to withdraw waiting requests, by id. */
  readonly #withdrawals = new Map<RequestId, () => void>();
  readonly #changes = new Map<string, readonly FileChange[]>();
  /** Messages for the next turn, or for this one once it has an id. */
  #queuedMessages: string[] = [];
  #nextId = 1;
  #thread: string | undefined;
  /** A turn was requested or is active. */
  #isBusy = true;
  #turn: string | undefined;
  #pendingSteers = 0;
  #isInterrupting = false;
  #model: string | undefined;

  constructor(host: DialogueHost, options: CodexThread | JoinedThread) {
    this.#host = host;
    this.#options = options;
  }

  begin(): void {
    const clientInfo = { name: 'vitrine', title: 'Vitrine', version: '1' };
    this.#request('initialize', { clientInfo, capabilities: null }, (answer) => {
      if (answer.kind === 'error') {
        this.#host.fail(`The Codex app-server did not start: ${answer.message}`);
        return;
      }
      this.#write({ method: 'initialized' });
      if ('join' in this.#options) {
        this.#join(this.#options.join);
        return;
      }
      this.#open(this.#options);
      this.#request('account/rateLimits/read', undefined, () => undefined);
    });
  }

  handleLine(content: string): void {
    // Most lines of a run are these, and mean nothing here.
    if (/^\{"method":"item\/\w+\/\w*[dD]elta"/.test(content)) return;
    const value = parse(content);
    const message = isObject(value) ? serverMessage(value) : undefined;
    if (message === undefined) return;
    switch (message.kind) {
      case 'answer':
      case 'error': {
        const receive = this.#answerHandlers.get(message.id);
        this.#answerHandlers.delete(message.id);
        receive?.(message);
        return;
      }
      case 'request':
        void this.#handleRequest(message.method, message.id, message.params);
        return;
      case 'notification':
        this.#handleNotification(message.method, message.params);
    }
  }

  handleOversizeLine(head: string): void {
    if ('join' in this.#options) return;
    const found = /^\{"method":"[^"]+","id":(\d+|"[^"\\]+")/.exec(head)?.[1];
    if (found === undefined) return;
    const id = found.startsWith('"') ? found.slice(1, -1) : Number(found);
    this.#refuse(id, 'The request is too long.');
  }

  sendMessage(text: string): void {
    if (this.#turn !== undefined) this.#steer(text, this.#turn);
    else if (this.#isBusy) this.#queuedMessages.push(text);
    else this.#start(text);
  }

  interrupt(): void {
    if (!this.#isBusy) return;
    this.#isInterrupting = true;
    const threadId = this.#thread;
    const turnId = this.#turn;
    if (threadId !== undefined && turnId !== undefined)
      this.#request('turn/interrupt', { threadId, turnId }, () => undefined);
  }

  setModel(model: string): void {
    this.#model = model;
  }

  end(): void {
    for (const withdraw of this.#withdrawals.values()) withdraw();
    this.#withdrawals.clear();
    this.#answerHandlers.clear();
  }

  /** Only a thread that is open: resuming another one would make this app-server its second writer. */
  #join(threadId: string): void {
    this.#request('thread/loaded/list', {}, (listed) => {
      const { data } = loadedThreadsAnswer.safeParse(listed.kind === 'answer' ? listed.result : undefined);
      if (data?.data.includes(threadId) !== true) {
        this.#host.leave();
        return;
      }
      this.#thread = threadId;
      // Its requests follow the answer.
      this.#request('thread/resume', { threadId, excludeTurns: true }, (resumed) => {
        if (resumed.kind === 'error') this.#host.leave();
        else this.#request('thread/turns/list', { threadId, limit: 1 }, (turns) => this.#handleJoinAnswer(turns));
      });
    });
  }

  #handleJoinAnswer(answer: Answer): void {
    const { data } = turnsAnswer.safeParse(answer.kind === 'answer' ? answer.result : undefined);
    // One may have begun meanwhile.
    const turn = this.#turn ?? data?.data.find(({ status }) => status === 'inProgress')?.id;
    this.#isBusy = turn !== undefined;
    if (turn === undefined) this.#host.onTurnEnded();
    else {
      this.#host.onTurnStarted();
      this.#handleTurnStart(turn);
    }
  }

  #open({ cwd, model, sandbox, approvalPolicy, resume, fork = false, lastTurn, prompt }: CodexThread): void {
    const shared = { cwd, model, sandbox };
    const opened = (answer: Answer): void => this.#handleOpening(answer, prompt);
    if (resume === undefined) {
      this.#request('thread/start', { ...shared, approvalPolicy }, opened);
      return;
    }
    // A thread keeps the approval policy of its last turn; `codex exec` sets "never".
    this.#request('config/read', { includeLayers: false, cwd }, (answer) => {
      const { data } = configAnswer.safeParse(answer.kind === 'answer' ? answer.result : undefined);
      const policy = approvalPolicy ?? data?.config.approval_policy ?? 'on-request';
      const params = { threadId: resume, excludeTurns: true, ...shared, approvalPolicy: policy };
      const [method, all] = fork ? ['thread/fork', { ...params, lastTurnId: lastTurn }] : ['thread/resume', params];
      this.#request(method, all, opened);
    });
  }

  #handleOpening(answer: Answer, prompt: string): void {
    const { data } = threadAnswer.safeParse(answer.kind === 'answer' ? answer.result : undefined);
    if (data === undefined) {
      // The normalizer shows the reason; another process may know the thread.
      this.#host.leave();
      return;
    }
    this.#thread = data.thread.id;
    this.#start(prompt);
  }

  #start(text: string): void {
    this.#isBusy = true;
    const model = this.#model === undefined || this.#model === 'default' ? {} : { model: this.#model };
    const params = { threadId: this.#thread, input: inputOf(text), ...model };
    this.#request('turn/start', params, (answer) => {
      const { data } = turnAnswer.safeParse(answer.kind === 'answer' ? answer.result : undefined);
      if (data === undefined) this.#host.leave();
      else this.#handleTurnStart(data.turn.id);
    });
  }

  #handleTurnStart(turnId: string): void {
    if (this.#turn === turnId) return;
    this.#turn = turnId;
    if (this.#isInterrupting) this.interrupt();
    else for (const text of this.#queuedMessages.splice(0)) this.#steer(text, turnId);
  }

  /** A turn that has just ended refuses the message, which then begins the next turn. */
  #steer(text: string, turnId: string): void {
    this.#pendingSteers += 1;
    const params = { threadId: this.#thread, input: inputOf(text), expectedTurnId: turnId };
    this.#request('turn/steer', params, (answer) => {
      this.#pendingSteers -= 1;
      if (answer.kind === 'error') this.#queuedMessages.push(text);
      if (this.#turn === undefined) this.#sendNextMessage();
    });
  }

  #handleNotification(method: string, params: JsonObject): void {
    switch (method) {
      case 'turn/started':
      case 'turn/completed': {
        const { data } = turnNotice.safeParse(params);
        if (data === undefined || data.threadId !== this.#thread) return;
        if (method === 'turn/completed') this.#completeTurn(data.turn.id);
        else {
          if (!this.#isBusy) this.#host.onTurnStarted();
          this.#isBusy = true;
          this.#handleTurnStart(data.turn.id);
        }
        return;
      }
      case 'item/started': {
        const { item } = params;
        const id = isObject(item) && item['type'] === 'fileChange' ? idOf(item['id']) : undefined;
        if (id === undefined || !isObject(item)) return;
        this.#changes.set(id, changesOfItem(item));
        for (const oldest of this.#changes.keys()) {
          if (this.#changes.size <= maxItems) break;
          this.#changes.delete(oldest);
        }
        return;
      }
      case 'thread/closed':
        if ('join' in this.#options && params['threadId'] === this.#thread) this.#host.leave();
        return;
      case 'serverRequest/resolved': {
        const id = params['requestId'];
        if (typeof id === 'string' || typeof id === 'number') this.#withdrawals.get(id)?.();
      }
    }
  }

  #completeTurn(turnId: string): void {
    if (this.#turn !== undefined && this.#turn !== turnId) return;
    this.#turn = undefined;
    this.#sendNextMessage();
  }

  /** After a turn: the messages that came too late for it, else the end of the turn. */
  #sendNextMessage(): void {
    if (this.#pendingSteers > 0) return;
    const queued = this.#isInterrupting ? undefined : this.#queuedMessages.shift();
    this.#isInterrupting = false;
    if (queued !== undefined) {
      this.#start(queued);
      return;
    }
    for (const text of this.#queuedMessages.splice(0)) {
      const content = `The turn was interrupted before the agent read this message:\n\n${text.replaceAll(/^/gm, '> ')}`;
      this.#host.record({ type: 'note', subtype: 'unsaid', content });
    }
    this.#isBusy = false;
    this.#host.onTurnEnded();
  }

  async #handleRequest(method: string, id: RequestId, params: JsonObject): Promise<void> {
    const approval = approvalOf(method, params, (itemId) => this.#changes.get(itemId) ?? []);
    if (approval === undefined) {
      // The other program may know it.
      if ('join' in this.#options) return;
      this.#refuse(id, `Unsupported request: ${method}`);
      const content = `The agent asked for \`${method.replaceAll('`', "'")}\`, which Vitrine does not support. Vitrine rejected the request.`;
      this.#host.record({ type: 'note', subtype: 'unsupported_request', content });
      return;
    }
    // A repeated request gets the same answer as the first.
    if (this.#withdrawals.has(id)) return;
    const withdrawn = new Promise<void>((withdraw) => {
      this.#withdrawals.set(id, withdraw);
    });
    const place = nonEmpty(params['turnId']) ?? nonEmpty(params['threadId']) ?? 'codex';
    const decision = await this.#host.ask({ ...approval.request, id: `${place}/${id}` }, withdrawn);
    this.#withdrawals.delete(id);
    const result = approval.answer(decision);
    if (result !== null) this.#write({ id, result });
  }

  #refuse(id: RequestId, message: string): void {
    this.#write({ id, error: { code: -32601, message } });
  }

  #request(method: string, params: JsonObject | undefined, receive: (answer: Answer) => void): void {
    const id = ownRequestId(method, this.#nextId++);
    this.#answerHandlers.set(id, receive);
    this.#write({ id, method, ...(params !== undefined && { params }) });
  }

  #write(message: JsonObject): void {
    this.#host.write(JSON.stringify(message));
  }
}

function inputOf(text: string): readonly JsonObject[] {
  return [{ type: 'text', text, text_elements: [] }];
}
