import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  createMessageConnection,
  type MessageConnection,
  PortMessageReader,
  PortMessageWriter,
  type NotificationType,
  type RequestParam,
  type RequestType,
} from 'vscode-jsonrpc/node';
import type { Log } from '../../engine/api.ts';
import type { SourcesChange } from '../../engine/sources/sources.ts';
import type { IndexProgress } from '../../protocol/daemon/catalogue.ts';
import { indexNotifications, indexCommands, indexReports } from './messages.ts';

/** Listener for changes in the stores of one place. */
export interface PlaceListener {
  changed(change: SourcesChange): void;
  paths(paths: ReadonlySet<string>): void;
  /** The thread has ended and no longer watches. */
  threadEnded(): void;
}

interface IndexThreadDeps {
  /** Folder of the daemon. */
  readonly folder: string;
  /** Main file of the daemon, which serves as thread too. */
  readonly file: string;
  readonly storeDir: string;
  /** The user's prices, as written in the settings. */
  readonly prices: () => unknown;
  readonly onProgress: (progress: IndexProgress | null) => void;
  readonly log: Log;
}

interface RunningThread {
  readonly worker: Worker;
  readonly connection: MessageConnection;
}

/** The daemon's end of its indexing thread, which is started when it is first needed, and again after it failed. */
export class IndexThread {
  readonly #deps: IndexThreadDeps;
  readonly #listeners = new Map<string, PlaceListener>();
  #running: RunningThread | undefined;
  #prices: string | undefined;
  #isDisposed = false;

  constructor(deps: IndexThreadDeps) {
    this.#deps = deps;
  }

  /** Sets the listener of the place with that key. */
  listen(key: string, listener: PlaceListener): void {
    this.#listeners.set(key, listener);
  }

  /** @throws Error if the thread fails */
  async request<P, R>(call: RequestType<P, R, void>, params: NoInfer<RequestParam<P>>): Promise<R> {
    return this.#connection().sendRequest(call, params);
  }

  /** Does nothing if the thread does not run. */
  notify<P>(order: NotificationType<P>, params: NoInfer<RequestParam<P>>): void {
    void this.#running?.connection.sendNotification(order, params).catch(() => undefined);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const running = this.#running;
    this.#running = undefined;
    running?.connection.dispose();
    await running?.worker.terminate();
  }

  #connection(): MessageConnection {
    if (this.#isDisposed) throw new Error('The daemon is stopping.');
    const { connection } = (this.#running ??= this.#start());
    const written = this.#deps.prices();
    const prices = JSON.stringify([written]);
    if (prices !== this.#prices) {
      this.#prices = prices;
      void connection.sendNotification(indexCommands.prices, { written });
    }
    return connection;
  }

  #start(): RunningThread {
    const { file, storeDir, log, onProgress } = this.#deps;
    const { env, remove } = createTemporaryFolder(this.#deps.folder);
    const worker = new Worker(file, { workerData: { storeDir }, env });
    worker.once('exit', remove);
    const connection = createMessageConnection(new PortMessageReader(worker), new PortMessageWriter(worker));
    const running = { worker, connection };
    const end = (why: string): void => {
      if (this.#running !== running) return;
      log.error(`Indexing stopped: ${why}`);
      this.#running = undefined;
      this.#prices = undefined;
      connection.dispose();
      onProgress(null);
      for (const listener of this.#listeners.values()) listener.threadEnded();
    };
    worker.on('error', (error) => end(error.stack ?? String(error)));
    worker.on('exit', (code) => end(`exit code ${code}`));
    connection.onRequest(indexReports.changed, ({ key, changed, removed }) => {
      this.#listeners.get(key)?.changed({ changed, removed });
      return null;
    });
    connection.onNotification(indexNotifications.paths, ({ key, paths }) => this.#listeners.get(key)?.paths(paths));
    connection.onNotification(indexNotifications.progress, ({ progress }) => onProgress(progress));
    connection.onNotification(indexNotifications.log, ({ level, message }) => log[level](message));
    connection.listen();
    return running;
  }
}

/**
 * For the thread's private copies of databases. The thread is terminated and cannot delete them, and a killed daemon leaves
 * them to the next one.
 */
function createTemporaryFolder(parent: string): { readonly env: NodeJS.ProcessEnv; readonly remove: () => void } {
  const folder = path.join(parent, 'temporary');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    remove();
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // In a store that cannot be written, copies go to the temporary folder of the system.
    return { env: process.env, remove: () => undefined };
  }
  return { env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder }, remove };
}
