import path from 'node:path';
import type { ClientDescription } from '../protocol/daemon/calls.ts';
import type { ClientConnection } from './connection.ts';

/** A window that reloads is back within this time, in ms. */
const reloadMs = 20_000;

type WhenWindowsClose = 'finishRuns' | 'stopRuns';

interface Client {
  readonly description: ClientDescription;
  /** Trusted folders of a window. */
  folders: readonly string[];
}

export interface ClientsDeps {
  readonly onCount: (count: number) => void;
  /** The last window has closed, and the user wants that runs stop then. */
  readonly onStopRuns: () => void;
  readonly reloadMs?: number;
}

/** Who is connected. */
export class Clients {
  readonly #deps: ClientsDeps;
  readonly #clients = new Map<ClientConnection, Client>();
  #whenWindowsClose: WhenWindowsClose = 'finishRuns';
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#clients.size;
  }

  add(connection: ClientConnection, description: ClientDescription): void {
    this.#clients.set(connection, { description, folders: [] });
    if (description.kind === 'window') clearTimeout(this.#timer);
    this.#deps.onCount(this.#clients.size);
  }

  announce(connection: ClientConnection, folders: readonly string[], whenWindowsClose: WhenWindowsClose): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    client.folders = folders;
    this.#whenWindowsClose = whenWindowsClose;
  }

  remove(connection: ClientConnection): void {
    const client = this.#clients.get(connection);
    this.#clients.delete(connection);
    this.#deps.onCount(this.#clients.size);
    if (client?.description.kind !== 'window' || this.#whenWindowsClose !== 'stopRuns' || this.#windows().length > 0)
      return;
    this.#timer = setTimeout(this.#deps.onStopRuns, this.#deps.reloadMs ?? reloadMs);
    this.#timer.unref();
  }

  /** Asks a window that has the file's folder open, else the newest one. */
  async input(name: string, agent: { readonly name: string; readonly file: string }): Promise<string | undefined> {
    const windows = this.#windows();
    const [connection] =
      windows.find(([, { folders }]) => folders.some((folder) => agent.file.startsWith(folder + path.sep))) ??
      windows.at(-1) ??
      [];
    return (await connection?.askInput(name, agent)) ?? undefined;
  }

  #windows(): [ClientConnection, Client][] {
    return [...this.#clients].filter(([, { description }]) => description.kind === 'window');
  }
}
