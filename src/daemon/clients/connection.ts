import type { Socket } from 'node:net';
import {
  CancellationToken,
  createMessageConnection,
  ErrorCodes,
  type MessageConnection,
  ResponseError,
} from 'vscode-jsonrpc/node';
import type * as z from 'zod';
import type { Disposable, SessionHandle } from '../../engine/api.ts';
import { failures } from '../../engine/failures/failures.ts';
import {
  calls,
  inputCall,
  inputResultSchema,
  newsCall,
  updateCall,
  type CallName,
  type News,
  type ParamsOf,
  type ResultOf,
} from '../../protocol/daemon/calls.ts';
import type { SessionUpdate } from '../../protocol/daemon/session.ts';
import type { JsonLineReader, JsonLineWriter } from '../../transport/jsonLines.ts';
import type { ConnectedClient } from './clients.ts';
import { failureData } from '../failures.ts';
import { NewsFeed } from './news.ts';
import type { DaemonService } from '../service.ts';
import { Subscription } from './subscription.ts';

/** Sessions that one client can follow at a time. */
const maxSubscriptions = 200;
/** Concurrent calls of one client; the others wait. */
const maxParallelCalls = 32;

interface Channel {
  readonly reader: JsonLineReader;
  readonly writer: JsonLineWriter;
}

/** One client that has proved that it knows the token. */
export class ClientConnection implements ConnectedClient {
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #service: DaemonService;
  readonly #rpc: MessageConnection;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #feed: NewsFeed;
  #newsSubscription: Disposable | undefined;
  #sources: Disposable | undefined;
  #nextSubscription = 1;
  #isClosed = false;

