import { connect } from '../../client/connect.ts';
import type { DaemonConnection } from '../../client/connection.ts';
import { recordCalls } from '../../client/records/recordCalls.ts';
import { ReadOnlyEngine } from '../../engine/readOnlyEngine.ts';
import type { CliContext } from '../command.ts';
import { connectOptions } from './daemon.ts';
import { engineDeps, type EngineOptions } from './engine.ts';

/**
 * Reads records in this process and has the daemon write them. The daemon is started when something is to be written; then
 * calls reject with a `DaemonError` where it refuses.
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

  /** Leaves the daemon, which runs on. */
  async dispose(): Promise<void> {
    this.engine.archive.dispose();
    (await this.#connection?.catch(() => undefined))?.close();
  }
}
