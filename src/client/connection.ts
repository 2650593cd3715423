import { createConnection, type Socket } from 'node:net';
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  type MessageConnection,
  ResponseError,
} from 'vscode-jsonrpc/node';
import {
  calls,
  inputCall,
  inputParamsSchema,
  newsCall,
  newsSchema,
  updateCall,
  type CallName,
  type ClientDescription,
  type DaemonStatus,
  type GivenParams,
  type News,
  type ResultOf,
} from '../protocol/daemon/calls.ts';
import { failureSchema } from '../protocol/daemon/failure.ts';
import { updateSchema, type SessionUpdate } from '../protocol/daemon/session.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import type { Endpoint } from '../transport/endpoint.ts';
import { joinServer } from '../transport/handshake.ts';
import { JsonLineReader, JsonLineWriter } from '../transport/jsonLines.ts';
import { DaemonError } from './errors.ts';

/** Default time limit until a daemon accepts a connection, in ms. */
const acceptMs = 3000;

export interface ClientOptions {
  readonly build: string;
  readonly client: ClientDescription;
  readonly protocol?: number;
  /** Gives up after this time, in ms. */
  readonly withinMs?: number;
  /** The daemon sends more news when this has settled; used after the call `watch`. */
  readonly onNews?: (news: News) => Promise<void>;
  /** Returns an input value for an agent file; `null`: none. Default: none. */
  readonly onInput?: (name: string, agent: { readonly name: string; readonly file: string }) => Promise<string | null>;
}

/** A connection to a daemon. Ends with the daemon; connect again for another one. */
export class DaemonConnection {
  /** Status of the daemon when the connection began. */
  readonly daemon: DaemonStatus;
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #rpc: MessageConnection;
  readonly #listeners: Map<number, (update: SessionUpdate) => Promise<void>>;

  private constructor(
    rpc: MessageConnection,
    daemon: DaemonStatus,
    closed: Promise<void>,
    listeners: Map<number, (update: SessionUpdate) => Promise<void>>,
  ) {
    this.#rpc = rpc;
    this.daemon = daemon;
    this.closed = closed;
    this.#listeners = listeners;
  }

  /** @throws DaemonError `unreachable` if nothing listens, `refused` if it is not the daemon of this store */
  static async open({ address, token }: Endpoint, options: ClientOptions): Promise<DaemonConnection> {
    const socket = await connected(address);
    const reader = new JsonLineReader(socket);
    const timer = setTimeout(() => socket.destroy(), options.withinMs ?? acceptMs);
    try {
      if (!(await joinServer(socket, reader, token)))
        throw socket.destroyed
          ? new DaemonError('unreachable', 'The daemon closed the connection.')
          : new DaemonError('refused', 'Another program is listening at the daemon’s address.');
    } catch (error) {
      clearTimeout(timer);
      socket.destroy();
      throw DaemonError.is(error) ? error : new DaemonError('unreachable', String(error));
    }
    const rpc = createMessageConnection(reader, new JsonLineWriter(socket));
    const listeners = new Map<number, (update: SessionUpdate) => Promise<void>>();
    const closed = new Promise<void>((resolve) => {
      rpc.onClose(() => {
        rpc.dispose();
        resolve();
      });
    });
    rpc.onError(() => socket.destroy());
    rpc.onRequest(updateCall, async (params: unknown) => {
      const update = updateSchema.parse(params);
      await listeners.get(update.subscription)?.(update);
      return {};
    });
    const { build, client, protocol = daemonProtocol, onNews, onInput } = options;
    rpc.onRequest(newsCall, async (params: unknown) => {
      await onNews?.(newsSchema.parse(params));
      return {};
    });
    rpc.onRequest(inputCall, async (params: unknown) => {
      const { name, agent } = inputParamsSchema.parse(params);
      return { value: (await onInput?.(name, agent)) ?? null };
    });
    rpc.listen();
    const status = await call(rpc, 'hello', { protocol, build, client }).finally(() => clearTimeout(timer));
    return new DaemonConnection(rpc, status, closed, listeners);
  }

  /** `signal` cancels a call that starts a run, until its agent has started. */
  call<N extends CallName>(name: N, params: GivenParams<N>, signal?: AbortSignal): Promise<ResultOf<N>> {
    return call(this.#rpc, name, params, signal);
  }

  /** The daemon sends the next batch when `onUpdate` has settled. */
  async follow(sessionId: string, onUpdate: (update: SessionUpdate) => Promise<void>): Promise<ResultOf<'follow'>> {
    const followed = await this.call('follow', { session_id: sessionId });
    this.listen(followed.subscription, onUpdate);
    return followed;
  }

  /**
   * For a call that also follows a session. Call this as soon as the answer arrives: each message is handled in its own turn,
   * so no update comes before this.
   */
  listen(subscription: number, onUpdate: (update: SessionUpdate) => Promise<void>): void {
    this.#listeners.set(subscription, onUpdate);
  }

  /** Ends a subscription. */
  async unfollow(subscription: number): Promise<void> {
    this.#listeners.delete(subscription);
    await this.call('unfollow', { subscription });
  }

  close(): void {
    this.#rpc.end();
    this.#rpc.dispose();
  }
}

async function call<N extends CallName>(
  rpc: MessageConnection,
  name: N,
  params: GivenParams<N>,
  signal?: AbortSignal,
): Promise<ResultOf<N>>;
async function call(rpc: MessageConnection, name: CallName, params: unknown, signal?: AbortSignal): Promise<unknown> {
  const cancellation = new CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  let result: unknown;
  try {
    const answer = rpc.sendRequest(name, params, cancellation.token);
    if (signal?.aborted === true) cancel();
    result = await answer;
  } catch (error) {
    const known = failureSchema.safeParse(error instanceof ResponseError ? error.data : undefined);
    if (known.success) throw new DaemonError(known.data.code, known.data.message, known.data.detail, known.data);
    if (error instanceof ResponseError && !isOfConnection(error)) throw new DaemonError('failed', error.message);
    throw new DaemonError(
      'unreachable',
      'The connection to the Vitrine daemon was lost.',
      'Try again. If it happens again, see "vitrine daemon logs".',
    );
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  const parsed = calls[name].result.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new DaemonError('incompatible', `The daemon's answer to "${name}" has an unknown format.`);
}

/** Errors of vscode-jsonrpc itself: the call was not sent, or its answer did not arrive. */
function isOfConnection({ code }: ResponseError<unknown>): boolean {
  return code === ErrorCodes.MessageWriteError || code === ErrorCodes.PendingResponseRejected;
}

function connected(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: address });
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => reject(new DaemonError('unreachable', error.message)));
  });
}
