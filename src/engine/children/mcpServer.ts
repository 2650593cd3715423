import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../../model/agent/agent.ts';
import type { Origin } from '../../model/transcript/entry.ts';
import type { McpServer } from '../../model/agent/mcpServer.ts';
import type { Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ChildLimits, ChildServer, Log } from '../api.ts';
import type { Caller, Children } from './children.ts';

const maxBody = 4 << 20;

/**
 * Serves the Model Context Protocol on the loopback interface, to agents with a token for their run. Only the token
 * identifies the caller. Owns its server from the first token to `close`.
 */
export class ChildMcpServer implements ChildServer {
  readonly #children: Children;
  readonly #log: Log;
  /** Callers by the hash of their token. */
  readonly #callers = new Map<string, Caller & { readonly runId: string; readonly cancellation: AbortController }>();
  #listeningServer: Promise<Server> | undefined;

  constructor(children: Children, log: Log) {
    this.#children = children;
    this.#log = log;
  }

  rememberListedAgents(session: Session, by: Origin): Promise<void> {
    return this.#children.rememberListedAgents(session, by);
  }

  checkOwn(session: Session, agent: Agent | null): Promise<void> {
    return this.#children.checkOwn(session, agent);
  }

  async open(session: Session, runId: string, limits: ChildLimits): Promise<McpServer> {
    this.#listeningServer ??= this.#listen();
    const port = portOf(await this.#listeningServer);
    const token = randomBytes(32).toString('hex');
    const cancellation = new AbortController();
    this.#callers.set(hash(token), { session, runId, limits, cancellation: cancellation, signal: cancellation.signal });
    return { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  }

  endRun(sessionId: string, runId: string): void {
    for (const [key, caller] of this.#callers) if (caller.runId === runId) this.#dismiss(key, caller);
    this.#children.idle(sessionId);
  }

  assertPermitted(parentId: string, agent: Agent, fileHash?: string): Promise<void> {
    return this.#children.assertPermitted(parentId, agent, fileHash);
  }

  expectCallback(callback: { readonly parent: string; readonly child: string }): Promise<void> {
    return this.#children.expect(callback);
  }

  handleChildEnded(parent: string): void {
    this.#children.idle(parent);
  }

  recover(accepts: (session: SessionSummary) => boolean): Promise<void> {
    return this.#children.recover(accepts);
  }

  prepareClose(sessions: readonly SessionSummary[]): Promise<void> {
    return this.#children.closing(sessions);
  }

  async close(): Promise<void> {
    for (const [key, caller] of this.#callers) this.#dismiss(key, caller);
    this.#children.close();
    const server = await this.#listeningServer?.catch(() => undefined);
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Invalidates the caller's token and cancels the starts that it requested. */
  #dismiss(key: string, { cancellation }: { readonly cancellation: AbortController }): void {
    this.#callers.delete(key);
    cancellation.abort();
  }

  async #listen(): Promise<Server> {
    // Loaded when the first agent needs it, because it also loads Node's HTTP client: 6 MB.
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => {
      void this.#answer(request, response, portOf(server)).catch((error: unknown) => {
        this.#log.error(`The server for agents failed: ${String(error)}`);
        if (response.headersSent) response.destroy();
        else refuse(response, 500, 'Failed.');
      });
    });
    // A call lasts as long as the agent that it started.
    server.requestTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const { host, origin, authorization = '' } = request.headers;
    // A page in a browser has an origin, or another name for this machine.
    if (origin !== undefined || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) {
      refuse(response, 403, 'Agents only.');
      return;
    }
    const caller = this.#callers.get(hash(/^Bearer ([0-9a-f]{64})$/i.exec(authorization)?.[1] ?? ''));
    if (caller === undefined) {
      this.#log.warn('The server for agents rejected a request without a valid run token.');
      refuse(response, 401, 'This run has ended, or the token is invalid.');
      return;
    }
    if (request.url !== '/mcp' || request.method !== 'POST') {
      refuse(response, request.url === '/mcp' ? 405 : 404, 'POST /mcp.');
      return;
    }
    const [{ StreamableHTTPServerTransport: HttpTransport }, { childTools }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('./mcpTools.ts'),
    ]);
    // There is no state between requests: the token identifies the caller.
    const server = childTools(this.#children, caller);
    const transport = new HttpTransport({ maxRequestBodySize: maxBody });
    response.once('close', () => {
      void transport.close();
      void server.close();
    });
    await server.connect(toTransport(transport));
    await transport.handleRequest(request, response);
  }
}

/** With `exactOptionalPropertyTypes`, the package's types are not compatible with each other. */
function toTransport(inner: StreamableHTTPServerTransport): Transport {
  return {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
    set onmessage(listener: NonNullable<Transport['onmessage']>) {
      inner.onmessage = listener;
    },
    set onclose(listener: () => void) {
      inner.onclose = listener;
    },
    set onerror(listener: (error: Error) => void) {
      inner.onerror = listener;
    },
  };
}

const hash = (token: string): string => createHash('sha256').update(token).digest('hex');

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { code: -32000, message };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
