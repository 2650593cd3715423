import { Socket } from 'node:net';
import pg from 'pg';
import * as z from 'zod';
import { clientConfig, teamError, type Database, type Login } from './connection.ts';

/** Delay between attempts to connect, in ms; it doubles from the first value to the second. */
const [leastWaitMs, mostWaitMs] = [250, 5000];
/** A listener that does not answer in this time has lost its connection, in ms. */
const beatMs = 5000;
const poolSize = 4;

const hintSchema = z.object({ kind: z.string(), id: z.string() });
export type ChangeHint = z.infer<typeof hintSchema>;

export interface LinkDeps {
  readonly log: { info(message: string): void; warn(message: string): void };
  /** Something changed. Hints can get lost while the connection is down. */
  readonly onHint: (hint: ChangeHint) => void;
  /** Called after each connection. Changes before it caused no notifications. */
  readonly onConnected: () => void;
}

/** A pool for queries, and a connection that listens, which is made again whenever it is lost. */
export class TeamLink implements Database {
  readonly query: Database['query'];
  readonly #login: Login;
  readonly #pool: pg.Pool;
  readonly #deps: LinkDeps;
  /** Sockets of the pool. */
  readonly #sockets: OpenSockets;
  readonly #closeController = new AbortController();
  #listener: pg.Client | undefined;
  #isConnected = false;

  private constructor(login: Login, { pool, sockets }: { pool: pg.Pool; sockets: OpenSockets }, deps: LinkDeps) {
    this.#login = login;
    this.#pool = pool;
    this.#sockets = sockets;
    this.#deps = deps;
    this.query = pool.query.bind(pool);
    void this.#listen();
  }

  /** Connects in the background. @throws TeamError `url` */
  static async open(login: Login, deps: LinkDeps): Promise<TeamLink> {
    const sockets = new OpenSockets();
    const config = { ...(await clientConfig(login)), stream: () => sockets.create() };
    const pool = new pg.Pool({ ...config, max: poolSize, allowExitOnIdle: true });
    // A lost idle connection is replaced by the next query.
    pool.on('error', () => undefined);
    return new TeamLink(login, { pool, sockets }, deps);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Runs `work`; what the database refuses becomes a TeamError. */
  async withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      throw teamError(error, this.#login.address);
    }
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#listener?.end().catch(() => undefined);
    await this.#pool.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closeController;
    for (let wait = leastWaitMs; !signal.aborted; wait = Math.min(wait * 2, mostWaitMs)) {
      try {
        await this.#listenOnce(() => (wait = leastWaitMs));
      } catch (error) {
        if (this.#isConnected || wait === leastWaitMs)
          this.#deps.log.warn(
            `The team's database cannot be reached: ${String(teamError(error, this.#login.address))}`,
          );
      }
      this.#isConnected = false;
      // Pending queries of the pool would get no answer, either, and would notice that much later.
      this.#sockets.destroy();
      await sleep(wait, signal);
    }
  }

  /** Resolves or rejects when the connection has ended. */
  async #listenOnce(connected: () => void): Promise<void> {
    const sockets = new OpenSockets();
    const config = { ...(await clientConfig(this.#login)), stream: () => sockets.create() };
    const client = new pg.Client({ ...config, query_timeout: beatMs });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.on('error', () => resolve());
    });
    this.#listener = client;
    try {
      client.on('notification', ({ payload = '' }) => this.#receive(payload));
      await client.connect();
      await client.query('LISTEN vitrine');
      this.#isConnected = true;
      connected();
      this.#deps.log.info("Connected to the team's database.");
      this.#deps.onConnected();
      while (!this.#closeController.signal.aborted) {
        const isLost = await Promise.race([ended.then(() => true), sleep(beatMs, this.#closeController.signal)]);
        if (isLost === true) return;
        await client.query('SELECT 1');
      }
    } finally {
      this.#listener = undefined;
      void client.end().catch(() => undefined);
      // A half-open connection would never confirm its end.
      sockets.destroy();
    }
  }

  #receive(payload: string): void {
    const hint = hintSchema.safeParse(parseJson(payload)).data;
    if (hint !== undefined) this.#deps.onHint(hint);
  }
}

/** Tracks open sockets, to close them even if the library is waiting for something. */
class OpenSockets {
  readonly #open = new Set<Socket>();

  create(): Socket {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(end, ms);
    timer.unref();
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
