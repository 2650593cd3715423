import path from 'node:path';
import type { ClientDescription } from '../../protocol/daemon/calls.ts';
import type { Presence } from '../../engine/requests/countdown.ts';
import type { Disposable } from '../../engine/api.ts';

/** A window that reloads returns within this time, in ms. */
const reloadMs = 20_000;

type WhenWindowsClose = 'finishRuns' | 'stopRuns';

/** One client that has proved that it knows the token. */
export interface ConnectedClient {
  /** Asks the user for an input value; `null` if they enter none. */
  askInput(name: string, agent: { readonly name: string; readonly file: string }): Promise<string | null>;
  /** Another daemon began to run the session. */
  renew(sessionId: string): void;
}

interface Client {
  readonly description: ClientDescription;
  /** Trusted folders of a window. */
  folders: readonly string[];
}

export interface ClientsDeps {
  readonly onClientCount: (count: number) => void;
  /** Called when the last window has closed and runs must stop. */
  readonly onStopRuns: () => void;
  readonly reloadMs?: number;
}

/** All connected clients. */
export class Clients implements Presence {
  readonly #deps: ClientsDeps;
  readonly #clients = new Map<ConnectedClient, Client>();
  readonly #presenceListeners = new Set<() => void>();
  #whenWindowsClose: WhenWindowsClose = 'finishRuns';
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /** Describes a connection that has said hello. */
  describe(connection: ConnectedClient): ClientDescription | undefined {
    return this.#clients.get(connection)?.description;
  }

  isPresent(): boolean {
    return [...this.#clients.values()].some(({ description }) => description.person);
  }

  onChange(listener: () => void): Disposable {
    const own = (): void => listener();
    this.#presenceListeners.add(own);
    return { dispose: () => this.#presenceListeners.delete(own) };
  }

  /** Lets all who follow the session follow it again. */
  renew(sessionId: string): void {
    for (const connection of this.#clients.keys()) connection.renew(sessionId);
  }

  /** Number of clients, without those that only watch. */
  get count(): number {
    return [...this.#clients.values()].filter(({ description }) => description.observes !== true).length;
  }

  add(connection: ConnectedClient, description: ClientDescription): void {
    this.#clients.set(connection, { description, folders: [] });
    if (description.kind === 'window') clearTimeout(this.#timer);
    this.#notifyListeners();
  }

  announce(connection: ConnectedClient, folders: readonly string[], whenWindowsClose: WhenWindowsClose): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    client.folders = folders;
    this.#whenWindowsClose = whenWindowsClose;
  }

  remove(connection: ConnectedClient): void {
    const client = this.#clients.get(connection);
    this.#clients.delete(connection);
    this.#notifyListeners();
    if (
      client?.description.kind !== 'window' ||
      this.#whenWindowsClose !== 'stopRuns' ||
      this.#windowClients().length > 0
    )
      return;
    this.#timer = setTimeout(this.#deps.onStopRuns, this.#deps.reloadMs ?? reloadMs);
    this.#timer.unref();
  }

  /** Asks a window that has the file's folder open, else the newest one. */
  async input(name: string, agent: { readonly name: string; readonly file: string }): Promise<string | undefined> {
    const windows = this.#windowClients();
    const [connection] =
      windows.find(([, { folders }]) => folders.some((folder) => agent.file.startsWith(folder + path.sep))) ??
      windows.at(-1) ??
      [];
    return (await connection?.askInput(name, agent)) ?? undefined;
  }

  #notifyListeners(): void {
    this.#deps.onClientCount(this.count);
    for (const listener of [...this.#presenceListeners]) listener();
  }

  #windowClients(): [ConnectedClient, Client][] {
    return [...this.#clients].filter(([, { description }]) => description.kind === 'window');
  }
}
