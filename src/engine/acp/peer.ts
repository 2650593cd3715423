import type * as acp from '@agentclientprotocol/sdk';
import { isObject, type JsonObject, parseObject } from '../../model/text/json.ts';
import { nonEmpty } from '../../agents/shared/guards.ts';

export type Sdk = typeof acp;

/** Maximum number of agent requests answered at the same time. */
const maxServed = 256;
const tooManyError = { code: -32603, message: 'Too many requests at once.' };
const oversizeError = { code: -32603, message: 'The message is too long.' };

/** The agent did not answer within the timeout. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(method: string, ms: number) {
    super(`no answer to ${method} within ${Math.round(ms / 1000)} seconds`);
  }

  static is(error: unknown): error is UnansweredError {
    return error instanceof UnansweredError;
  }
}

export interface PeerDeps {
  readonly write: (line: string) => void;
  /** Registers the methods that the agent may call. */
  readonly serve: (app: acp.ClientApp, sdk: Sdk) => void;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/**
 * JSON-RPC over the agent's lines. The SDK gets requests and awaited responses only; it would report anything else as
 * an error, and the transcript has it already.
 */
export class AcpPeer {
  readonly #deps: PeerDeps;
  readonly #connection: Promise<acp.ClientConnection>;
  readonly #pendingRequestIds = new Set<string | number>();
  #activeRequests = 0;
  #isClosed = false;
  #feed: ReadableStreamDefaultController<acp.AnyMessage> | undefined;

  constructor(deps: PeerDeps) {
    this.#deps = deps;
    const readable = new ReadableStream<acp.AnyMessage>({
      start: (controller) => {
        this.#feed = controller;
      },
    });
    const writable = new WritableStream<acp.AnyMessage>({ write: (message) => this.#write(message) });
    this.#connection = import('@agentclientprotocol/sdk').then((sdk) => {
      const app = sdk.client({ name: 'Vitrine' });
      deps.serve(app, sdk);
      return app.connect({ readable, writable });
    });
    this.#connection.catch(() => undefined);
  }

  /** One line of the agent's stdout. */
  line(text: string): void {
    const message = parseObject(text);
    if (this.#isClosed || message === undefined) return;
    const { id } = message;
    const method = nonEmpty(message['method']);
    if (method === undefined) {
      if (isId(id) && this.#pendingRequestIds.delete(id) && isMessage(message)) this.#feed?.enqueue(message);
    } else if (!('id' in message)) {
      const params = isObject(message['params']) ? message['params'] : {};
      if (method === '$/cancel_request' && isMessage(message)) this.#feed?.enqueue(message);
      else this.#deps.onNotification(method, params);
    } else if (isId(id) && isMessage(message)) this.#request(message, id);
  }

  /** A line over the size limit. Fails the request that it belongs to, on either side. */
  answerOversizeLine(head: string): void {
    const id = headId(head);
    if (id === undefined || this.#isClosed) return;
    const failed = { jsonrpc: '2.0', id, error: oversizeError } as const;
    if (/"method"\s*:/.test(head)) this.#deps.write(JSON.stringify(failed));
    else if (this.#pendingRequestIds.delete(id)) this.#feed?.enqueue(failed);
  }

  /** Returns the unvalidated result. @throws UnansweredError, or the agent's error response */
  async request(method: string, params: JsonObject, withinMs?: number): Promise<unknown> {
    const { agent } = await this.#connection;
    if (withinMs === undefined) return agent.request<unknown, JsonObject>(method, params);
    const cancellationSignal = AbortSignal.timeout(withinMs);
    try {
      const options = { cancellationSignal, stopWaitingOnCancel: true };
      return await agent.request<unknown, JsonObject>(method, params, options);
    } catch (error) {
      throw cancellationSignal.aborted ? new UnansweredError(method, withinMs) : error;
    }
  }

  notify(method: string, params: JsonObject): void {
    void this.#connection.then(({ agent }) => agent.notify<JsonObject>(method, params)).catch(() => undefined);
  }

  /** Rejects all pending requests. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#connection.then((connection) => connection.close()).catch(() => undefined);
  }

  #request(message: acp.AnyMessage, id: string | number): void {
    if (this.#activeRequests >= maxServed) {
      this.#deps.write(JSON.stringify({ jsonrpc: '2.0', id, error: tooManyError }));
      return;
    }
    this.#activeRequests += 1;
    this.#feed?.enqueue(message);
  }

  #write(message: acp.AnyMessage): void {
    if ('method' in message) {
      if ('id' in message && isId(message.id)) this.#pendingRequestIds.add(message.id);
    } else this.#activeRequests -= 1;
    if (!this.#isClosed) this.#deps.write(JSON.stringify(message));
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** The SDK validates the rest. */
function isMessage(message: JsonObject): message is JsonObject & acp.AnyMessage {
  return message['jsonrpc'] === '2.0';
}

/** The id, if it comes before the oversized part. */
function headId(head: string): string | number | undefined {
  const found =
    /^[^{]*\{(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[^"]*"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")/.exec(head);
  const shown = found?.[1];
  if (shown === undefined) return undefined;
  return shown.startsWith('"') ? shown.slice(1, -1) : Number(shown);
}
