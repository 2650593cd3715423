import { connect } from '../../client/connect.ts';
import type { DaemonConnection } from '../../client/connection.ts';
import { recordCalls } from '../../client/records/recordCalls.ts';
import { ReadOnlyEngine } from '../../engine/readOnlyEngine.ts';
import type { CliContext } from '../command.ts';
import { connectOptions } from './daemon.ts';
import { engineDeps, type EngineOptions } from './engine.ts';

/**
 * Reads records in this process and writes them through the daemon, which is started on demand. Writing rejects with
 * `DaemonError` if the daemon refuses.
 */
export class RecordReader {
  readonly engine: ReadOnlyEngine;
  readonly #connect: () => Promise<DaemonConnection>;
  #connection: Promise<DaemonConnection> | undefined;

  /** @throws UsageError */
  constructor(context: CliContext, options: EngineOptions) {
    const deps = engineDeps(context, options);
    this.#connect = () => connect(connectOptions(context, options));
    const owner = recordCalls(async (name, params) =>
      (await (this.#connection ??= this.#connect())).call(name, params),
    );
    this.engine = new ReadOnlyEngine(deps, owner);
  }

  /** Disconnects from the daemon, which continues to run. */
  async dispose(): Promise<void> {
    this.engine.archive.dispose();
    (await this.#connection?.catch(() => undefined))?.close();
  }
}
