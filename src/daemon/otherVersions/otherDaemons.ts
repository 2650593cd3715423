import { connectOthers } from '../../client/connect.ts';
import type { DaemonConnection } from '../../client/connection.ts';
import { runsIn } from '../../client/machine/runsIn.ts';
import type { Log, SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { ClientDescription, GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';
import { OtherRun } from './otherRun.ts';

export interface OtherDaemonsDeps {
  readonly storeDir: string;
  /** Of this daemon. */
  readonly version: string;
  readonly engine: Pick<Engine, 'open'>;
  /** Whether a person is connected, who could answer requests. */
  readonly isPresent: () => boolean;
  readonly log: Log;
}

/** Runs in daemons of other protocol versions on the same store, for clients of this daemon. Starts none. */
export class OtherDaemons {
  readonly #deps: OtherDaemonsDeps;

  constructor(deps: OtherDaemonsDeps) {
    this.#deps = deps;
  }

  /** The handle itself, or one that also shows what the other daemon says of the session's run. Takes over the handle. */
  async follow(base: SessionHandle): Promise<SessionHandle> {
    if (base.live() || !isSessionLive(base.summary().status)) return base;
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

  async #find(sessionId: string, client: ClientDescription): Promise<DaemonConnection | null> {
    const { storeDir, version: build } = this.#deps;
    const others = await connectOthers({ storeDir, build, client: { ...client, observes: true } });
    const found = (await runsIn(others)).find(({ session }) => session.session_id === sessionId)?.connection;
    for (const other of others) if (other !== found) other.close();
    return found ?? null;
  }
}
