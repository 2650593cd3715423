import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { connectOthers } from '../../client/connect.ts';
import type { DaemonConnection } from '../../client/connection.ts';
import { runsIn } from '../../client/machine/runsIn.ts';
import type { Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { watchRecord } from '../../engine/record/read/watchRecord.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ClientDescription, GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';
import { OtherRun } from './otherRun.ts';

export interface OtherDaemonsDeps {
  readonly storeDir: string;
  /** Version of this daemon. */
  readonly version: string;
  readonly engine: Pick<Engine, 'open'>;
  /** Whether a person who could answer requests is connected. */
  readonly isPresent: () => boolean;
  /** One of their runs changed, or ended. */
  readonly onSummary: (summary: SessionSummary) => void;
  /** A run began that this daemon did not know. */
  readonly onRun: (sessionId: string) => void;
  readonly log: Log;
}

/** Runs in daemons of other protocol versions on the same store, for clients of this daemon. Starts none. */
export class OtherDaemons {
  readonly #deps: OtherDaemonsDeps;
  /** By session: for lists, while it runs. */
  readonly #listedHandles = new Map<string, SessionHandle>();
  #stop: () => void = () => undefined;
  #isDisposed = false;

  constructor(deps: OtherDaemonsDeps) {
    this.#deps = deps;
  }

  /** Finds their runs, those that begin later too. Never rejects. */
  async begin(): Promise<void> {
    // Every daemon notes each agent that it starts in this folder.
    const folder = path.join(this.#deps.storeDir, 'leases');
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
    if (this.#isDisposed) return;
    this.#stop = watchRecord(folder, () => this.#listNewRuns());
    await this.#listNewRuns();
  }

  /** Their runs, with requests that wait. */
  liveSessions(): readonly SessionSummary[] {
    return [...this.#listedHandles.values()].map((handle) => handle.summary());
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stop();
    for (const handle of this.#listedHandles.values()) handle.dispose();
    this.#listedHandles.clear();
  }

  /** The handle itself, or one that also shows what the other daemon says of the session's run. Takes over the handle. */
  async follow(base: SessionHandle): Promise<SessionHandle> {
    if (base.isLive() || !isSessionLive(base.summary().status)) return base;
    const { engine, isPresent, log } = this.#deps;
    const connection = await this.#find(base.id, { kind: 'api', person: isPresent() });
    if (connection === null) return base;
    const refresh = async (): Promise<void> => {
      (await engine.open(base.id)).dispose();
    };
    try {
      return await OtherRun.follow({ base, connection, refresh, log });
    } catch (error) {
      connection.close();
      log.warn(`${base.id} can only be read: ${String(error)}`);
      return base;
    }
  }

  /** Calls the daemon that runs the session as this client; `undefined`: none runs it. @throws DaemonError */
  async call<N extends 'answer' | 'say' | 'stop'>(
    name: N,
    params: GivenParams<N> & { readonly session_id: string },
    client: ClientDescription = { kind: 'api', person: false },
  ): Promise<ResultOf<N> | undefined> {
    const connection = await this.#find(params.session_id, client);
    try {
      return await connection?.call(name, params);
    } finally {
      connection?.close();
    }
  }

  /** Never rejects. */
  async #listNewRuns(): Promise<void> {
    const { engine, log } = this.#deps;
    try {
      const others = await this.#connect({ kind: 'api', person: false });
      const runs = await runsIn(others);
      for (const other of others) other.close();
      for (const { session } of runs) {
        if (!this.#listedHandles.has(session.session_id)) await this.#listRun(await engine.open(session.session_id));
      }
    } catch (error) {
      log.warn(`Runs of daemons of other versions are unknown: ${String(error)}`);
    }
  }

  async #listRun(base: SessionHandle): Promise<void> {
    const { onSummary, onRun } = this.#deps;
    const handle = await this.follow(base);
    const { id } = handle;
    // The look at the start and one after an event may find the same run.
    if (handle.otherVersion?.() === undefined || this.#isDisposed || this.#listedHandles.has(id)) {
      handle.dispose();
      return;
    }
    this.#listedHandles.set(id, handle);
    handle.onSummary(onSummary);
    onSummary(handle.summary());
    onRun(id);
    void handle.done.then(() => {
      if (!this.#listedHandles.delete(id)) return;
      onSummary(handle.summary());
      handle.dispose();
    });
  }

  #connect(client: ClientDescription): Promise<DaemonConnection[]> {
    const { storeDir, version: build } = this.#deps;
    return connectOthers({ storeDir, build, client: { ...client, observes: true } });
  }

  async #find(sessionId: string, client: ClientDescription): Promise<DaemonConnection | null> {
    const others = await this.#connect(client);
    const found = (await runsIn(others)).find(({ session }) => session.session_id === sessionId)?.connection;
    for (const other of others) if (other !== found) other.close();
    return found ?? null;
  }
}
