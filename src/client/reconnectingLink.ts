import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallName,
  type DaemonStatus,
  type GivenParams,
  readingCalls,
  type ResultOf,
} from '../protocol/daemon/calls.ts';
import type { FailureData } from '../protocol/daemon/failure.ts';
import type { SessionUpdate } from '../protocol/daemon/session.ts';
import type { DaemonConnection } from './connection.ts';
import { DaemonError } from './errors.ts';
import { Listeners } from './listeners.ts';
import { isNewer } from './versions.ts';

function subscriptionOf(answer: ResultOf<'start' | 'follow'>): number | undefined {
  return 'subscription' in answer ? answer.subscription : answer.followed?.subscription;
}

/** Milliseconds between attempts to reach a daemon after the last one was lost. */
const firstRetryMs = 100;
const lastRetryMs = 10_000;

export interface LinkDeps<F extends Error> {
  /** Connects to the daemon, and starts it if necessary. @throws DaemonError */
  readonly connect: () => Promise<DaemonConnection>;
  /** Sends a new daemon what it needs to know before any call. */
  readonly prepare: (connection: DaemonConnection) => Promise<void>;
  readonly failure: (data: FailureData) => F;
  readonly log: { warn(message: string): void };
}

/** A connection that is opened when needed, and again after the daemon ended. */
export class DaemonLink<F extends Error> {
  readonly failure: (data: FailureData) => F;
  /** The daemon was lost and another one found. */
  readonly reconnected = new Listeners<[]>();
  readonly #deps: LinkDeps<F>;
  #connection: Promise<DaemonConnection> | undefined;
  readonly #closeController = new AbortController();

  constructor(deps: LinkDeps<F>) {
    this.#deps = deps;
    this.failure = deps.failure;
  }

  /** A call that only reads is repeated once if the daemon is lost meanwhile. @throws F, DaemonError */
  async call<N extends CallName>(name: N, params: GivenParams<N>): Promise<ResultOf<N>> {
    return this.#translateErrors(async () => {
      const connection = await this.connection();
      try {
        return await connection.call(name, params);
      } catch (error) {
        if (
          this.#closeController.signal.aborted ||
          !readingCalls.includes(name) ||
          !DaemonError.is(error, 'unreachable')
        )
          throw error;
        await connection.closed;
        return await (await this.connection()).call(name, params);
      }
    });
  }

  /** For a call that starts a run: `onUpdate` gets changes from then on. @throws F, DaemonError */
  async begin<N extends 'start' | 'resume' | 'fork' | 'restart' | 'follow'>(
    name: N,
    params: GivenParams<N>,
    onUpdate: (update: SessionUpdate) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<{ readonly answer: ResultOf<N>; readonly connection: DaemonConnection }> {
    return this.#translateErrors(async () => {
      const connection = await this.connection();
      const answer = await connection.call(name, params, signal);
      const subscription = subscriptionOf(answer);
      if (subscription !== undefined) connection.listen(subscription, onUpdate);
      return { answer, connection };
    });
  }

  async status(): Promise<DaemonStatus> {
    return this.call('status', {});
  }

  /** Ends an idle daemon of an older build, so that the next one is of this build. Never rejects. */
  async replaceOlder(build: string): Promise<void> {
    try {
      const connection = await this.#connection;
      if (connection === undefined || !isNewer(build, connection.daemon.version)) return;
      const { runs } = await connection.call('status', {});
      if (runs === 0) await connection.call('retire', { when: 'idle' });
    } catch (error) {
      this.#deps.log.warn(`The daemon from an earlier version of Vitrine was not replaced: ${String(error)}`);
    }
  }

  /** @throws DaemonError */
  async connection(): Promise<DaemonConnection> {
    if (this.#closeController.signal.aborted) throw new DaemonError('unreachable', 'This window is closing.');
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  close(): void {
    this.#closeController.abort();
    void this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  async #connect(): Promise<DaemonConnection> {
    let connection: DaemonConnection | undefined;
    try {
      connection = await this.#deps.connect();
      await this.#deps.prepare(connection);
    } catch (error) {
      connection?.close();
      this.#connection = undefined;
      throw error;
    }
    void connection.closed.then(() => this.#handleDisconnect());
    return connection;
  }

  #handleDisconnect(): void {
    this.#connection = undefined;
    if (!this.#closeController.signal.aborted) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let pause = firstRetryMs; !this.#closeController.signal.aborted; pause = Math.min(pause * 2, lastRetryMs)) {
      try {
        await this.connection();
        this.reconnected.fire();
        return;
      } catch (error) {
        this.#deps.log.warn(`The Vitrine daemon cannot be reached: ${String(error)}`);
        // Keeps a command line alive that waits for a run.
        await delay(pause, undefined, { signal: this.#closeController.signal }).catch(() => undefined);
      }
    }
  }

  async #translateErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (DaemonError.is(error) && error.failure !== undefined) throw this.failure(error.failure);
      throw error;
    }
  }
}
