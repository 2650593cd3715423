import type { StoreJoin, WaitingState } from '../../agents/stores/storeFormat.ts';
import type { Log } from '../../engine/api.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { openWebSocket, type WebSocketLink } from '../../engine/sources/live/webSocket.ts';

const connectMs = 5000;
/** Time until a server that was not there is tried again, in ms. */
const retryMs = 5000;

interface Wait {
  readonly state: WaitingState;
  /** ISO 8601. */
  readonly since: string;
}

/** One agent's server. */
interface WatchedServer {
  /** Running sessions in the stores of the server: Vitrine's ids by the agent's. */
  readonly sessions: Map<string, string>;
  readonly waits: Map<string, Wait>;
  link: WebSocketLink | undefined;
  isClosed: boolean;
  readonly openedAt: number;
}

/**
 * Which running sessions wait for their user, as the agents' own servers report it. Joins none of them. A server is watched
 * while sessions in its stores are running.
 */
export class WaitWatches {
  readonly #onChange: (sessionId: string) => void;
  readonly #log: Log;
  readonly #servers = new Map<string, WatchedServer>();

  constructor(onChange: (sessionId: string) => void, log: Log) {
    this.#onChange = onChange;
    this.#log = log;
  }

  /** The session, waiting if its agent's server says so. Begins to watch that server. */
  addWaitState(summary: SessionSummary, join: StoreJoin): SessionSummary {
    const { observed, executor_session_id: nativeId, session_id: id } = summary;
    const socket = observed === undefined ? undefined : join.socket(observed.path);
    if (observed === undefined || nativeId === undefined || socket === undefined) return summary;
    if (observed.live.state === 'ended') {
      this.#leave(socket, nativeId);
      return summary;
    }
    const server = this.#watch(socket, join);
    server.sessions.set(nativeId, id);
    const wait = server.waits.get(nativeId);
    if (wait === undefined) return summary;
    return {
      ...summary,
      needs_you: { count: 1, since: wait.since, title: '' },
      observed: { ...observed, live: { ...observed.live, ...wait, source: 'process' } },
    };
  }

  close(): void {
    for (const server of this.#servers.values()) close(server);
    this.#servers.clear();
  }

  #leave(socket: string, nativeId: string): void {
    const server = this.#servers.get(socket);
    if (server?.sessions.delete(nativeId) !== true || server.sessions.size > 0) return;
    this.#servers.delete(socket);
    close(server);
  }

  #watch(socket: string, join: StoreJoin): WatchedServer {
    const known = this.#servers.get(socket);
    if (known !== undefined && (!known.isClosed || Date.now() < known.openedAt + retryMs)) return known;
    const sessions = known?.sessions ?? new Map<string, string>();
    const server = { sessions, waits: new Map(), link: undefined, isClosed: false, openedAt: Date.now() };
    this.#servers.set(socket, server);
    void this.#open(socket, server, join);
    return server;
  }

  async #open(socket: string, server: WatchedServer, join: StoreJoin): Promise<void> {
    const watch = join.watch({
      write: (line) => server.link?.send(line),
      onState: (nativeId, state) => {
        if (state === server.waits.get(nativeId)?.state) return;
        if (state === undefined) server.waits.delete(nativeId);
        else server.waits.set(nativeId, { state, since: new Date().toISOString() });
        this.#notifyChange(server, nativeId);
      },
    });
    const onClose = (): void => {
      server.isClosed = true;
      const waited = [...server.waits.keys()];
      server.waits.clear();
      for (const nativeId of waited) this.#notifyChange(server, nativeId);
    };
    try {
      const events = { onText: watch.line, onClose };
      const link = await openWebSocket(socket, events, AbortSignal.timeout(connectMs));
      server.link = link;
      if (server.isClosed) link.close();
      else watch.begin();
    } catch (error) {
      server.isClosed = true;
      this.#log.debug(`${socket} is not watched: ${String(error)}`);
    }
  }

  #notifyChange(server: WatchedServer, nativeId: string): void {
    const id = server.sessions.get(nativeId);
    if (id !== undefined) this.#onChange(id);
  }
}

function close(server: WatchedServer): void {
  server.isClosed = true;
  server.link?.close();
}
