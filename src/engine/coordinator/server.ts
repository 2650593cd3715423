import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Seat } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import type { Disposable, Log } from '../api.ts';
import { isProof, newNonce, proofOf } from './handshake.ts';
import { LineSocket } from './lineSocket.ts';
import type { LocalCoordinator } from './local.ts';
import type { CoordinatorPlace } from './place.ts';
import { calls, callSchema, pagesOf, proofSchema, type CallName } from './wire.ts';

/** Connections that have not shown the token yet; one more ends the oldest of them, so that none of them locks anybody out. */
const maxStrangers = 64;
/** Connections that have. */
const maxClients = 512;
const handshakeMs = 5000;

/** Lets other processes of this user speak with the coordinator in this one. */
export class CoordinatorServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  /** In the order in which they came. */
  readonly #strangers = new Set<Connection>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** The caller holds the lease of the place: a socket that is there is one that no one listens on. */
  static async listen(place: CoordinatorPlace, coordinator: LocalCoordinator, log: Log): Promise<CoordinatorServer> {
    if (process.platform !== 'win32') await rm(place.address, { force: true });
    const server = createServer();
    const listening = new CoordinatorServer(server);
    server.on('connection', (socket) => {
      listening.#greet(socket, (known) => new Connection(socket, { token: place.token, coordinator, log, known }));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // The folder is private, so that there is no moment at which another user could connect.
      server.listen({ path: place.address }, resolve);
    });
    try {
      if (process.platform !== 'win32') await chmod(place.address, 0o600);
    } catch (error) {
      await listening.close();
      throw error;
    }
    return listening;
  }

  #greet(socket: Socket, make: (known: () => boolean) => Connection): void {
    const connection = make(() => {
      this.#strangers.delete(connection);
      return this.#connections.size - this.#strangers.size <= maxClients;
    });
    this.#connections.add(connection);
    this.#strangers.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      this.#strangers.delete(connection);
    });
    const [oldest] = this.#strangers;
    if (this.#strangers.size <= maxStrangers || oldest === undefined) return;
    this.#strangers.delete(oldest);
    oldest.close();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections) connection.close();
    await closed;
  }
}

interface ConnectionDeps {
  readonly token: string;
  readonly coordinator: LocalCoordinator;
  readonly log: Log;
  /** The client has shown the token; `false`: there are too many. */
  readonly known: () => boolean;
}

/** One client: nothing is done for it until it has shown that it knows the token. */
class Connection {
  readonly #coordinator: LocalCoordinator;
  readonly #token: string;
  readonly #log: Log;
  readonly #known: () => boolean;
  readonly #lines: LineSocket;
  readonly #nonce = newNonce();
  readonly #timer: NodeJS.Timeout;
  /** Runners that are there as long as this connection is. */
  readonly #runners = new Map<string, Seat>();
  #news: Disposable | undefined;

  constructor(socket: Socket, { token, coordinator, log, known }: ConnectionDeps) {
    this.#coordinator = coordinator;
    this.#token = token;
    this.#log = log;
    this.#known = known;
    this.#lines = new LineSocket(socket, {
      message: (message) => {
        if (this.#news === undefined) this.#greet(message);
        else void this.#call(message);
      },
      closed: () => this.#closed(),
    });
    this.#timer = setTimeout(() => this.#lines.destroy(), handshakeMs);
    this.#lines.send({ nonce: this.#nonce });
  }

  /** The coordinator ends, and not the runner: what it has it keeps for the next one. */
  close(): void {
    this.#runners.clear();
    this.#lines.destroy();
  }

  #greet(message: unknown): void {
    clearTimeout(this.#timer);
    const given = proofSchema.safeParse(message);
    if (!given.success || !isProof(given.data.proof, this.#token, 'client', this.#nonce)) {
      this.#log.warn('Somebody spoke to the coordinator without its token, and was refused.');
      // Ending our side alone would leave theirs open for as long as they like.
      this.#lines.destroy();
      return;
    }
    if (!this.#known()) {
      this.#log.warn('The coordinator has too many clients, and refused one more.');
      this.#lines.destroy();
      return;
    }
    this.#lines.send({ proof: proofOf(this.#token, 'server', given.data.nonce) });
    this.#news = this.#coordinator.onRun((run) => this.#lines.send({ run }));
  }

  async #call(message: unknown): Promise<void> {
    const parsed = callSchema.safeParse(message);
    if (!parsed.success) {
      this.#lines.destroy();
      return;
    }
    const { id, call, params } = parsed.data;
    try {
      await this.#answer(id, (await this.#result(call, params)) ?? null);
    } catch (error) {
      const known = CoordinatorError.is(error);
      if (!known) this.#log.error(`The coordinator failed: ${String(error)}`);
      const { code, message: text } = known ? error : { code: 'invalid', message: 'The coordinator failed.' };
      this.#lines.send({ id, error: { code, message: text } });
    }
  }

  /** A long list goes in parts, each when the other side has taken the one before. */
  async #answer(id: number, result: unknown): Promise<void> {
    const pages: readonly unknown[] = Array.isArray(result) ? pagesOf(result) : [result];
    for (const part of pages.slice(0, -1)) {
      this.#lines.send({ id, part });
      await this.#lines.drained();
    }
    this.#lines.send({ id, result: pages.at(-1) });
  }

  async #result(call: CallName, given: readonly unknown[]): Promise<unknown> {
    const coordinator = this.#coordinator;
    switch (call) {
      case 'createRun':
        return coordinator.createRun(...params('createRun', given));
      case 'stopRun':
        return coordinator.stopRun(...params('stopRun', given));
      case 'runs':
        return coordinator.runs(...params('runs', given));
      case 'runners':
        return coordinator.runners();
      case 'register': {
        const [registration] = params('register', given);
        const runner = await coordinator.register(registration);
        this.#runners.set(runner.runner_id, { runner_id: runner.runner_id, instance: registration.instance });
        return runner;
      }
      case 'heartbeat':
        return coordinator.heartbeat(...params('heartbeat', given));
      case 'claim':
        return coordinator.claim(...params('claim', given));
      case 'report':
        return coordinator.report(...params('report', given));
      case 'leave': {
        const [seat] = params('leave', given);
        this.#runners.delete(seat.runner_id);
        return coordinator.leave(seat);
      }
    }
  }

  #closed(): void {
    clearTimeout(this.#timer);
    this.#news?.dispose();
    for (const seat of this.#runners.values()) {
      void this.#coordinator.lost(seat, 'The runner ended while it had this run.');
    }
  }
}

type ParamsOf<N extends CallName> = ReturnType<(typeof calls)[N]['params']['parse']>;

function params<N extends CallName>(call: N, given: readonly unknown[]): ParamsOf<N>;
function params(call: CallName, given: readonly unknown[]): unknown {
  const parsed = calls[call].params.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CoordinatorError('invalid', `${call}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}
