import type { Socket } from 'node:net';
import { createMessageConnection, ErrorCodes, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import type * as z from 'zod';
import { EngineFailure } from '../engine/failures.ts';
import {
  calls,
  updateCall,
  type CallName,
  type ErrorData,
  type ResultOf,
  type SessionUpdate,
} from '../protocol/daemon/calls.ts';
import type { JsonLineReader } from '../transport/jsonLines.ts';
import { JsonLineWriter } from '../transport/jsonLines.ts';
import type { DaemonService } from './service.ts';
import { snapshotOf, Subscription } from './subscription.ts';

/** Sessions that one client can follow at a time. */
const maxSubscriptions = 100;
/** Calls of one client that are worked on at a time; the others wait. */
const maxParallelCalls = 32;

/** One client that has proved that it knows the token. */
export class ClientConnection {
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #service: DaemonService;
  readonly #rpc: MessageConnection;
  readonly #subscriptions = new Map<number, Subscription>();
  #nextSubscription = 1;
  #isClosed = false;

  constructor(socket: Socket, reader: JsonLineReader, service: DaemonService) {
    this.#service = service;
    this.#rpc = createMessageConnection(reader, new JsonLineWriter(socket), undefined, {
      maxParallelism: maxParallelCalls,
    });
    this.closed = new Promise((resolve) => {
      this.#rpc.onClose(() => {
        this.#close();
        resolve();
      });
    });
    // The socket closes after an error, and closing is what matters.
    this.#rpc.onError(() => socket.destroy());
    this.#handle('hello', calls.hello, ({ client }) => service.hello(this, client));
    this.#handle('status', calls.status, () => service.status());
    this.#handle('retire', calls.retire, ({ when }) => service.retire(when));
    this.#handle('running', calls.running, () => service.running());
    this.#handle('answer', calls.answer, (params) => service.answer(params));
    this.#handle('say', calls.say, (params) => service.say(params));
    this.#handle('stop', calls.stop, (params) => service.stop(params));
    this.#handle('start', calls.start, (params) => service.start(params));
    this.#handle('resume', calls.resume, (params) => service.resume(params));
    this.#handle('follow', calls.follow, ({ session_id }) => this.#follow(session_id));
    this.#handle('unfollow', calls.unfollow, ({ subscription }) => {
      this.#subscriptions.get(subscription)?.dispose();
      this.#subscriptions.delete(subscription);
      return {};
    });
    this.#handle('read', calls.read, (params) => service.read(params));
    this.#rpc.listen();
  }

  /** Ends the connection once what was sent is on its way. */
  end(): void {
    this.#rpc.end();
  }

  #handle<P, R>(
    name: CallName,
    { params: schema }: { readonly params: z.ZodType<P>; readonly result: z.ZodType<R> },
    work: (params: P) => R | Promise<R>,
  ): void {
    this.#rpc.onRequest(name, async (given: unknown) => {
      const params = schema.safeParse(given);
      if (!params.success) {
        const [issue] = params.error.issues;
        const where = issue?.path.join('.') ?? '';
        throw new ResponseError(ErrorCodes.InvalidParams, `${name}: ${where} ${issue?.message ?? ''}`.trim());
      }
      try {
        return await work(params.data);
      } catch (error) {
        throw this.#asResponse(error);
      }
    });
  }

  #asResponse(error: unknown): ResponseError<ErrorData> {
    if (EngineFailure.is(error)) {
      const { code, message, detail } = error;
      return new ResponseError(ErrorCodes.UnknownErrorCode, message, { code, message, detail });
    }
    const message = error instanceof Error ? error.message : String(error);
    this.#service.log.error(`A call failed: ${error instanceof Error ? (error.stack ?? message) : message}`);
    return new ResponseError(ErrorCodes.InternalError, message, { code: 'internal', message, detail: '' });
  }

  async #follow(sessionId: string): Promise<ResultOf<'follow'>> {
    if (this.#subscriptions.size >= maxSubscriptions)
      throw new ResponseError(ErrorCodes.InvalidRequest, `A client can follow ${maxSubscriptions} sessions at a time.`);
    const handle = await this.#service.open(sessionId);
    if (this.#isClosed) {
      handle.dispose();
      throw new ResponseError(ErrorCodes.InvalidRequest, 'The connection is closed.');
    }
    const id = this.#nextSubscription++;
    const state = snapshotOf(handle);
    const send = (update: SessionUpdate): Promise<void> => this.#rpc.sendRequest(updateCall, update);
    this.#subscriptions.set(id, new Subscription(id, handle, send));
    return { subscription: id, state };
  }

  #close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions.values()) subscription.dispose();
    this.#subscriptions.clear();
    this.#rpc.dispose();
  }
}
