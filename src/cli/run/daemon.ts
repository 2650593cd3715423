import path from 'node:path';
import { connect, connectOthers, connectRunning, type ConnectOptions } from '../../client/connect.ts';
import type { DaemonConnection } from '../../client/connection.ts';
import { DaemonError } from '../../client/errors.ts';
import { packageFolder, version } from '../../engine/packageInfo.ts';
import type { ClientDescription } from '../../protocol/daemon/calls.ts';
import { daemonProtocol } from '../../protocol/daemon/version.ts';
import { UsageError, type CliContext } from '../command.ts';
import { storeFolder } from './engine.ts';

interface DaemonUse {
  /** `--store` as given. */
  readonly store: string | undefined;
  /** A user reads the output and can answer. */
  readonly isInteractive?: boolean;
}

const clientOf = ({ isInteractive = false }: DaemonUse): ClientDescription => ({
  kind: 'terminal',
  person: isInteractive,
});

/** Connects to the store's daemon and starts it if necessary. @throws UsageError */
export function startedDaemon(context: CliContext, use: DaemonUse): Promise<DaemonConnection> {
  return withDaemonErrors(() => connect(connectOptions(context, use)));
}

/** Options to connect to the store's daemon and to start it if necessary. @throws UsageError */
export function connectOptions(context: CliContext, use: DaemonUse): ConnectOptions {
  return {
    storeDir: storeFolder(context, use.store),
    daemonFile: daemonFile(),
    environment: context.env,
    build: version(),
    client: clientOf(use),
    onSlowStart: () => context.stderr.write('vitrine: The Vitrine daemon is starting. Waiting up to 30 s.\n'),
  };
}

/** The store's daemon; `null` if none is running. @throws UsageError */
export function runningDaemon(context: CliContext, use: DaemonUse): Promise<DaemonConnection | null> {
  return withDaemonErrors(() =>
    connectRunning({ storeDir: storeFolder(context, use.store), build: version(), client: clientOf(use) }),
  );
}

/** The daemon of this version first, then those of other versions that still have runs. @throws UsageError */
export async function runningDaemons(context: CliContext, use: DaemonUse): Promise<DaemonConnection[]> {
  const options = { storeDir: storeFolder(context, use.store), build: version(), client: clientOf(use) };
  const [own, others] = await Promise.all([runningDaemon(context, use), connectOthers(options)]);
  return own === null ? others : [own, ...others];
}

/** Whether the daemon understands this version's calls, not only those in `coreCalls`. */
export function isSameProtocol({ daemon }: DaemonConnection): boolean {
  return daemon.protocol === daemonProtocol;
}

/** Runs `work` and converts errors of the daemon. @throws UsageError */
export async function withDaemonErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (DaemonError.is(error)) throw new UsageError(error.message, error.detail);
    throw error;
  }
}

/** Next to this bundle, or its source if this is a source file. */
function daemonFile(): string {
  const { dirname, filename } = import.meta;
  return path.join(packageFolder(dirname), filename.endsWith('.ts') ? 'src/daemon/main.ts' : 'dist/daemon.js');
}