  constructor(socket: Socket, { reader, writer }: Channel, service: DaemonService) {
    this.#service = service;
    this.#rpc = createMessageConnection(reader, writer, undefined, {
      maxParallelism: maxParallelCalls,
    });
    this.#feed = new NewsFeed((news: News) => this.#rpc.sendRequest(newsCall, news));
    this.closed = new Promise((resolve) => {
      this.#rpc.onClose(() => {
        this.#close();
        resolve();
      });
    });
    // The socket closes after an error, and the close handler does the rest.
    this.#rpc.onError(() => socket.destroy());
    this.#handleConnection();
    this.#handleRuns();
    this.#handleQueue();
    this.#handleTeam();
    this.#handleRaces();
    this.#handleRestores();
    this.#handleReading();
    this.#handleRecords();
    this.#rpc.listen();
  }

  renew(sessionId: string): void {
    for (const subscription of this.#subscriptions.values()) {
      const { handle } = subscription;
      if (handle.id === sessionId && handle.otherVersion?.() === undefined) subscription.renew();
    }
  }

  /** Ends the connection after pending messages were sent. */
  end(): void {
    this.#rpc.end();
  }

  /** Asks the person at the client for a value; `null`: none was given. */
  async askInput(
    name: string,
    { name: agent, file }: { readonly name: string; readonly file: string },
  ): Promise<string | null> {
    const answer: unknown = await this.#rpc.sendRequest(inputCall, { name, agent: { name: agent, file } });
    return inputResultSchema.parse(answer).value;
  }

  #handleConnection(): void {
    const service = this.#service;
    this.#handle('hello', calls.hello, ({ client }) => service.hello(this, client));
    this.#handle('status', calls.status, () => service.status());
    this.#handle('retire', calls.retire, ({ when }) => service.retire(when));
    this.#handle('announce', calls.announce, (params) => service.announce(this, params));
    this.#handle('watch', calls.watch, ({ events, runs }) => {
      this.#feed.wantsEvents ||= events;
      this.#feed.wantsRuns ||= runs;
      this.#newsSubscription ??= service.news.add(this.#feed);
      return service.watch();
    });
    this.#handle('watchSources', calls.watchSources, async (params) => {
      const { watch, result } = await service.watchSources(params, this.#feed);
      this.#sources?.dispose();
      this.#sources = watch;
      if (this.#isClosed) watch.dispose();
      return result;
    });
    this.#handle('updateCatalogue', calls.updateCatalogue, (params) => service.updateCatalogue(params));
    this.#handle('unwatchSources', calls.unwatchSources, () => {
      this.#sources?.dispose();
      this.#sources = undefined;
      return {};
    });
  }

  #handleRuns(): void {
    const service = this.#service;
    this.#handle('running', calls.running, () => service.running());
    this.#handle('answer', calls.answer, (params) => service.answer(this, params));
    this.#handle('say', calls.say, (params) => service.say(this, params));
    this.#handle('stop', calls.stop, (params) => service.stop(params));
    this.#handle('changeOptions', calls.changeOptions, (params) => service.changeOptions(params));
    this.#handle('unsend', calls.unsend, (params) => service.unsend(params));
    this.#handle('start', calls.start, (params, signal) =>
      this.#respondStarted(service.start(this, params, signal), params),
    );
    this.#handle('resume', calls.resume, (params, signal) =>
      this.#respondStarted(service.resume(this, params, signal), params),
    );
    this.#handle('fork', calls.fork, (params, signal) =>
      this.#respondStarted(service.fork(this, params, signal), params),
    );
    this.#handle('planFork', calls.planFork, ({ session_id, at }) => service.forks.plan(session_id, at));
    this.#handle('restart', calls.restart, (params) => this.#respondStarted(service.restart(this, params), params));
  }

  #handleQueue(): void {
    const { queue } = this.#service;
    this.#handle('queueRun', calls.queueRun, (params) => queue.create(params));
    this.#handle('stopQueued', calls.stopQueued, (params) => queue.stop(params));
    this.#handle('changeQueued', calls.changeQueued, (params) => queue.change(params));
    this.#handle('queuedRuns', calls.queuedRuns, (params) => queue.runs(params));
    this.#handle('runners', calls.runners, () => queue.runners());
    this.#handle('addRunner', calls.addRunner, (params) => queue.add(this, params));
    this.#handle('removeRunners', calls.removeRunners, async (params) => {
      await queue.remove(this, params);
      return {};
    });
  }

  #handleTeam(): void {
    const { team } = this.#service;
    this.#handle('teamState', calls.teamState, () => team.state());
    this.#handle('sharedSessions', calls.sharedSessions, () => team.sharedSessions());
    this.#handle('pullShared', calls.pullShared, () => team.pullShared());
    this.#handle('joinTeam', calls.joinTeam, (params) => team.join(params));
    this.#handle('leaveTeam', calls.leaveTeam, (params) => team.leave(params));
    this.#handle('reloadTeam', calls.reloadTeam, (params) => team.reload(params));
    this.#handle('shareSession', calls.shareSession, (params) => team.shareSession(params));
    this.#handle('shareFolder', calls.shareFolder, (params) => team.shareFolder(params));
  }

  #handleRaces(): void {
    const { races } = this.#service;
    this.#handle('startRace', calls.startRace, (params) => races.start(this, params));
    this.#handle('races', calls.races, () => races.list());
    this.#handle('race', calls.race, (params) => races.next(params));
    this.#handle('stopRace', calls.stopRace, (params) => races.stop(params));
    this.#handle('compareRace', calls.compareRace, (params) => races.compare(params));
    this.#handle('compareSessions', calls.compareSessions, ({ session_ids: ids }) =>
      this.#service.compareSessions(ids),
    );
    this.#handle('applyRace', calls.applyRace, (params) => races.apply(params));
    this.#handle('undoRace', calls.undoRace, (params) => races.undo(params));
    this.#handle('cleanRace', calls.cleanRace, (params) => races.clean(params));
  }

  #handleRestores(): void {
    const { restores } = this.#service;
    this.#handle('previewRestore', calls.previewRestore, (params) => restores.preview(params));
    this.#handle('restoreContent', calls.restoreContent, (params) => restores.content(params));
    this.#handle('restoreFiles', calls.restoreFiles, (params) => restores.restore(params));
  }

  #handleReading(): void {
    const { records } = this.#service;
    const using = <T>(sessionId: string, work: (handle: SessionHandle) => Promise<T>): Promise<T> =>
      records.withHandle(sessionId, this.#findSubscription(sessionId), work);
    this.#handle('follow', calls.follow, async ({ session_id }) =>
      this.#follow(await this.#service.follow(session_id), false),
    );
    this.#handle('unfollow', calls.unfollow, ({ subscription }) => {
      this.#subscriptions.get(subscription)?.dispose();
      this.#subscriptions.delete(subscription);
      return {};
    });
    this.#handle('read', calls.read, (params) => using(params.session_id, (handle) => records.read(handle, params)));
    this.#handle('transcript', calls.transcript, (params) =>
      using(params.session_id, (handle) => records.transcript(handle, params)),
    );
    this.#handle('find', calls.find, ({ session_id, query, limit, from }) =>
      using(session_id, async (handle) => {
        const { indexes, truncated } = await handle.find(query, limit, from);
        return { indexes: [...indexes], truncated };
      }),
    );
    this.#handle('ledger', calls.ledger, ({ session_id }) =>
      using(session_id, async (handle) => {
        const { models, totalModels, ...figures } = await handle.ledger();
        return { models: models && [...models], totalModels: totalModels && [...totalModels], ...figures };
      }),
    );
    this.#handle('messages', calls.messages, ({ session_id }) =>
      using(session_id, async (handle) => [...(await handle.messages())]),
    );
    this.#handle('head', calls.head, ({ session_id }) =>
      using(session_id, async (handle) => ({ head: await handle.headHash() })),
    );
  }

  #handleRecords(): void {
    const { records } = this.#service;
    this.#handle('rename', calls.rename, (params) => records.rename(params));
    this.#handle('setHidden', calls.setHidden, (params) => records.setHidden(params));
    this.#handle('relink', calls.relink, (params) => records.relink(params));
    this.#handle('remove', calls.remove, (params) => records.remove(params));
    this.#handle('noteExport', calls.noteExport, (params) => records.noteExport(params));
    this.#handle('noteReview', calls.noteReview, (params) => records.noteReview(params));
    this.#handle('raiseBudget', calls.raiseBudget, (params) => records.raiseBudget(params));
    this.#handle('setFollowUps', calls.setFollowUps, (params) => records.setFollowUps(params));
    this.#handle('pauseFollowUps', calls.pauseFollowUps, (params) => records.pauseFollowUps(params));
    this.#handle('import', calls.import, (params) => records.import(params));
    this.#handle('keep', calls.keep, (params) => this.#service.keep(params));
    this.#handle('pack', calls.pack, (params) => records.pack(params));
    this.#handle('unpack', calls.unpack, (params) => records.unpack(params));
    this.#handle('sweep', calls.sweep, () => records.sweep());
  }

  #handle<P, R>(
    name: CallName,
    { params: schema }: { readonly params: z.ZodType<P>; readonly result: z.ZodType<R> },
    work: (params: P, signal: AbortSignal) => R | Promise<R>,
  ): void {
    // The token comes last: alone if a request has no params, else after them.
    this.#rpc.onRequest(name, async (...args: readonly unknown[]): Promise<unknown> => {
      const token = args.at(-1);
      const params = schema.safeParse(args.length === 2 ? args[0] : undefined);
      if (!params.success) {
        const [issue] = params.error.issues;
        const where = issue?.path.join('.') ?? '';
        throw new ResponseError(ErrorCodes.InvalidParams, `${name}: ${where} ${issue?.message ?? ''}`.trim());
      }
      try {
        return await work(params.data, signalOf(token));
      } catch (error) {
        throw this.#toResponseError(error);
      }
    });
  }

  #toResponseError(error: unknown): Error {
    if (error instanceof ResponseError) return error;
    const data = failureData(error);
    if (data !== null) return new ResponseError(ErrorCodes.UnknownErrorCode, data.message, data);
    const message = error instanceof Error ? error.message : String(error);
    this.#service.log.error(`A call failed: ${error instanceof Error ? (error.stack ?? message) : message}`);
    return new ResponseError(ErrorCodes.InternalError, message, { code: 'internal', message, detail: '' });
  }

  #findSubscription(sessionId: string): Subscription | undefined {
    return [...this.#subscriptions.values()].find(({ handle }) => handle.id === sessionId);
  }

  /** Takes over the handle. */
  #follow(handle: SessionHandle, started: boolean): ResultOf<'follow'> {
    const refuse = (why: string): never => {
      handle.dispose();
      throw new ResponseError(ErrorCodes.InvalidRequest, why);
    };
    if (this.#isClosed) refuse('The connection is closed.');
    if (this.#subscriptions.size >= maxSubscriptions)
      refuse(`A client can follow ${maxSubscriptions} sessions at a time.`);
    const id = this.#nextSubscription++;
    const send = (update: SessionUpdate): Promise<void> => this.#rpc.sendRequest(updateCall, update);
    const subscription = new Subscription(id, handle, started, send);
    this.#subscriptions.set(id, subscription);
    return subscription.begin();
  }

  async #respondStarted(
    pendingStart: Promise<SessionHandle>,
    { follow }: Pick<ParamsOf<'start'>, 'follow'>,
  ): Promise<ResultOf<'start'>> {
    const handle = await pendingStart;
    const { id } = handle;
    const run_id = handle.turns().at(-1)?.runId;
    if (run_id === undefined) throw failures.internal('A run began without an id.');
    await this.#service.hold(id);
    if (follow) return { session_id: id, run_id, followed: this.#follow(handle, true) };
    handle.dispose();
    return { session_id: id, run_id };
  }

  #close(): void {
    this.#isClosed = true;
    this.#newsSubscription?.dispose();
    this.#sources?.dispose();
    for (const subscription of this.#subscriptions.values()) subscription.dispose();
    this.#subscriptions.clear();
    this.#rpc.dispose();
  }
}

function signalOf(token: unknown): AbortSignal {
  const controller = new AbortController();
  if (!CancellationToken.is(token)) return controller.signal;
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
