import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { News } from '../../protocol/daemon/calls.ts';
import { connectRunning } from '../connect.ts';
import type { DaemonConnection } from '../connection.ts';
import { observer } from './observer.ts';

interface StoreRunsDeps {
  readonly storeDir: string;
  /** Build of this client. */
  readonly build: string;
  readonly onChange: () => void;
  readonly log: { warn(message: string): void };
}

/** Running sessions of one store, as its daemon reports them. Starts no daemon. */
export class StoreRuns {
  readonly #deps: StoreRunsDeps;
  readonly #liveById = new Map<string, SessionSummary>();
  #connection: DaemonConnection | undefined;
  #connecting: Promise<void> | undefined;
  #isDisposed = false;

  constructor(deps: StoreRunsDeps) {
    this.#deps = deps;
  }

  liveSessions(): readonly SessionSummary[] {
    return [...this.#liveById.values()];
  }

  /** Call this when a daemon may have published its endpoint. Never rejects. */
  connect(): Promise<void> {
    if (this.#connection !== undefined || this.#isDisposed) return Promise.resolve();
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { storeDir, build, log, onChange } = this.#deps;
    try {
      const onNews = (news: News): Promise<void> => this.#handleNews(news);
      const connection = await connectRunning({ storeDir, build, client: observer, onNews });
      if (connection === null) return;
      if (this.#isDisposed) {
        connection.close();
        return;
      }
      this.#connection = connection;
      void connection.closed.then(() => {
        this.#connection = undefined;
        this.#liveById.clear();
        onChange();
      });
      const { live } = await connection.call('watch', { events: false });
      for (const summary of live) this.#liveById.set(summary.session_id, summary);
      onChange();
    } catch (error) {
      log.warn(`Cannot determine what is running in ${storeDir}: ${String(error)}`);
    }
  }

  #handleNews({ summaries, removed }: News): Promise<void> {
    for (const summary of summaries) {
      if (isSessionLive(summary.status)) this.#liveById.set(summary.session_id, summary);
      else this.#liveById.delete(summary.session_id);
    }
    for (const id of removed) this.#liveById.delete(id);
    this.#deps.onChange();
    return Promise.resolve();
  }
}
