import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connect } from '../../client/connect.ts';
import { DaemonError } from '../../client/errors.ts';
import { DaemonLink } from '../../client/reconnectingLink.ts';
import { RemoteSession } from '../../client/remoteSession.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CliContext } from '../command.ts';
import { connectOptions } from './daemon.ts';
import { storeFolder, type EngineOptions } from './engine.ts';
import { clientContext, folderOf, printForkMethod, type ForkedRun, type RequestedRun } from './requestedRun.ts';
import type { PrintedSession } from './entryPrinter.ts';

/** A started run, in the daemon or in this process. */
export interface StartedRun {
  readonly session: PrintedSession;
  stop(kill: boolean): Promise<void>;
  /** Disposes the session. */
  close(): void;
}

/** Starts a run. @throws EngineFailure, DaemonError */
export type StartRun = (run: RequestedRun, signal: AbortSignal) => Promise<StartedRun>;

/** Starts runs in the daemon. If the store is not writable, there is no daemon and `engine` runs them. */
export function runsOf(context: CliContext, engine: Engine, options: EngineOptions): StartRun {
  return async (run, signal) => {
    try {
      return await beginInDaemon(context, engine, options, run, signal);
    } catch (error) {
      const isUnwritable =
        DaemonError.is(error, 'unreachable') && !(await isWritable(storeFolder(context, options.store)));
      // Only the daemon forks sessions.
      if ('fork' in run || !isUnwritable) throw error;
      return beginHere(engine, run, signal);
    }
  };
}

async function beginInDaemon(
  context: CliContext,
  engine: Engine,
  options: EngineOptions,
  run: RequestedRun,
  signal: AbortSignal,
): Promise<StartedRun> {
  const storeDir = storeFolder(context, options.store);
  const log = { warn: (message: string): void => void context.stderr.write(`vitrine: ${message}\n`) };
  const link = new DaemonLink<DaemonError>({
    connect: () => connect(connectOptions(context, { store: options.store })),
    prepare: () => Promise.resolve(),
    failure: (failure) => new DaemonError(failure.code, failure.message, failure.detail, failure),
    log,
  });
  try {
    const client = clientContext(context, await folderOf(engine, run), options);
    const begin = async (): Promise<RemoteSession<DaemonError>> => {
      if ('start' in run)
        return RemoteSession.begin(link, storeDir, 'start', { context: client, request: run.start }, signal);
      const { session: session_id } = run;
      const of = { context: client, session_id };
      if ('resume' in run) return RemoteSession.begin(link, storeDir, 'resume', { ...of, request: run.resume }, signal);
      const { at, fork: request } = run;
      const place = at === undefined ? {} : { at };
      printForkMethod(context, await link.call('planFork', { session_id, ...place }), at);
      const forked = await RemoteSession.begin(link, storeDir, 'fork', { ...of, request, ...place }, signal);
      context.stderr.write(`vitrine: The fork is ${forked.id}.\n`);
      return forked;
    };
    const session = await begin();
    return {
      session,
      stop: async (kill) => {
        await link.call('stop', { session_id: session.id, kill });
      },
      close: () => link.close(),
    };
  } catch (error) {
    link.close();
    throw error;
  }
}

async function beginHere(
  engine: Engine,
  run: Exclude<RequestedRun, ForkedRun>,
  signal: AbortSignal,
): Promise<StartedRun> {
  const session = await ('start' in run
    ? engine.start(run.start, signal)
    : engine.resume(run.session, run.resume, signal));
  return { session, stop: (kill) => engine.stop(session.id, { kill }), close: () => session.dispose() };
}

async function isWritable(folder: string): Promise<boolean> {
  const probe = path.join(folder, `probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(probe, 'x');
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
