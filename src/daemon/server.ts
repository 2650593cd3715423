import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../engine/api.ts';
import type { Endpoint } from '../transport/endpoint.ts';
import { acceptClient } from '../transport/handshake.ts';
import { FlowControl, FrameBudget } from '../transport/flowControl.ts';
import { JsonLineReader, JsonLineWriter } from '../transport/jsonLines.ts';
import { FairTurns } from '../transport/turns.ts';
import { ClientConnection } from './clients/connection.ts';
import type { DaemonService } from './service.ts';

/** Connections without a proven token. A new one replaces the oldest. */
const maxUnauthenticated = 256;
const maxClients = 1000;
/** Time limit for a connection to prove that it knows the token, in ms. */
const handshakeMs = 2000;
/** Bytes of one message before that. */
const handshakeBytes = 1024;

/** Values in one message; it takes about 20 ms to parse so many. The longest list of the protocol has 100,000. */
const maxValues = 250_000;

/** Total bytes of incoming messages of all clients. */
const maxUnfinishedBytes = 128 << 20;

/** Listens for clients of this user. */
export class DaemonServer {
  readonly #server: Server;
  readonly #endpoint: Endpoint;
  readonly #service: DaemonService;
  readonly #log: Log;
  readonly #unauthenticated = new Set<Socket>();
  readonly #clients = new Set<ClientConnection>();
  readonly #budget = new FrameBudget(maxUnfinishedBytes);
  readonly #turns = new FairTurns();
  #refusedConnections = 0;

  private constructor(endpoint: Endpoint, service: DaemonService, log: Log) {
    this.#endpoint = endpoint;
    this.#service = service;
    this.#log = log;
    this.#server = createServer((socket) => this.#receive(socket));
  }

  /** @throws file system errors */
  static async listen(endpoint: Endpoint, service: DaemonService, log: Log): Promise<DaemonServer> {
    const listening = new DaemonServer(endpoint, service, log);
    await new Promise<void>((resolve, reject) => {
      listening.#server.once('error', reject);
      listening.#server.listen({ path: endpoint.address }, resolve);
    });
    if (process.platform !== 'win32') await chmod(endpoint.address, 0o600);
    return listening;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const unauthenticated of this.#unauthenticated) unauthenticated.destroy();
    for (const client of this.#clients) client.end();
    await closed;
  }

  #receive(socket: Socket): void {
    const [oldest] = this.#unauthenticated;
    if (this.#unauthenticated.size >= maxUnauthenticated) oldest?.destroy();
    this.#unauthenticated.add(socket);
    const timer = setTimeout(() => socket.destroy(), handshakeMs);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#unauthenticated.delete(socket);
    });
    void this.#authenticate(socket)
      .catch(() => socket.destroy())
      .finally(() => {
        clearTimeout(timer);
        this.#unauthenticated.delete(socket);
      });
  }

  async #authenticate(socket: Socket): Promise<void> {
    const flow = new FlowControl();
    const reader = new JsonLineReader(socket, {
      handshakeBytes,
      maxValues,
      flow,
      budget: this.#budget,
      turns: this.#turns,
    });
    const isClient = await acceptClient(socket, reader, this.#endpoint.token);
    if (!isClient || this.#clients.size >= maxClients) {
      this.#refusedConnections += 1;
      // Once per power of two, so that an attack does not fill the log.
      if (Math.log2(this.#refusedConnections) % 1 === 0)
        this.#log.warn(`Refused ${this.#refusedConnections} connections: the token was wrong, or there were too many.`);
      socket.destroy();
      return;
    }
    const client = new ClientConnection(socket, { reader, writer: new JsonLineWriter(socket, flow) }, this.#service);
    this.#clients.add(client);
    void client.closed.then(() => {
      this.#clients.delete(client);
      this.#service.leave(client);
    });
  }
}
