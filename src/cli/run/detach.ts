import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { UsageError, type CliContext } from '../command.ts';
import { startedDaemon, withDaemonErrors } from './daemon.ts';
import type { EngineOptions } from './engine.ts';
import { writeLines } from '../print/output.ts';
import { clientContext, folderOf, printForkMethod, type RequestedRun } from './requestedRun.ts';

interface DetachOptions extends EngineOptions {
  readonly json: boolean;
}

/** Starts a run in the daemon and prints its session. Disposes the engine. @throws UsageError */
export async function runDetached(
  context: CliContext,
  engine: Engine,
  options: DetachOptions,
  ask: () => Promise<RequestedRun>,
): Promise<number> {
  let run: RequestedRun;
  let folder: string;
  try {
    run = await ask();
    folder = await folderOf(engine, run);
  } catch (error) {
    if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
    throw error;
  } finally {
    await engine.dispose();
  }
  const connection = await startedDaemon(context, { store: options.store });
  try {
    const client = clientContext(context, folder, options);
    const started = await withDaemonErrors(async () => {
      if ('start' in run) return connection.call('start', { context: client, request: run.start });
      const { session: session_id } = run;
      if ('resume' in run) return connection.call('resume', { context: client, session_id, request: run.resume });
      const { at, fork: request } = run;
      const place = at === undefined ? {} : { at };
      printForkMethod(context, await connection.call('planFork', { session_id, ...place }), at);
      return connection.call('fork', { context: client, session_id, request, ...place });
    });
    const { session_id } = started;
    if (options.json) await writeLines(context.stdout, [started]);
    else
      context.stdout.write(
        `${session_id} is running in the background.\nWatch it: vitrine attach ${session_id}\nStop it:  vitrine stop ${session_id}\n`,
      );
    return 0;
  } finally {
    connection.close();
  }
}
