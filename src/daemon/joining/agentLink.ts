import type { Dialogue, DialogueHost } from '../../agents/dialogue.ts';
import type { StoreJoin } from '../../agents/stores/storeFormat.ts';
import type { Conversation, Disposable, Log } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import { failures } from '../../engine/failures/failures.ts';
import { Requests } from '../../engine/requests/requests.ts';
import type { AgentRequest, Decision } from '../../model/agent/request.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { openWebSocket, type WebSocketLink } from '../../engine/sources/live/webSocket.ts';

/** Limit for joining a session, in ms. */
const joinMs = 5000;

export interface AgentLinkDeps {
  readonly join: StoreJoin;
  readonly socket: string;
  /** The agent's own id of the session. */
  readonly nativeId: string;
  readonly label: string;
  readonly folder: string;
  readonly log: Log;
}

/**
 * Connection to the agent's own server as a second client, for requests and messages. The session keeps running when the
 * connection is closed.
 */
export class AgentLink {
  readonly #deps: AgentLinkDeps;
  readonly #requests: Requests;
  readonly #changes: Emitter<[]>;
  #dialogue: Dialogue | undefined;
  #connection: WebSocketLink | undefined;
  #isBusy = false;
  #isOpen = false;
  /** How requests were decided, by id. `withdrawn`: the other program answered, or the turn ended. */
  readonly #decisions = new Map<string, Decision>();
  /** Messages for after the turn that was interrupted for them. */
  #messagesAfterTurn: string[] = [];
  #settle: (isJoined: boolean) => void = () => undefined;

  private constructor(deps: AgentLinkDeps) {
    this.#deps = deps;
    this.#changes = new Emitter(deps.log);
    this.#requests = new Requests({
      clock: Date.now,
      requestMs: Number.POSITIVE_INFINITY,
      workDir: deps.folder,
      interactive: true,
      record: () => undefined,
      onDecision: ({ id }, decision) => {
        this.#decisions.set(id, decision);
        const { by, answer } = decision;
        deps.log.info(logLine('request of a joined session', { request: id, by, kind: answer.kind }));
      },
      onChange: () => this.#changes.fire(),
    });
  }

  /** `undefined`: the agent's server is not there, or does not have this session open. Never rejects. */
  static async open(deps: AgentLinkDeps): Promise<AgentLink | undefined> {
    const link = new AgentLink(deps);
    const isJoined = await link.#join().catch((error: unknown) => {
      deps.log.info(`${deps.label}: session ${deps.nativeId} cannot be joined: ${String(error)}`);
      return false;
    });
    if (isJoined) return link;
    link.close();
    return undefined;
  }

  /** False once the connection has ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A turn is active. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  pending(): readonly AgentRequest[] {
    return this.#requests.pending();
  }

  decisionOf(requestId: string): Decision | undefined {
    return this.#decisions.get(requestId);
  }

  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  conversation(): Conversation {
    return {
      takesMessages: true,
      pendingRequests: () => this.pending(),
      queuedMessages: () => [],
      answer: (id, answer, client) => this.#requests.answer(id, answer, client),
      sendMessage: (text, how) => this.#sendMessage(text, how),
      changeOptions: () => [],
      unsend: () => undefined,
    };
  }

  /** Interrupts the turn. */
  stop(): void {
    this.#dialogue?.interrupt();
  }

  close(): void {
    this.#handleDisconnect();
    this.#connection?.close();
  }

  /** Whether that worked. */
  async #join(): Promise<boolean> {
    const { join, socket, nativeId } = this.#deps;
    const signal = AbortSignal.timeout(joinMs);
    const joined = new Promise<boolean>((resolve) => (this.#settle = resolve));
    this.#connection = await openWebSocket(
      socket,
      { onText: (text) => this.#dialogue?.handleLine(text), onClose: () => this.#handleDisconnect() },
      signal,
    );
    signal.addEventListener('abort', () => this.#settle(false), { once: true });
    this.#dialogue = join.dialogue(nativeId)(this.#createHost());
    this.#dialogue.begin();
    return joined;
  }

  #createHost(): DialogueHost {
    return {
      write: (line) => this.#connection?.send(line),
      ask: (request, withdrawn) => this.#requests.ask(request, withdrawn),
      record: (line) => this.#deps.log.info(`${this.#deps.label}: ${line.type === 'note' ? line.content : line.type}`),
      onTurnEnded: () => {
        this.#setBusy(false);
        for (const text of this.#messagesAfterTurn.splice(0)) this.#dialogue?.sendMessage(text);
      },
      onTurnStarted: () => this.#setBusy(true),
      leave: () => this.close(),
      fail: (message) => {
        this.#deps.log.warn(message);
        this.close();
      },
    };
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#isOpen = true;
    this.#settle(true);
    this.#changes.fire();
  }

  #sendMessage(text: string, how: 'queue' | 'interrupt'): void {
    if (!this.#isOpen) throw failures.takesNoMessage(this.#deps.label);
    if (how === 'interrupt' && this.#isBusy) {
      this.#messagesAfterTurn.push(text);
      this.stop();
    } else {
      // The dialogue reports the start only of turns that other clients begin.
      if (!this.#isBusy) this.#setBusy(true);
      this.#dialogue?.sendMessage(text);
    }
  }

  /** The requests stay where the session runs. */
  #handleDisconnect(): void {
    this.#settle(false);
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#isBusy = false;
    void this.#dialogue?.end();
    this.#requests.end();
    if (wasOpen) this.#changes.fire();
  }
}

/** A use of a link; the last one to be disposed closes it. */
export interface LinkUse extends Disposable {
  readonly link: AgentLink;
}
