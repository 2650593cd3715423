import { connect } from '../../client/connect.ts';
import { DaemonError } from '../../client/errors.ts';
import { RemoteQueue, type QueueRunParams } from '../../client/queue/remoteQueue.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import type { ChangedRun } from '../../protocol/daemon/queue.ts';
import type { CliContext } from '../command.ts';
import { connectOptions, withDaemonErrors } from './daemon.ts';

/** A run in the queue, from its request to its end. */
export interface QueuedRun {
  readonly run: ListedRun;
  /** Rejects if the daemon exits. */
  readonly ended: Promise<ChangedRun>;
  stop(): Promise<void>;
  /** The run stays in the queue. */
  close(): void;
}

/** @throws UsageError, CoordinatorError, DaemonError */
export async function queueRun(
  context: CliContext,
  store: string | undefined,
  request: QueueRunParams,
): Promise<QueuedRun> {
  const ends = new RunEnds();
  const onNews = ({ runs }: { readonly runs: readonly ChangedRun[] }): Promise<void> => {
    for (const run of runs) ends.add(run);
    return Promise.resolve();
  };
  const connection = await withDaemonErrors(() => connect({ ...connectOptions(context, { store }), onNews }));
  try {
    await connection.call('watch', { events: false, runs: true });
    const queue = new RemoteQueue(connection);
    const run = await queue.createRun(request);
    const disconnected = connection.closed.then(() => {
      throw new DaemonError('unreachable', 'The Vitrine daemon exited.');
    });
    const ended = Promise.race([ends.whenEnded(run.run_id), disconnected]);
    // Nobody may wait for it.
    ended.catch(() => undefined);
    return {
      run,
      ended,
      stop: async () => {
        await queue.stopRun(run.run_id);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Runs that have ended since this client watches. */
export class RunEnds {
  readonly #endedRuns = new Map<string, ChangedRun>();
  readonly #endResolvers = new Map<string, (run: ChangedRun) => void>();

  add(run: ChangedRun): void {
    if (!isRunOver(run.status)) return;
    this.#endedRuns.set(run.run_id, run);
    this.#endResolvers.get(run.run_id)?.(run);
  }

  whenEnded(id: string): Promise<ChangedRun> {
    return new Promise((resolve) => {
      const run = this.#endedRuns.get(id);
      if (run === undefined) this.#endResolvers.set(id, resolve);
      else resolve(run);
    });
  }
}
